"""One side of a comparison, in a process of its own: the frameworks' runs with Kwker or without.

    python -m side with|without FILE lightning_runs ignite_runs ...

The file gets what every run left, or how it failed, and with Kwker what was served and declined in
it. Without, nothing of Kwker is imported.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

Run = Callable[[], object]


def left_by(model: nn.Module, *optimizers: Optimizer) -> dict[str, object]:
    """Everything that training has changed: what a run returns to be compared."""
    parameters = dict(model.named_parameters())
    return {
        "parameters": parameters,
        "gradients": {name: p.grad for name, p in parameters.items()},
        "buffers": dict(model.named_buffers()),
        "versions": [p._version for p in parameters.values()],  # a file does not keep them
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
    }


def main(side: str, file: str, *modules: str) -> None:
    stats: Callable[[], Any] = dict
    reset_stats: Callable[[], object] = dict
    if side == "with":
        import kwker.torch_ops as sto

        sto.install()
        stats, reset_stats = sto.stats, sto.reset_stats
    found: dict[str, dict[str, Any]] = {}
    for module in modules:
        for name, run in import_module(module).RUNS.items():
            os.makedirs(f"{module}/{name}")
            torch.manual_seed(0)
            reset_stats()
            try:
                with contextlib.chdir(f"{module}/{name}"):  # frameworks leave files where they run
                    left = {"left": run()}
            except Exception:
                left = {"error": traceback.format_exc()}
            found[f"{module}.{name}"] = left | {"stats": stats()}
    if side == "without":
        assert not any(name.split(".")[0] == "kwker" for name in sys.modules)
    torch.save(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])

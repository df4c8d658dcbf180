"""The self-check of the optimizers: Kwker's step beside torch's, on this very machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from kwker import _C
from kwker._bits import same_bits
from kwker._patch import Patch

# Around the widths of vectors; together below what would start a second thread.
_SIZES = (1, 2, 7, 8, 15, 16, 33, 70, 515)
_STEPS = 3

_ADAM = {
    "amsgrad": False,
    "beta1": 0.9,
    "beta2": 0.999,
    "lr": 1e-3,
    "weight_decay": 0.0,
    "eps": 1e-8,
    "maximize": False,
}
_SGD = {
    "weight_decay": 0.0,
    "momentum": 0.0,
    "lr": 0.1,
    "dampening": 0.0,
    "nesterov": False,
    "maximize": False,
}
_ADAM_CASES: tuple[dict[str, Any], ...] = (
    {},
    {"weight_decay": 1e-2},
    {"weight_decay": 1e-2, "maximize": True},
    {"beta1": 0.3, "beta2": 0.9, "eps": 1e-3},
)
_SGD_CASES: tuple[dict[str, Any], ...] = (
    {},
    {"weight_decay": 1e-2},
    {"momentum": 0.9},
    {"momentum": 0.9, "dampening": 0.1, "weight_decay": 1e-2, "maximize": True},
    {"momentum": 0.9, "nesterov": True, "weight_decay": 1e-2},
)


def difference(name: str, patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere.

    Takes some tens of milliseconds, most of them for comparing square roots. Uses no random state
    of the program's and none of its modes.
    """
    found: list[str] = []

    def run() -> None:
        try:
            with torch.no_grad():
                found.extend(_differences(name, patch, counters))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")

    def run_apart() -> None:
        torch.set_flush_denormal(False)  # inherited, and this thread's only
        run()

    with torch.no_grad():
        plain = not _C.thread_reason()
    was_enabled, counts = counters.enabled, counters.save()
    counters.enabled = True
    try:
        if plain:
            run()
        else:
            # A torch mode or the like is active on this thread. (Not always: while torch is being
            # imported, another thread that imports anything would wait for this one.)
            thread = threading.Thread(target=run_apart, name="kwker-self-check")
            thread.start()
            thread.join()
    finally:  # an interrupt, or no thread to be had
        counters.enabled = was_enabled
        counters.restore(counts)
    return found[0] if found else ""


def _differences(name: str, patch: Patch, counters: _C.Counters) -> Iterator[str]:
    cases = _SGD_CASES if name == "optim.sgd" else _ADAM_CASES
    for dtype in (torch.float32, torch.float64):
        for case in cases:
            calls = counters.calls
            theirs = _run(name, patch.original, case, dtype)
            ours = _run(name, patch.hook, case, dtype)
            label = f"{str(dtype).removeprefix('torch.')} {case or 'defaults'}"
            if counters.calls != calls + _STEPS:
                reasons = ", ".join(counters.fallbacks)
                yield f"{label}: not taken ({reasons or 'unknown reason'})"
            for tensor_name, expected in theirs.items():
                if not same_bits(expected, ours[tensor_name]):
                    yield f"{label}: {tensor_name} differs"


def _run(
    name: str, function: Callable[..., None], case: dict[str, Any], dtype: torch.dtype
) -> dict[str, Tensor]:
    """A few steps on fixed data; returns all tensors by name."""
    generator = torch.Generator().manual_seed(1)

    def data() -> list[Tensor]:
        return [
            torch.randn(n, dtype=dtype, generator=generator, device="cpu") * 10.0 ** (i - 4)
            for i, n in enumerate(_SIZES)
        ]

    params = data()
    zeros = [torch.zeros_like(p) for p in params]
    state: dict[str, list[Tensor]] = {"param": params}
    buffers: list[Tensor | None] = [None] * len(params)
    if name != "optim.sgd":
        state |= {
            "exp_avg": zeros,
            "exp_avg_sq": [torch.zeros_like(p) for p in params],
            "step": [torch.zeros((), dtype=torch.float32, device="cpu") for _ in params],
        }
    for step in range(_STEPS):
        grads = data()
        grads[3].zero_()
        if step > 0:
            grads[5][0] = float("inf")
            grads[6][:5] = torch.tensor([0.0, -0.0, 1e-42, -1e-30, 1e30], dtype=dtype)
        if name == "optim.sgd":
            function(params, grads, buffers, **(_SGD | case))
        else:
            function(
                params,
                grads,
                state["exp_avg"],
                state["exp_avg_sq"],
                [],
                state["step"],
                decoupled_weight_decay=name == "optim.adamw",
                **(_ADAM | case),
            )
    if any(b is not None for b in buffers):
        state["momentum_buffer"] = [b for b in buffers if b is not None]
    return {f"{key}[{i}]": t for key, tensors in state.items() for i, t in enumerate(tensors)}

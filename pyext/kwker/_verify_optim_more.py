"""The self-check of the optimizers beside Adam and SGD."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from kwker import _C, _verify_optim
from kwker._optim_more_calls import Kind
from kwker._patch import Patch
from kwker._verify_optim import Data

# Two each: the defaults, and what takes the other branches.
_CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "rmsprop": ({}, {"weight_decay": 1e-2, "momentum": 0.9, "centered": True, "maximize": True}),
    "adagrad": ({}, {"weight_decay": 1e-2, "lr_decay": 0.1, "maximize": True}),
    "nadam": ({}, {"weight_decay": 1e-2, "decoupled_weight_decay": True, "betas": (0.3, 0.9)}),
    "adamax": ({}, {"weight_decay": 1e-2, "maximize": True, "betas": (0.3, 0.9)}),
    "adadelta": ({}, {"weight_decay": 1e-2, "rho": 0.3, "maximize": True}),
    "asgd": ({}, {"weight_decay": 1e-2, "t0": 4.5, "alpha": 0.5, "maximize": True}),
    "radam": ({}, {"weight_decay": 1e-2, "maximize": True, "betas": (0.3, 0.9)}),
}


def difference(kind: Kind, patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere; some milliseconds."""
    default = torch.get_default_dtype()
    if kind.name == "asgd" and default not in (torch.float32, torch.float64):
        return f"not compared, as torch's default dtype is {default}"
    return _verify_optim.compare(partial(_run, kind, patch), patch, counters, _CASES[kind.name])


def differences(kind: Kind, patch: Patch, counters: _C.Counters) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    few = _CASES[kind.name]
    many = [
        {"maximize": maximize, "lr": lr} | case
        for maximize, lr, case in product((False, True), (1e-3, 10.0), few)
    ]
    steps = partial(_run, kind, patch)
    yield from _verify_optim.compare_at_length(steps, patch, counters, many, few)


def _run(
    kind: Kind,
    patch: Patch,
    function: Callable[..., None],
    case: dict[str, Any],
    data: Data,
) -> dict[str, list[Tensor]]:
    parameters = inspect.signature(kind.cls.__init__).parameters.values()
    options = {p.name: p.default for p in parameters if p.default is not p.empty} | case
    params = data.params()
    # Steps around the sixth, from which on RAdam does something else.
    state = {"step": torch.tensor(4.0, dtype=torch.float32, device="cpu")}
    lists, keywords = kind.arguments(
        patch.original,
        options,
        params,
        params,
        [{k: t.clone() for k, t in state.items()} for _ in params],
    )
    for step in range(_verify_optim.STEPS):
        lists[1] = data.grads(step)
        function(*lists, **keywords)
    return dict(zip(("param", "grad", *kind.state), lists, strict=True))

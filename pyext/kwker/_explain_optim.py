"""Why a step of an optimizer's group would be torch's own, without taking it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from kwker import _C
from kwker._optim_calls import KINDS, Kind
from kwker._own import is_own
from kwker._shared import behind


def unwrapped(optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """The optimizer whose step() is called in the end, where frameworks have wrapped it.

    Accelerate's and Lightning's wrappers, ZeroRedundancyOptimizer and the like are optimizers too,
    and hold the one that does the work under one of two names.
    """
    for name in ("optimizer", "optim"):
        inner = getattr(optimizer, name, None)
        if isinstance(inner, torch.optim.Optimizer) and inner is not optimizer:
            return unwrapped(inner)
    return optimizer


def reason(optimizer: torch.optim.Optimizer, group: dict[str, Any]) -> tuple[str, str]:
    """The feature that covers the group ("" if none), and why it would decline ("" if not).

    State that the optimizer has not made yet is stood in for, as are missing gradients.
    """
    kind = next((k for k in KINDS if isinstance(optimizer, k.cls)), None)
    if kind is None:
        return "", "no feature covers this optimizer"
    # Which of two it is depends on the group.
    name = kind.features[-1] if group.get("decoupled_weight_decay") else kind.features[0]
    if inspect.unwrap(type(optimizer).step) is not inspect.unwrap(kind.cls.step):
        return name, f"{type(optimizer).__name__} has a step() of its own"
    function = behind(getattr(kind.module, kind.name, None))
    if not is_own(function, "torch"):
        return name, "torch's function was replaced by somebody else"
    with torch.no_grad():
        return name, _explain(kind, function, optimizer, group)


def _stepped(group: dict[str, Any]) -> list[Tensor]:
    """The parameters that a step would take: those with gradients, or all if there are none yet."""
    params = list(group["params"])
    return [p for p in params if p.grad is not None] or params


def _gradient(param: Tensor) -> Tensor:
    return torch.zeros_like(param) if param.grad is None else param.grad


def _explain(
    kind: Kind,
    function: Callable[..., Any],
    optimizer: torch.optim.Optimizer,
    group: dict[str, Any],
) -> str:
    params = _stepped(group)
    scaling = {name: getattr(optimizer, name, None) for name in ("grad_scale", "found_inf")}
    lists, keywords = kind.arguments(
        function,
        group | scaling,
        params,
        [_gradient(p) for p in params],
        [optimizer.state.get(p, {}) for p in params],
    )
    explanation: str = _C.optimizers[kind.name].explain(function)(*lists, **keywords)
    return explanation

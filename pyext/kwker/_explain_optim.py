"""Why a step of an optimizer's group would be torch's own, without taking it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from kwker import _C
from kwker._optim_more_calls import KINDS, Kind

# The arguments alone are looked at.
_adam = _C.optimizers["adam"].explain(torch.optim.Adam.step)
_sgd = _C.optimizers["sgd"].explain(torch.optim.SGD.step)


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
    base: type[torch.optim.Optimizer]
    explain: Callable[[torch.optim.Optimizer, dict[str, Any]], str]
    if isinstance(optimizer, torch.optim.Adam):
        name = "optim.adamw" if group["decoupled_weight_decay"] else "optim.adam"
        base, explain = torch.optim.Adam, _explain_adam
    elif isinstance(optimizer, torch.optim.SGD):
        name, base, explain = "optim.sgd", torch.optim.SGD, _explain_sgd
    else:
        kind = next((k for k in KINDS if isinstance(optimizer, k.cls)), None)
        if kind is None:
            return "", "no feature covers this optimizer"
        name, base, explain = f"optim.{kind.name}", kind.cls, partial(_explain_more, kind)
    if inspect.unwrap(type(optimizer).step) is not inspect.unwrap(base.step):
        return name, f"{type(optimizer).__name__} has a step() of its own"
    with torch.no_grad():
        return name, explain(optimizer, group)


def _stepped(group: dict[str, Any]) -> list[Tensor]:
    """The parameters that a step would take: those with gradients, or all if there are none yet."""
    params = list(group["params"])
    return [p for p in params if p.grad is not None] or params


def _gradient(param: Tensor) -> Tensor:
    return torch.zeros_like(param) if param.grad is None else param.grad


def _options(
    optimizer: torch.optim.Optimizer, group: dict[str, Any], *names: str
) -> dict[str, Any]:
    """What both steps hand on: options by name, and a gradient scaler's tensors."""
    scaling = {name: getattr(optimizer, name, None) for name in ("grad_scale", "found_inf")}
    shared = ("foreach", "fused", "lr", "maximize", "weight_decay")
    return scaling | {name: group[name] for name in (*shared, *names)}


def _explain_adam(optimizer: torch.optim.Optimizer, group: dict[str, Any]) -> str:
    params = _stepped(group)
    states = [optimizer.state.get(p, {}) for p in params]

    def averages(key: str) -> list[Tensor]:
        return [
            state[key] if key in state else torch.zeros_like(p)
            for p, state in zip(params, states, strict=True)
        ]

    return _adam(
        params,
        [_gradient(p) for p in params],
        averages("exp_avg"),
        averages("exp_avg_sq"),
        averages("max_exp_avg_sq") if group["amsgrad"] else [],
        [state.get("step", torch.zeros((), device="cpu")) for state in states],
        beta1=group["betas"][0],
        beta2=group["betas"][1],
        has_complex=any(p.is_complex() for p in params),
        **_options(
            optimizer,
            group,
            "amsgrad",
            "capturable",
            "decoupled_weight_decay",
            "differentiable",
            "eps",
        ),
    )


def _explain_more(kind: Kind, optimizer: torch.optim.Optimizer, group: dict[str, Any]) -> str:
    params = _stepped(group)
    scaling = {name: getattr(optimizer, name, None) for name in ("grad_scale", "found_inf")}
    function = getattr(kind.module, kind.name)
    lists, keywords = kind.arguments(
        function,
        group | scaling,
        params,
        [_gradient(p) for p in params],
        [optimizer.state.get(p, {}) for p in params],
    )
    explanation: str = _C.optimizers[kind.name].explain(function)(*lists, **keywords)
    return explanation


def _explain_sgd(optimizer: torch.optim.Optimizer, group: dict[str, Any]) -> str:
    params = _stepped(group)
    grads = [_gradient(p) for p in params]
    return _sgd(
        params,
        grads,
        [optimizer.state.get(p, {}).get("momentum_buffer") for p in params],
        has_sparse_grad=any(g.is_sparse for g in grads),
        **_options(optimizer, group, "dampening", "momentum", "nesterov"),
    )

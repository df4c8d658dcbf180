"""Averaged models that the suites of averages share: rules, models, updates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.optim import swa_utils
from torch.optim.swa_utils import AveragedModel

from comparison import with_state
from tables import draw


def _rule(name: str, make: Callable[..., Any], *args: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {name: make(*args)}


# Arguments of AveragedModel.
RULES: dict[str, Callable[[], dict[str, Any]]] = {
    "default": dict,
    "swa": _rule("avg_fn", swa_utils.get_swa_avg_fn),
    "swa_multi": _rule("multi_avg_fn", swa_utils.get_swa_multi_avg_fn),
}
for _decay in (0.999, 0.3, 0.5, 0.0, 1.0, 1, 0, 1e-30):
    RULES[f"ema_{_decay}"] = _rule("avg_fn", swa_utils.get_ema_avg_fn, _decay)
    RULES[f"ema_multi_{_decay}"] = _rule("multi_avg_fn", swa_utils.get_ema_multi_avg_fn, _decay)
SOME_RULES = ["default", "swa_multi", "ema_0.999", "ema_multi_0.999", "ema_multi_0.0"]

# Around the widths of vectors and of pairs of them.
SHAPES: list[tuple[int, ...]] = [(n,) for n in (0, 1, 2, 7, 8, 9, 16, 17, 31, 33, 65, 511)]
SHAPES += [(), (7, 11, 13), (0, 3)]


def model_of(
    shapes: Sequence[tuple[int, ...]], data: str = "normal", dtype: torch.dtype = torch.float32
) -> nn.Module:
    """With parameters at two levels, and with buffers of several dtypes."""
    model, inner = nn.Module(), nn.Module()
    for i, shape in enumerate(shapes):
        parameter = nn.Parameter(draw(shape, data, dtype, seed=i))
        (inner if i % 2 else model).register_parameter(f"p{i}", parameter)
    model.register_module("inner", inner)
    model.register_module("nothing", None)
    inner.register_buffer("mean", draw((33,), data, dtype, seed=99))
    inner.register_buffer("count", torch.tensor(3))
    model.register_buffer("absent", None)
    return model


def change(model: nn.Module, step: int, data: str = "normal") -> None:
    with torch.no_grad():
        for i, parameter in enumerate(model.parameters()):
            parameter.copy_(draw(parameter.shape, data, seed=100 * step + i))
        for buffer in model.buffers():
            if buffer.dtype != torch.bool:
                buffer.add_(1)


def everything(module: nn.Module) -> dict[str, object]:
    return {"parameters": list(module.parameters()), "buffers": list(module.buffers())}


def updates(
    averaged: AveragedModel, model: nn.Module, count: int = 4, data: str = "normal"
) -> object:
    def run() -> None:
        for step in range(count):
            averaged.update_parameters(model)
            change(model, step, data)

    return with_state(run, everything(averaged), everything(model))

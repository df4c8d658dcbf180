"""The features optim.adam, optim.sgd and so on: the loops of torch.optim in one pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from kwker import _C, _self_check, _verify_optim
from kwker._coverage import Leading, Named, lead
from kwker._optim_calls import KINDS, Kind
from kwker._patch import Patch
from kwker._registry import Feature, register


def _make_patch(kind: Kind) -> Patch:
    """The functional form's, and with it that of what step() collects its arguments with."""
    module = kind.module
    entry = _C.optimizers[kind.name]

    def make_hook(original: Callable[..., Any], functions: dict[str, Any]) -> Any:
        entry.set_loop(vars(module), functions)
        return entry.hook(original)

    def make_group_hook(original: Callable[..., Any], functions: dict[str, Any]) -> Any:
        entry.set_step(inspect.unwrap(functions["step"]).__code__, patch.hook)
        return entry.group_hook(original)

    def optimizer() -> Any:
        return getattr(torch.optim, kind.cls.__name__, None)

    group = Patch(optimizer, "_init_group", ("step",), make_group_hook)
    patch = Patch(module, kind.name, kind.calls, make_hook, also=[group])
    return patch


# Of a feature that shares its functional form with another.
_CLASSES = {"optim.adamw": "AdamW"}

for _kind in KINDS:
    _patch = _make_patch(_kind)
    for _name in _kind.features:
        _counters = _C.optimizers[_kind.name].counters[_name]
        register(
            Feature(
                name=_name,
                replaces=f"torch.optim.{_kind.name}.{_kind.name}, default (for-loop) "
                + ("and foreach paths" if _kind.foreach_is_equal else "path")
                + (", decoupled weight decay" if _name == "optim.adamw" else ""),
                since="2.13",
                counters=_counters,
                patch=_patch,
                checked_at="install" if _kind.name in ("adam", "sgd") else "first call",
                obstacle=_self_check.default_dtype_obstacle if _kind.name == "asgd" else str,
                verify=partial(_verify_optim.difference, _name, _kind, _patch, _counters),
                verify_at_length=partial(
                    _verify_optim.differences, _name, _kind, _patch, _counters
                ),
            )
        )
        lead(
            Leading(
                Named("torch.optim", f"{_CLASSES.get(_name, _kind.cls.__name__)}.step"),
                _name,
                "float32 and float64 parameters, by torch's default path",
            )
        )

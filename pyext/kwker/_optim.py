"""The features optim.adam, optim.adamw and optim.sgd: the loops of torch.optim in one pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import torch

from kwker import _C, _verify_optim
from kwker._patch import Patch
from kwker._registry import Feature, register


def _adam_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    _C.set_adam_loop(vars(_adam), calls)
    return _C.adam_hook(original)


def _adam_group_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    _C.set_adam_step(inspect.unwrap(calls["step"]).__code__, "adam", _adam_patch.hook)
    return _C.adam_group_hook(original)


def _sgd_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    _C.set_sgd_loop(vars(_sgd), calls)
    return _C.sgd_hook(original)


def _sgd_group_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    _C.set_sgd_step(inspect.unwrap(calls["step"]).__code__, "sgd", _sgd_patch.hook)
    return _C.sgd_group_hook(original)


# By name, as torch.optim has no attributes for them.
_adam = import_module("torch.optim.adam")
_sgd = import_module("torch.optim.sgd")
_ON_THE_WAY = ("_default_to_fused_or_foreach", "_to_scalar")
_adam_patch = Patch(
    _adam,
    "adam",
    ("_single_tensor_adam", "_multi_tensor_adam", "_get_value", *_ON_THE_WAY),
    _adam_hook,
    also=[Patch(torch.optim.Adam, "_init_group", ("step",), _adam_group_hook)],
)
_sgd_patch = Patch(
    _sgd,
    "sgd",
    ("_single_tensor_sgd", "_multi_tensor_sgd", *_ON_THE_WAY),
    _sgd_hook,
    also=[Patch(torch.optim.SGD, "_init_group", ("step",), _sgd_group_hook)],
)

for _name, _function, _counters, _patch in (
    ("optim.adam", "adam.adam", _C.adam_counters, _adam_patch),
    ("optim.adamw", "adam.adam", _C.adamw_counters, _adam_patch),
    ("optim.sgd", "sgd.sgd", _C.sgd_counters, _sgd_patch),
):
    register(
        Feature(
            name=_name,
            replaces=f"torch.optim.{_function}, default (for-loop) and foreach paths"
            + (", decoupled weight decay" if _name == "optim.adamw" else ""),
            since="2.13",
            counters=_counters,
            patch=_patch,
            verify=partial(_verify_optim.difference, _name, _patch, _counters),
            verify_at_length=partial(_verify_optim.differences, _name, _patch, _counters),
        )
    )

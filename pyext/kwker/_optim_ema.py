"""The feature optim.ema: averages of a model's parameters over training, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from torch import nn

from kwker import _C, _modules, _self_check, _verify_ema
from kwker._coverage import Covered, Named, cover
from kwker._own import is_own
from kwker._patch import Patch
from kwker._registry import Feature, register

_swa_utils = import_module("torch.optim.swa_utils")

# What update_parameters() looks up and the hook does not.
_ON_THE_WAY = (
    "get_swa_avg_fn",
    "_get_foreach_kernels_supported_devices",
    "_group_tensors_by_device_and_dtype",
)
_MAKERS = ("get_swa_avg_fn", "get_ema_avg_fn", "get_swa_multi_avg_fn", "get_ema_multi_avg_fn")


def _make_hook(original: Callable[..., None], calls: dict[str, Any]) -> Any:
    _modules.prepare()
    made = {name: calls[name]() for name in _MAKERS}
    _C.set_averaging(
        vars(_swa_utils),
        {name: calls[name] for name in _ON_THE_WAY},
        nn.Module.__getattr__,
        made["get_swa_avg_fn"].__code__,
        {name: function.__wrapped__.__code__ for name, function in made.items()},
    )
    return _C.averaging_hook(original)


def _averaged_model() -> type:
    found: type = _swa_utils.AveragedModel
    return found


_patch = Patch(
    _averaged_model,
    "update_parameters",
    tuple({*_ON_THE_WAY, *_MAKERS}),
    _make_hook,
    calls_in=_swa_utils,
)
register(
    Feature(
        name="optim.ema",
        replaces="torch.optim.swa_utils.AveragedModel.update_parameters, "
        "with torch's averaging functions",
        since="2.13",
        counters=_C.ema_counters,
        patch=_patch,
        checked_at="first call",
        obstacle=lambda: (
            _self_check.default_dtype_obstacle() or _self_check.module_hooks_obstacle()
        ),
        verify=partial(_verify_ema.difference, _patch, _C.ema_counters),
        verify_at_length=partial(_verify_ema.differences, _patch, _C.ema_counters),
    )
)


def _why_not(averaged: Any) -> str:
    functions = (averaged.avg_fn, averaged.multi_avg_fn)
    own = all(f is None or is_own(f, "torch") for f in functions)
    return "" if own else "an averaging function that is not torch's own"


cover(
    Covered(
        Named("torch.optim.swa_utils", "AveragedModel"),
        "optim.ema",
        "float32 and float64 parameters",
        _why_not,
        methods=("update_parameters",),
        method="update_parameters",
    )
)

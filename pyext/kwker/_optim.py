"""The features optim.adam, optim.adamw and optim.sgd: the loops of torch.optim in one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from kwker import _C, _verify_optim
from kwker._patch import Patch, is_torchs_own
from kwker._registry import Feature, register

# What torch's functions call on the way that a hook does not.
_ON_THE_WAY = ("_default_to_fused_or_foreach", "_to_scalar")


def _functions(module: ModuleType, *names: str) -> dict[str, object]:
    """What must stand in the module for its hook to serve: torch's own."""
    functions = {name: getattr(module, name) for name in (*names, *_ON_THE_WAY)}
    # None stands nowhere: whoever has replaced one keeps his own way.
    return {name: f if is_torchs_own(f) else None for name, f in functions.items()}


def _adam_hook(original: Callable[..., Any]) -> Any:
    _C.set_adam_loop(vars(_adam), _functions(_adam, "_single_tensor_adam", "_get_value"))
    return _C.adam_hook(original)


def _sgd_hook(original: Callable[..., Any]) -> Any:
    _C.set_sgd_loop(vars(_sgd), _functions(_sgd, "_single_tensor_sgd"))
    return _C.sgd_hook(original)


# By name, as torch.optim has no attributes for them.
_adam = import_module("torch.optim.adam")
_sgd = import_module("torch.optim.sgd")
_adam_patch = Patch(_adam, "adam", _adam_hook)
_sgd_patch = Patch(_sgd, "sgd", _sgd_hook)

for _name, _function, _counters, _patch in (
    ("optim.adam", "adam.adam", _C.adam_counters, _adam_patch),
    ("optim.adamw", "adam.adam", _C.adamw_counters, _adam_patch),
    ("optim.sgd", "sgd.sgd", _C.sgd_counters, _sgd_patch),
):
    register(
        Feature(
            name=_name,
            replaces=f"torch.optim.{_function}, default (for-loop) path"
            + (", decoupled weight decay" if _name == "optim.adamw" else ""),
            since="2.13",
            counters=_counters,
            patch=_patch,
            verify=partial(_verify_optim.difference, _name, _patch, _counters),
        )
    )

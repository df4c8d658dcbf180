"""The features optim.adam, optim.sgd and so on: the loops of torch.optim in one pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch.optim import Optimizer

from kwker import _C, _verify_optim, _verify_optim_more
from kwker._optim_more_calls import KINDS
from kwker._patch import Patch
from kwker._registry import Feature, register


def _make_patch(name: str, cls: type[Optimizer], calls: Sequence[str]) -> Patch:
    """The functional form's, and with it that of what step() collects its arguments with.

    Args:
        name: of the functional form and its module, torch.optim.NAME.NAME.
        calls: the module's functions that it calls on its default path.
    """
    # By name, as torch.optim has no attributes for them.
    module = import_module(f"torch.optim.{name}")
    entry = _C.optimizers[name]

    def make_hook(original: Callable[..., Any], functions: dict[str, Any]) -> Any:
        entry.set_loop(vars(module), functions)
        return entry.hook(original)

    def make_group_hook(original: Callable[..., Any], functions: dict[str, Any]) -> Any:
        entry.set_step(inspect.unwrap(functions["step"]).__code__, patch.hook)
        return entry.group_hook(original)

    def optimizer() -> type:
        found: type = getattr(torch.optim, cls.__name__)
        return found

    group = Patch(optimizer, "_init_group", ("step",), make_group_hook)
    patch = Patch(module, name, calls, make_hook, also=[group])
    return patch


_ON_THE_WAY = ("_default_to_fused_or_foreach", "_to_scalar")
_ADAM_CALLS = ("_single_tensor_adam", "_multi_tensor_adam", "_get_value", *_ON_THE_WAY)
_SGD_CALLS = ("_single_tensor_sgd", "_multi_tensor_sgd", *_ON_THE_WAY)
_adam_patch = _make_patch("adam", torch.optim.Adam, _ADAM_CALLS)
_sgd_patch = _make_patch("sgd", torch.optim.SGD, _SGD_CALLS)

for _name, _function, _patch in (
    ("optim.adam", "adam", _adam_patch),
    ("optim.adamw", "adam", _adam_patch),
    ("optim.sgd", "sgd", _sgd_patch),
):
    _counters = _C.optimizers[_function].counters[_name]
    register(
        Feature(
            name=_name,
            replaces=f"torch.optim.{_function}.{_function}, default (for-loop) and foreach paths"
            + (", decoupled weight decay" if _name == "optim.adamw" else ""),
            since="2.13",
            counters=_counters,
            patch=_patch,
            verify=partial(_verify_optim.difference, _name, _patch, _counters),
            verify_at_length=partial(_verify_optim.differences, _name, _patch, _counters),
        )
    )

for _kind in KINDS:
    _counters = _C.optimizers[_kind.name].counters[f"optim.{_kind.name}"]
    _patch = _make_patch(_kind.name, _kind.cls, _kind.calls)
    register(
        Feature(
            name=f"optim.{_kind.name}",
            replaces=f"torch.optim.{_kind.name}.{_kind.name}, default (for-loop) "
            + ("and foreach paths" if _kind.foreach_is_equal else "path"),
            since="2.13",
            counters=_counters,
            patch=_patch,
            checked_at="first call",
            verify=partial(_verify_optim_more.difference, _kind, _patch, _counters),
            verify_at_length=partial(_verify_optim_more.differences, _kind, _patch, _counters),
        )
    )

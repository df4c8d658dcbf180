"""The features optim.rmsprop and so on: the loops of torch's other optimizers in one pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from kwker import _C, _verify_optim_more
from kwker._optim_more_calls import KINDS, Kind
from kwker._patch import Patch
from kwker._registry import Feature, register


def _make_patch(kind: Kind) -> Patch:
    """The functional form's, and with it that of what step() collects its arguments with."""
    entry = _C.more_optimizers[kind.name]

    def make_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
        entry.set_loop(vars(kind.module), calls)
        return entry.hook(original)

    def make_group_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
        entry.set_step(inspect.unwrap(calls["step"]).__code__, patch.hook)
        return entry.group_hook(original)

    group = Patch(kind.cls, "_init_group", ("step",), make_group_hook)
    patch = Patch(kind.module, kind.name, kind.calls, make_hook, also=[group])
    return patch


for _kind in KINDS:
    _counters = _C.more_optimizers[_kind.name].counters
    _patch = _make_patch(_kind)
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

"""The features optim.rmsprop and so on: the loops of torch's other optimizers in one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from kwker import _C, _verify_optim_more
from kwker._optim_more_calls import KINDS, Kind
from kwker._patch import Patch
from kwker._registry import Feature, register


def _make_hook(kind: Kind, original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    entry = _C.more_optimizers[kind.name]
    entry.set_loop(vars(kind.module), calls)
    return entry.hook(original)


for _kind in KINDS:
    _counters = _C.more_optimizers[_kind.name].counters
    _patch = Patch(_kind.module, _kind.name, _kind.calls, partial(_make_hook, _kind))
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

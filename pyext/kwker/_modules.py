"""Tells the extension how nn.Module lists parameters, so that it can do so without Python."""

from __future__ import annotations

from torch import nn

from kwker import _C
from kwker._own import is_own

# What lists them, or is called on the way.
_METHODS = (
    "_named_members",
    "buffers",
    "named_buffers",
    "named_modules",
    "named_parameters",
    "parameters",
)


def prepare() -> None:
    """Does it; where somebody has replaced one of the methods, modules are left to torch."""
    methods = {name: getattr(nn.Module, name) for name in _METHODS}
    _C.set_module_methods(methods if all(is_own(m, "torch") for m in methods.values()) else {})

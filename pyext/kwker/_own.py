"""Telling a library's own functions from what somebody has put in their places."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def is_own(function: object, library: str) -> bool:
    """Whether it is a function of the library's, and not what somebody has put in its place.

    Functions that the library itself has decorated count; those that a program has compiled with
    torch.compile do not, though torch has made them.
    """
    layers = _layers(function)
    if layers is None:
        return False
    modules = [str(layer.__globals__.get("__name__", "")) for layer in layers]
    return all(
        (m == library or m.startswith(library + ".")) and not m.startswith("torch._dynamo")
        for m in modules
    )


def is_same_code(function: object, known: object) -> bool:
    """Whether it is the known function as importlib.reload() makes it: a new object, alike."""
    ours, theirs = _layers(function), _layers(known)
    if ours is None or theirs is None:
        return False
    return [(f.__module__, f.__code__) for f in ours] == [
        (f.__module__, f.__code__) for f in theirs
    ]


def _layers(function: object) -> list[FunctionType] | None:
    """The function and those it is wrapped around; None where one is not written in Python."""
    layers: list[FunctionType] = []
    layer: Any = function
    while layer is not None:
        if type(layer) is not FunctionType or layer in layers:
            return None
        layers.append(layer)
        layer = getattr(layer, "__wrapped__", None)
    return layers

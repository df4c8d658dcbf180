"""Sending functions to worker processes that the program has imported before install().

pickle sends a function by its name, and refuses where another object has that name by now, as a
hook has. So a Dataset that holds torchvision's to_tensor could not be sent to workers by spawn.
While features are on, the pickler of multiprocessing sends such a function as what its name
stands for.
"""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from pkgutil import resolve_name
from types import FunctionType
from typing import Any

from kwker._shared import behind

_NAME = "reducer_override"


def _reduce(self: object, thing: Any) -> Any:
    """ForkingPickler.reducer_override: see `pickle`."""
    if type(thing) is not FunctionType:
        return NotImplemented
    name = f"{thing.__module__}:{thing.__qualname__}"
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        return NotImplemented  # pickle says what is wrong with it
    is_hooked = found is not thing and behind(found) is thing
    return (resolve_name, (name,)) if is_hooked else NotImplemented


def follow() -> None:
    """Has it so, unless the program has a way of its own."""
    if not hasattr(ForkingPickler, _NAME):
        setattr(ForkingPickler, _NAME, _reduce)


def leave() -> None:
    """Back to how it was."""
    if vars(ForkingPickler).get(_NAME) is _reduce:
        delattr(ForkingPickler, _NAME)

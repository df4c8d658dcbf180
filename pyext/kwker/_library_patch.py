"""Replacing functions of a library that a program imports when it likes, and putting them back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import torch

from kwker import _import_hook


@dataclass
class Place:
    """Where a function is kept: in a dict, or as an attribute of a module or class."""

    holder: Any  # a dict, or what has the attribute
    key: Any
    name: str  # for people
    make_hook: Callable[[Any], Any]  # gets the function

    original: Any = field(default=None, init=False)  # until the patch is prepared
    hook: Any = field(default=None, init=False)

    @property
    def current(self) -> Any:
        """What stands there now; None for nothing."""
        if isinstance(self.holder, dict):
            return self.holder.get(self.key)
        return vars(self.holder).get(self.key)

    def put(self, function: Any) -> None:
        """Puts a function there."""
        if isinstance(self.holder, dict):
            self.holder[self.key] = function
        else:
            setattr(self.holder, self.key, function)


class LibraryPatch:
    """Functions of one library and the hooks that stand in their places.

    Both are kept for the life of the process. A function that somebody else has replaced is left
    alone; the others are replaced all the same.

    Args:
        library: the package's name, which the functions' modules begin with.
        find_places: called once, when the library has been imported.
    """

    def __init__(self, library: str, find_places: Callable[[], Sequence[Place]]) -> None:
        self._library = library
        self._find_places = find_places
        self._places: list[Place] | None = None
        self._put_in: list[Place] = []
        self._shown_to_dynamo = False

    @property
    def places(self) -> list[Place]:
        """The functions that have a hook; none before prepare()."""
        return self._places or []

    def prepare(self) -> bool:
        """Makes the hooks if need be. False where no function is the library's own."""
        if self._places is None:
            self._places = []
            for place in self._find_places():
                function = place.current
                if _is_own(function, self._library):
                    place.original, place.hook = function, place.make_hook(function)
                    self._places.append(place)
        return bool(self._places)

    def stands_for(self, function: object) -> bool:
        """Whether this is one of the functions or hooks."""
        return any(function is f for p in self.places for f in (p.original, p.hook))

    def apply(self) -> bool:
        """Puts the hooks in. False where nothing is the library's own any more."""
        for place in self.places:
            if place.current is place.original:
                place.put(place.hook)
        self._put_in = [place for place in self.places if place.current is place.hook]
        if self._put_in and not self._shown_to_dynamo:
            _import_hook.when_imported("torch._dynamo", self._show_originals_to_dynamo)
        return bool(self._put_in)

    def undo(self, stacklevel: int) -> None:
        """Puts the originals back where the hooks still stand.

        Args:
            stacklevel: of the user's call above this one, for the warning in the other case.
        """
        _import_hook.cancel("torch._dynamo", self._show_originals_to_dynamo)
        for place in self._put_in:
            if place.current is place.hook:
                place.put(place.original)
            else:
                warnings.warn(
                    f"{place.name} was replaced after kwker's install(); it stays as it is, and "
                    "what it calls of kwker's runs the library's own code from now on",
                    RuntimeWarning,
                    stacklevel=stacklevel + 1,
                )
        self._put_in = []

    def _show_originals_to_dynamo(self, _: ModuleType) -> None:
        """torch.compile traces the library's own functions where it meets the hooks."""
        if self._shown_to_dynamo:
            return
        self._shown_to_dynamo = True
        for place in self.places:
            function: FunctionType = place.original
            # A copy, as the registration may leave attributes on what it is given.
            copy = FunctionType(
                function.__code__,
                function.__globals__,
                function.__name__,
                function.__defaults__,
                function.__closure__,
            )
            copy.__kwdefaults__ = function.__kwdefaults__
            torch.compiler.substitute_in_graph(place.hook, skip_signature_check=True)(copy)


def _is_own(function: object, library: str) -> bool:
    if type(function) is not FunctionType:
        return False
    module = str(function.__globals__.get("__name__", ""))
    return module == library or module.startswith(library + ".")

"""Replacing functions of a library that a program imports when it likes, and putting them back."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from kwker import _import_hook
from kwker._own import is_own, is_same_code
from kwker._patch import show_to_dynamo
from kwker._shared import behind, remember

log = logging.getLogger("kwker")


@dataclass
class Place:
    """Where a function is kept: in a dict, or as an attribute of a module or class."""

    holder: Any  # a dict, or what has the attribute
    key: Any
    name: str  # for people
    make_hook: Callable[[Any], Any]  # gets the function

    original: Any = field(default=None, init=False)  # None: somebody else has taken the place
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

    def take_out(self) -> None:
        """Puts back what a hook stands for, if one stands there."""
        current = self.current
        function = self.original if current is self.hook else behind(current)
        if function is not current:
            self.put(function)


class LibraryPatch:
    """Functions of one library and the hooks that stand in their places.

    Both are kept: the same hooks are used again by a later install. Only where the program has
    reloaded a module of the library are hooks made anew. A function that somebody else has
    replaced is left alone; the others are replaced all the same.

    Args:
        library: the package's name, which the functions' modules begin with.
        find_places: finds where the functions are kept, once the library has been imported.
    """

    def __init__(self, library: str, find_places: Callable[[], Sequence[Place]]) -> None:
        self._library = library
        self._find_places = find_places
        self._found: list[Place] = []
        self._put_in: list[Place] = []
        self._complaint = ""

    @property
    def places(self) -> list[Place]:
        """The functions that have a hook; none before prepare()."""
        return [place for place in self._found if place.hook is not None]

    @property
    def all_places(self) -> list[Place]:
        """Those that others have taken, too."""
        return self._found

    def prepare(self) -> bool:
        """Makes the hooks if need be. False where no function is the library's own."""
        try:
            found = self._find_places()
        except Exception as error:  # another release: the program goes on with its code
            if str(error) != self._complaint:
                self._complaint = str(error)
                log.warning("nothing of %s's is replaced: %s", self._library, error)
            return False
        known = {(id(place.holder), place.key): place for place in self._found}
        if not self._adopt(found, known):
            return bool(self.places)
        # One that has changed changes what the others stand for.
        _import_hook.cancel("torch._dynamo", self._show_originals_to_dynamo)
        for place in known.values():
            place.take_out()
        self._put_in = []
        self._found = list(found)
        for place in found:
            if place.original is not None:
                place.hook = place.make_hook(place.original)
                remember(place.hook, place.original)
        return bool(self.places)

    def _adopt(self, found: Sequence[Place], known: dict[tuple[int, Any], Place]) -> bool:
        """Finds the places' originals; whether any is another one than is known."""
        changed = not known
        for place in found:
            function = behind(place.current)
            before = known.get((id(place.holder), place.key))
            original = before.original if before is not None else None
            if before is not None and place.current is before.hook:
                function = original
            if original is None:
                suits = is_own(function, self._library)
            else:
                suits = is_same_code(function, original)
            place.original = function if suits else original
            changed = changed or place.original is not original
        return changed

    def stands_for(self, function: object) -> bool:
        """Whether this is one of the functions or hooks."""
        return any(function is f for p in self.places for f in (p.original, p.hook))

    def covered(self) -> str:
        """The first place where a hook was put in and another function stands now; else ""."""
        taken = (p.name for p in self._put_in if behind(p.current) is p.current)
        return next(taken, "")

    def apply(self) -> bool:
        """Puts the hooks in. False where nothing is the library's own any more."""
        for place in self.places:
            if behind(place.current) is place.original and place.current is not place.hook:
                place.put(place.hook)
        self._put_in = [place for place in self.places if place.current is place.hook]
        if self._put_in:
            _import_hook.when_imported("torch._dynamo", self._show_originals_to_dynamo)
        return bool(self._put_in)

    def undo(self, stacklevel: int) -> None:
        """Puts the originals back where a hook stands.

        Args:
            stacklevel: of the user's call above this one, for the warning in the other case.
        """
        _import_hook.cancel("torch._dynamo", self._show_originals_to_dynamo)
        for place in self.places:
            place.take_out()
        put_in, self._put_in = self._put_in, []
        for place in put_in:
            if not is_same_code(place.current, place.original):
                warnings.warn(
                    f"{place.name} was replaced after kwker's install(); it stays as it is, and "
                    "what it calls of kwker's runs the library's own code from now on",
                    RuntimeWarning,
                    stacklevel=stacklevel + 1,
                )

    def _show_originals_to_dynamo(self, _: ModuleType) -> None:
        """torch.compile traces the library's own functions where it meets the hooks."""
        for place in self.places:
            show_to_dynamo(place.hook, place.original)

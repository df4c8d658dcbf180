"""The optimizers a script makes, wherever it keeps them, without keeping any alive.

Held is an optimizer's `__dict__` and a weak reference: when the last of the script's own references
goes, what the optimizer leaves is digested and let go of, so memory stays what it would be. Where
it is the garbage collector that finds it dead, that can be sooner or later in the next run, and
the parameters may have gone on to change: then only the optimizer's own state counts.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kwker._record_digest import Output
from kwker._record_walk import Walk


class Optimizers:
    """All optimizers in the order in which they were made."""

    def __init__(
        self,
        measured: Callable[[Callable[[], None]], None],  # runs a function at the recorder's expense
        digested: Callable[[Iterable[tuple[str, Any]]], Iterator[Output]],  # of names and values
    ) -> None:
        self._measured = measured
        self._digested = digested
        self._count = 0
        self._alive: dict[int, tuple[weakref.ref[object], dict[str, object], int]] = {}
        self._left: dict[int, list[Output]] = {}
        self._collecting = False
        gc.callbacks.append(self._on_collection)

    def _on_collection(self, phase: str, _: dict[str, int]) -> None:
        self._collecting = phase == "start"

    def add(self, optimizer: object) -> None:
        """Also called again for the same one, by load_state_dict() for instance."""
        known = self._alive.get(id(optimizer))
        if known is not None and known[0]() is optimizer:
            return
        key, index = id(optimizer), self._count
        self._count += 1

        def ends(_: weakref.ref[object]) -> None:
            self._measured(lambda: self._take_leave(key, index))

        attributes = object.__getattribute__(optimizer, "__dict__")
        self._alive[key] = (weakref.ref(optimizer, ends), attributes, index)

    def outputs(self, walk: Walk) -> Iterator[Output]:
        """Those of dead optimizers, then what `walk` has not met yet of those alive."""
        if any(not walk.has_met(reference()) for reference, _, _ in self._alive.values()):
            # Held by something the walk cannot see, or garbage: so that what is garbage is so in
            # each run. Not always, as looking at all of torch's objects takes a while.
            self._measured = lambda action: action()
            gc.collect()
        if self._on_collection in gc.callbacks:
            gc.callbacks.remove(self._on_collection)
        alive = sorted(self._alive.values(), key=lambda entry: entry[2])
        self._alive = {}  # nothing is left to be digested at their end
        for index in sorted(self._left):
            yield from self._left[index]
        for _, attributes, index in alive:
            yield from self._digested(walk.optimizer_leaves(f"optimizer[{index}]", attributes))

    def _take_leave(self, key: int, index: int) -> None:
        known = self._alive.get(key)
        if known is None or known[2] != index:
            return
        del self._alive[key]
        attributes = known[1]
        name = f"optimizer[{index}]"
        counts = f"{name}.state[" if self._collecting else name
        self._left[index] = list(
            self._digested(
                leaf
                for leaf in Walk().optimizer_leaves(name, attributes)
                if leaf[0].startswith(counts)
            )
        )

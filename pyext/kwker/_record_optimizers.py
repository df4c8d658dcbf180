"""The optimizers a script makes, wherever it keeps them, without keeping any alive.

Held are a weak reference to an optimizer and its parameters and state: when the last of the
script's own references goes, what the optimizer leaves is digested and let go of, so memory stays
what it would be.

Where it is the garbage collector that finds an optimizer dead, that can be sooner or later in the
next run. Parameters that only it held have their last values by then. Those that live on count
with the values that they have at the end of the script, or else when the last optimizer of theirs
has ended, so that it matters as little as can be when the collector comes by.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kwker._record_digest import Output
from kwker._record_walk import Walk


class _Entry:
    """An optimizer that is alive."""

    __slots__ = ("attributes", "index", "reference")

    def __init__(
        self, reference: weakref.ref[object], attributes: dict[str, Any], index: int
    ) -> None:
        self.reference = reference
        self.attributes = attributes
        self.index = index


class _Survivor:
    """A parameter that has outlived optimizers, and the outputs that are to show its last value."""

    __slots__ = ("places", "reference")

    def __init__(self, reference: weakref.ref[Any]) -> None:
        self.reference = reference
        self.places: list[tuple[list[Output], int]] = []

    def update(self, output: Output) -> None:
        for outputs, position in self.places:
            outputs[position] = output._replace(name=outputs[position].name)


class Optimizers:
    """All optimizers in the order in which they were made."""

    def __init__(
        self,
        measured: Callable[[Callable[[], None]], None],  # runs a function at the recorder's expense
        digested: Callable[[Iterable[tuple[str, Any]]], Iterator[Output]],  # of names and values
        incomplete: Callable[[str], None],  # takes a reason why something was not compared
    ) -> None:
        self._measured = measured
        self._digested = digested
        self._incomplete = incomplete
        self._count = 0
        self._alive: dict[int, _Entry] = {}
        self._unsettled: list[_Entry] = []
        self._left: dict[int, list[Output]] = {}
        self._survivors: dict[int, _Survivor] = {}
        self._collecting = False
        gc.callbacks.append(self._on_collection)

    def add(self, optimizer: object) -> None:
        """Also called again for the same one, by load_state_dict() for instance."""
        self.settle()
        attributes = object.__getattribute__(optimizer, "__dict__")
        known = self._alive.get(id(optimizer))
        if known is not None and known.reference() is optimizer:
            known.attributes = attributes
            self._unsettled.append(known)
            return
        key, index = id(optimizer), self._count
        self._count += 1

        def ends(_: weakref.ref[object]) -> None:
            self._measured(lambda: self._take_leave(key, index))

        entry = _Entry(weakref.ref(optimizer, ends), attributes, index)
        self._alive[key] = entry
        self._unsettled.append(entry)

    def settle(self) -> None:
        """To be called now and then: lets go of all attributes but parameters and state.

        Others may lead back to the optimizer, which would then never end: a scheduler puts a
        bound `step` there. While an optimizer is being made it has no parameters yet.
        """
        if not self._unsettled:
            return
        for entry in self._unsettled:
            if "param_groups" in entry.attributes:
                entry.attributes = _parts(entry.attributes)
        self._unsettled = [e for e in self._unsettled if "param_groups" not in e.attributes]

    def outputs(self, walk: Walk) -> Iterator[Output]:
        """Those of dead optimizers, then what `walk` has not met yet of those alive."""
        if any(not walk.has_met(entry.reference()) for entry in self._alive.values()):
            # Held by something the walk cannot see, or garbage: so that what is garbage is so in
            # each run. Not always, as looking at all of torch's objects takes a while.
            self._measured = self._at_the_end
            self.settle()
            gc.collect()
        if self._on_collection in gc.callbacks:
            gc.callbacks.remove(self._on_collection)
        alive = sorted(self._alive.values(), key=lambda entry: entry.index)
        self._alive = {}  # nothing is left to be digested at their end
        for survivor in self._survivors.values():
            parameter = survivor.reference()
            if parameter is not None:
                for output in self._digested([("", parameter)]):
                    survivor.update(output)
        for index in sorted(self._left):
            yield from self._left[index]
        for entry in alive:
            optimizer = entry.reference()
            attributes = (
                entry.attributes
                if optimizer is None
                else object.__getattribute__(optimizer, "__dict__")
            )
            yield from self._digested(
                walk.optimizer_leaves(f"optimizer[{entry.index}]", attributes)
            )

    def _at_the_end(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:
            self._incomplete(f"the recorder failed ({type(error).__name__})")

    def _on_collection(self, phase: str, _: dict[str, int]) -> None:
        self._collecting = phase == "start"
        if phase == "stop" and self._survivors:
            # What has died in this collection has had its last value.
            self._survivors = {
                key: survivor
                for key, survivor in self._survivors.items()
                if survivor.reference() is not None
            }

    def _take_leave(self, key: int, index: int) -> None:
        entry = self._alive.get(key)
        if entry is None or entry.index != index:
            return
        del self._alive[key]
        self._unsettled = [other for other in self._unsettled if other is not entry]
        name = f"optimizer[{index}]"
        outputs = self._left[index] = []
        walk = Walk(self._incomplete, of=name)
        for at, value in walk.optimizer_leaves(name, _parts(entry.attributes)):
            for output in self._digested([(at, value)]):
                outputs.append(output)
                survivor = self._survivors.get(id(value))
                if survivor is not None and survivor.reference() is not value:
                    survivor = None  # of another, dead by now
                if survivor is not None:
                    survivor.update(output)
                elif self._collecting and at.startswith(f"{name}.param_groups["):
                    survivor = self._survivors[id(value)] = _Survivor(weakref.ref(value))
                if self._collecting and survivor is not None:
                    survivor.places.append((outputs, len(outputs) - 1))


def _parts(attributes: dict[str, Any]) -> dict[str, Any]:
    return {key: attributes[key] for key in ("param_groups", "state") if key in attributes}

"""Collects the outputs of one run of an audit: what a script computed, digested, under names."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kwker._record_classes import NUMBERS, SCALARS
from kwker._record_digest import Output, combined, of_leaf, of_scalar, of_tensor
from kwker._record_hooks import observe_torch
from kwker._record_optimizers import Optimizers
from kwker._record_trail import Trail
from kwker._record_walk import Walk, globals_of

if TYPE_CHECKING:
    from kwker._record_keep import Keeper

# More outputs than this are digested as one, so that the report stays readable.
MAX_OUTPUTS = 20_000

# More reasons of one run than these help nobody.
MAX_REASONS = 20

_SCALARS = (bool, int, float, complex, str, bytes)
_NONE: frozenset[str] = frozenset()


class Recorder:
    """The outputs of this process; in processes forked from it, it does nothing.

    `incomplete` says in words why something that counts as an output could not be compared: then
    nobody can say that two runs were equal.

    The time that it takes while the script runs is in `overhead_wall_s` and `overhead_cpu_s`.
    """

    def __init__(self, keeper: Keeper | None = None) -> None:
        self.overhead_wall_s = 0.0
        self.overhead_cpu_s = 0.0
        self.incomplete: list[str] = []
        self._keeper = keeper
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._finished = False
        self._depth = 0  # an optimizer can end while something else is being recorded
        self._backward = Trail("backward")
        self._saved = Trail("saved")
        self._named: dict[str, Trail] = {}
        self._optimizers = Optimizers(self._measured, self._digested, self._is_incomplete)

    def watch(self, torch: ModuleType) -> None:
        """To be called once torch is imported."""
        self._measured(
            lambda: observe_torch(
                torch,
                backward=self._on_backward,
                save=self._on_save,
                optimizer=self._on_optimizer,
            )
        )

    def record(self, name: str, value: object) -> None:
        """One value that the script itself names; see `kwker.audit.record`."""
        self._measured(lambda: self._record(name, value))

    def finish(self, main_globals: dict[str, object]) -> list[Output]:
        """All outputs, in an order that repeats from run to run. Nothing is recorded after it."""
        with self._lock:
            self._finished = True
        walk = Walk(self._is_incomplete, of="the script's globals", gradients=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _limited(self._all_outputs(walk, main_globals))

    def _all_outputs(self, walk: Walk, main_globals: dict[str, object]) -> Iterator[Output]:
        # The trails first, as a difference shows there first.
        for trail in (self._backward, *self._named.values(), self._saved):
            yield from trail.outputs()
        for name, root in globals_of(main_globals):
            yield from self._digested(walk.leaves(name, root))
        walk.refresh(of="the script's optimizers")
        yield from self._optimizers.outputs(walk)

    def _digested(self, leaves: Iterable[tuple[str, Any]]) -> Iterator[Output]:
        for name, value in leaves:
            try:
                yield self._kept(name, value, of_leaf)
            except Exception as error:  # of a kind for which there is no rule
                self._is_incomplete(f"{name} could not be compared ({type(error).__name__})")

    def _kept(self, name: str, value: Any, rule: Callable[[str, Any], Output]) -> Output:
        if self._keeper is not None:
            try:
                self._keeper.look(name, value)
            except Exception:  # then nobody can say how far apart the values are
                self._keeper = None
        return rule(name, value)

    def _on_backward(self, _: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        roots = args[0] if args else kwargs.get("tensors")
        self._measured(lambda: self._append_root(roots))

    def _on_save(self, _: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        saved = args[0] if args else kwargs.get("obj")
        self._measured(lambda: self._append(self._saved, saved, NUMBERS))

    def _on_optimizer(self, _: object, args: tuple[Any, ...], __: dict[str, Any]) -> None:
        self._measured(lambda: self._optimizers.add(args[0]))

    def _record(self, name: str, value: object) -> None:
        trail = self._named.setdefault(name, Trail(name))
        at = trail.next_name()
        if not self._append(trail, value, SCALARS):
            kind = vars(type)["__name__"].__get__(type(value))
            self._is_incomplete(
                f"{at}, recorded by the script, has nothing to compare in it ({kind})"
            )

    def _append_root(self, roots: object) -> None:
        self._optimizers.settle()
        self._append(self._backward, roots, _NONE)

    def _append(self, trail: Trail, value: object, scalars: frozenset[str]) -> bool:
        """Adds what is found in the value to the trail; False: nothing is."""
        name = trail.next_name()
        if _is_plain_tensor(value):  # nearly always: a loss. Nothing else hangs on it.
            outputs = [self._kept(name, value, of_tensor)]
        elif type(value) in _SCALARS and scalars is SCALARS:
            outputs = [self._kept(name, value, of_scalar)]
        else:
            walk = Walk(self._is_incomplete, of=name, scalars=scalars)
            outputs = _limited(self._digested(walk.leaves(name, value)))
        trail.append(outputs)
        return bool(outputs)

    def _measured(self, action: Callable[[], object]) -> None:
        if os.getpid() != self._pid:
            return
        wall, cpu = time.perf_counter(), time.thread_time()
        with self._lock:
            self._depth += 1
            try:
                if not self._finished:
                    action()
            except Exception as error:
                self._is_incomplete(f"the recorder failed ({type(error).__name__})")
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.overhead_wall_s += time.perf_counter() - wall
                    self.overhead_cpu_s += time.thread_time() - cpu

    def _is_incomplete(self, reason: str) -> None:
        if reason not in self.incomplete and len(self.incomplete) < MAX_REASONS:
            self.incomplete.append(reason)


def _is_plain_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and type(value) is torch.Tensor and not vars(value)


def _limited(outputs: Iterator[Output]) -> list[Output]:
    listed = list(islice(outputs, MAX_OUTPUTS))
    rest = list(outputs)
    if rest:
        listed.append(combined(f"{len(rest)} further outputs", rest))
    return listed

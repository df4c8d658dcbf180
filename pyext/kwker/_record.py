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
from typing import Any

from kwker._record_digest import Output, combined, of_array, of_scalar, of_tensor
from kwker._record_hooks import observe_torch
from kwker._record_optimizers import Optimizers
from kwker._record_trail import Trail
from kwker._record_walk import Walk, globals_of

# More outputs than this are digested as one, so that the report stays readable.
MAX_OUTPUTS = 20_000

_SCALARS = (bool, int, float, complex, str, bytes)


class Recorder:
    """The outputs of this process; in processes forked from it, it does nothing.

    The time that it takes while the script runs is in `overhead_wall_s` and `overhead_cpu_s`.
    """

    def __init__(self) -> None:
        self.overhead_wall_s = 0.0
        self.overhead_cpu_s = 0.0
        self.warnings: list[str] = []
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._finished = False
        self._depth = 0  # an optimizer can end while something else is being recorded
        self._backward = Trail("backward")
        self._saved = Trail("saved")
        self._named: dict[str, Trail] = {}
        self._optimizers = Optimizers(self._measured, self._digested)

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
        self._measured(lambda: self._append(self._named.setdefault(name, Trail(name)), value))

    def finish(self, main_globals: dict[str, object]) -> list[Output]:
        """All outputs, in an order that repeats from run to run. Nothing is recorded after it."""
        with self._lock:
            self._finished = True
        walk = Walk()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = _limited(self._all_outputs(walk, main_globals))
        if not walk.complete:
            self._warn("the script's globals hold too many objects to look at all of them")
        return outputs

    def _all_outputs(self, walk: Walk, main_globals: dict[str, object]) -> Iterator[Output]:
        # The trails first, as a difference shows there first.
        for trail in (self._backward, *self._named.values(), self._saved):
            yield from trail.outputs()
        for name, root in globals_of(main_globals):
            yield from self._digested(walk.leaves(name, root))
        yield from self._optimizers.outputs(walk)

    def _digested(self, leaves: Iterable[tuple[str, Any]]) -> Iterator[Output]:
        for name, value in leaves:
            try:
                yield _of_leaf(name, value)
            except Exception as error:  # of a kind for which there is no rule
                self._warn(f"{name} could not be compared ({type(error).__name__})")

    def _on_backward(self, _: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        roots = args[0] if args else kwargs.get("tensors")
        self._measured(lambda: self._append(self._backward, roots))

    def _on_save(self, _: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        saved = args[0] if args else kwargs.get("obj")
        self._measured(lambda: self._append(self._saved, saved))

    def _on_optimizer(self, _: object, args: tuple[Any, ...], __: dict[str, Any]) -> None:
        self._measured(lambda: self._optimizers.add(args[0]))

    def _append(self, trail: Trail, value: object) -> None:
        name = trail.next_name()
        if type(value) in _SCALARS:
            trail.append([of_scalar(name, value)])  # type: ignore[arg-type]
        elif _is_plain_tensor(value):  # nearly always: a loss. Nothing else hangs on it.
            trail.append([of_tensor(name, value)])  # type: ignore[arg-type]
        else:
            trail.append(list(self._digested(Walk().leaves(name, value))))

    def _measured(self, action: Callable[[], None]) -> None:
        if os.getpid() != self._pid:
            return
        wall, cpu = time.perf_counter(), time.thread_time()
        with self._lock:
            self._depth += 1
            try:
                if not self._finished:
                    action()
            except Exception as error:
                self._warn(f"the recorder failed ({type(error).__name__})")
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.overhead_wall_s += time.perf_counter() - wall
                    self.overhead_cpu_s += time.thread_time() - cpu

    def _warn(self, text: str) -> None:
        if text not in self.warnings and len(self.warnings) < 20:
            self.warnings.append(text)


def _is_plain_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and type(value) is torch.Tensor and not vars(value)


def _of_leaf(name: str, value: Any) -> Output:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return of_array(name, value)
    return of_tensor(name, value)


def _limited(outputs: Iterator[Output]) -> list[Output]:
    listed = list(islice(outputs, MAX_OUTPUTS))
    rest = list(outputs)
    if rest:
        listed.append(combined(f"{len(rest)} further outputs", rest))
    return listed

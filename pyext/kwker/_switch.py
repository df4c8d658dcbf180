"""Brings features, their patches and the environment of workers to a chosen state."""

from __future__ import annotations

import logging
import os
import threading
import time
import warnings
from collections.abc import Iterable, Sequence
from types import ModuleType

import torch

from kwker import _C, _environment, _import_hook, _pickling
from kwker._registry import FEATURES, Feature
from kwker._shared import shared

log = logging.getLogger("kwker")
_environment.set_up_logging()

# Held by whatever reads the state in order to change it. One for all copies of this package, as
# a program may take it out of sys.modules and import it anew.
if "lock" not in shared:
    shared["lock"] = threading.RLock()

    def _before_fork() -> None:
        shared["lock"].acquire()
        shared.get("before_fork", lambda: None)()

    # So that a child is not forked while another thread holds it.
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=shared["lock"].release,
        after_in_child=shared["lock"].release,
    )
lock: threading.RLock = shared["lock"]


class Claim:
    """A choice of features that holds until it is released, or until a newer one does."""

    def __init__(
        self, features: Iterable[Feature], left_out: Iterable[Feature] = (), verify: bool = True
    ) -> None:
        self.thread = threading.get_ident()  # whose block it is
        self.choose(features, left_out, verify)

    def choose(
        self, features: Iterable[Feature], left_out: Iterable[Feature], verify: bool
    ) -> None:
        """Makes another choice."""
        self.features = list(features)
        self.left_out = list(left_out)  # by name
        # Names of those not to be compared with torch, be it now or when they are first used.
        self.unverified = set() if verify else {f.name for f in self.features}

    def add(self, features: Iterable[Feature]) -> None:
        """Has these in, too, and compared with torch."""
        for feature in features:
            if feature not in self.features:
                self.features.append(feature)
            self.unverified.discard(feature.name)
        self.left_out = [f for f in self.left_out if f not in features]

    def leave_out(self, features: Sequence[Feature]) -> None:
        """Has these out, by name."""
        self.features = [f for f in self.features if f not in features]
        self.left_out += [f for f in features if f not in self.left_out]


# The first is install()'s and never released; each `installed()` block adds one. Blocks may end
# in any order, as those of two threads do: the newest that is left holds.
_claims: list[Claim] = [Claim([])]

# Libraries whose import is waited for.
_awaited: set[str] = set()


def on() -> list[Feature]:
    """The features that are on, in the registry's order."""
    return [f for f in FEATURES.values() if f.counters.enabled]


def switch(
    wanted: Sequence[Feature], left_out: Sequence[Feature], *, verify: bool, stacklevel: int
) -> None:
    """Changes the choice to these features, but for those that fail their self-check.

    Args:
        wanted: in any order.
        left_out: features that the user does not want, by name.
        verify: whether to compare those not compared yet with torch; KWKER_VERIFY=0 overrules.
        stacklevel: of the user's call above this one, for warnings.
    """
    with lock:
        _refuse_while_tracing()
        _take_over()
        if verify:
            _check(wanted, stacklevel + 1)
        for changed in _changeable():
            changed.choose(wanted, left_out, verify)
        _bring_about(stacklevel + 1)


def _changeable() -> list[Claim]:
    """What a call on this thread changes: its innermost block's claim, without one install()'s;
    and all newer ones, which are other threads', for its choice holds from now on."""
    own = [i for i, c in enumerate(_claims) if i > 0 and c.thread == threading.get_ident()]
    return _claims[own[-1] if own else 0 :]


def claim(
    wanted: Sequence[Feature], left_out: Sequence[Feature], *, verify: bool, stacklevel: int
) -> Claim:
    """The same as a new claim."""
    with lock:
        _refuse_while_tracing()
        _take_over()
        if verify:
            _check(wanted, stacklevel + 1)
        made = Claim(wanted, left_out, verify)
        _claims.append(made)
        _bring_about(stacklevel + 1)
        return made


def release(made: Claim, *, stacklevel: int) -> None:
    """Ends a claim; what the newest that is left asks for is on afterwards."""
    with lock:
        if made not in _claims:  # another copy has taken over
            return
        _claims.remove(made)
        _check_latecomers(stacklevel + 1)
        _bring_about(stacklevel + 1)


def add(features: Sequence[Feature], *, stacklevel: int) -> None:
    """Adds features to the choice, with their self-check."""
    with lock:
        _refuse_while_tracing()
        _take_over()
        _check(features, stacklevel + 1)
        for changed in _changeable():
            changed.add(features)
        _bring_about(stacklevel + 1)


def leave_out(features: Sequence[Feature], *, stacklevel: int) -> None:
    """Takes features out of the choice."""
    with lock:
        _refuse_while_tracing()
        _take_over()
        for changed in _changeable():
            changed.leave_out(features)
        _bring_about(stacklevel + 1)


def withdraw(features: Sequence[Feature], *, stacklevel: int) -> None:
    """Switches features off that a check has found to differ, with a warning for each."""
    with lock:
        _take_over()
        _bring_about(stacklevel + 1)
        for feature in features:
            _warn_of_difference(feature, stacklevel + 1)


def check_now() -> None:
    """Checks the features that are on and wait for their first call. Warns of differences."""
    with lock:
        _check_waiting(on(), stacklevel=2)


def _check_waiting(features: Sequence[Feature], *, stacklevel: int) -> None:
    """Checks those of them that wait for their first call. Warns of differences."""
    waiting = [f for f in features if f.counters.unchecked]
    for feature in waiting:
        _check_one(feature)
    if waiting:
        withdraw([f for f in waiting if f.difference], stacklevel=stacklevel + 1)


def _check_for_children() -> None:
    """The process is being forked: what libraries' features wait for their first call is checked.

    It may well be in the children, as data loaders' workers are, and then in each of them.
    """
    try:
        _check_waiting([f for f in on() if f.library], stacklevel=3)
    except Exception as error:  # a warning that is to be an error: no reason not to fork
        log.warning("%s", error)


def _check_at_first_call(name: str) -> None:
    """Called by the feature's hook, with the program's call about to be taken.

    Nothing is waited for: while another thread is at it, or the program's state allows no
    comparison, torch's code takes the calls.
    """
    if not lock.acquire(blocking=False):
        return
    try:
        feature = FEATURES[name]
        if not feature.counters.unchecked or feature.obstacle():
            return
        _check_one(feature)
        _bring_about(stacklevel=3)
        if feature.difference:
            try:
                _warn_of_difference(feature, stacklevel=3)
            except Warning as warning:  # no error of the step's, though all warnings are to be
                log.warning("%s", warning)
    finally:
        lock.release()


def _take_over() -> None:
    """What another copy of this package has installed goes out, so that nothing is put on top."""
    retire = shared.get("retire")
    if retire is _retire:
        return
    if retire is not None:
        retire()
    shared["retire"] = _retire
    shared["before_fork"] = _check_for_children
    _C.set_check(_check_at_first_call)


def _retire() -> None:
    _claims[:] = [Claim([])]
    _bring_about(stacklevel=4)


def _bring_about(stacklevel: int) -> None:
    """Brings switches, patches and the environment to what the newest claim asks for."""
    wanted = _claims[-1].features
    compares = _environment.wants_self_check()
    chosen = [f for f in FEATURES.values() if f in wanted and f.is_supported and not f.difference]
    ready = [f for f in chosen if f.is_imported]
    needed = {id(f.patch) for f in ready}
    for feature in FEATURES.values():
        feature.idle = "off by user" if feature in _claims[-1].left_out else "off"
        if feature not in ready:
            feature.counters.enabled = False
            if feature.is_imported and id(feature.patch) not in needed:
                feature.patch.undo(stacklevel + 1)
    for feature in ready:
        verify = compares and feature.name not in _claims[-1].unverified
        feature.counters.unchecked = verify and feature.difference is None
        feature.counters.enabled = feature.patch.prepare() and feature.patch.apply()
        if not feature.counters.enabled:
            feature.idle = "replaced by others"
            log.info("%s stays off: its place is taken by somebody else", feature.name)
    waiting = [f for f in chosen if f not in ready]
    for feature in waiting:
        feature.idle = "not yet imported"
    told = [f.name for f in chosen if f.counters.enabled or f in waiting]
    _environment.publish(told, every=FEATURES)
    _await({f.library for f in waiting if f.library})
    if told:
        _pickling.follow()
    else:
        _pickling.leave()
    log.info("on: %s", ", ".join(f.name for f in on()) or "nothing")


def _await(libraries: set[str]) -> None:
    for name in _awaited - libraries:
        _import_hook.cancel(name, _library_imported)
    added = libraries - _awaited
    _awaited.intersection_update(libraries)
    for name in added:
        _awaited.add(name)
        _import_hook.when_imported(name, _library_imported)


def _library_imported(library: ModuleType) -> None:
    """The program has imported a library that features wait for. Nothing may be raised.

    Nor waited for: this thread holds the lock of the import, which whoever holds ours may want.
    """
    _awaited.discard(library.__name__)
    if lock.acquire(blocking=False):
        try:
            _serve_library(library)
        finally:
            lock.release()
    else:
        name = "kwker-library-imported"
        threading.Thread(target=_serve_library, args=[library], name=name, daemon=True).start()


def _serve_library(library: ModuleType) -> None:
    with lock:
        try:
            if shared.get("retire") is not _retire:
                return
            _refuse_while_tracing()
            _check_latecomers(stacklevel=2)
            _bring_about(stacklevel=2)
        except Exception as error:
            log.warning("nothing of %s's is replaced: %s", library.__name__, error)


def _check_latecomers(stacklevel: int) -> None:
    """Checks those of the newest claim whose library was not there when it was made."""
    newest = _claims[-1]
    late = [f for f in newest.features if f.library and f.difference is None]
    _check([f for f in late if f.name not in newest.unverified], stacklevel + 1)


def _check(features: Sequence[Feature], stacklevel: int) -> None:
    """Self-checks those that are to be checked now; warns of differences, old ones too."""
    if not _environment.wants_self_check():
        return
    for feature in features:
        if not (feature.is_supported and feature.is_imported and feature.patch.prepare()):
            continue
        if feature.difference is None and feature.checked_at == "install":
            _check_one(feature)
        if feature.difference:
            _warn_of_difference(feature, stacklevel + 1)


def _check_one(feature: Feature) -> None:
    start = time.perf_counter()
    outcome = feature.check()
    if outcome is None:
        outcome = f"waits: {feature.obstacle()}"
    duration = 1e3 * (time.perf_counter() - start)
    log.info("self-check of %s: %s (%.0f ms)", feature.name, outcome or "equal to torch", duration)


def _warn_of_difference(feature: Feature, stacklevel: int) -> None:
    warnings.warn(
        f"kwker: {feature.name} differs from torch on this machine ({feature.difference}) "
        "and stays off",
        RuntimeWarning,
        stacklevel=stacklevel + 1,
    )


def _refuse_while_tracing() -> None:
    """A trace would keep half of the change: the patches without the switches, or neither."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        raise RuntimeError(
            "kwker: install() and uninstall() cannot run inside torch.compile or torch.jit.trace: "
            "call them before"
        )

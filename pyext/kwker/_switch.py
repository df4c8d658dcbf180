"""Brings features, their patches and the environment of workers to a chosen state."""

from __future__ import annotations

import logging
import os
import threading
import time
import warnings
from collections.abc import Sequence

import torch

from kwker import _environment
from kwker._registry import FEATURES, Feature

log = logging.getLogger("kwker")
_environment.set_up_logging()

# Held by whatever reads the state in order to change it.
lock = threading.RLock()
# So that a child is not forked while another thread holds it.
os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


class Claim:
    """A choice of features that holds until it is released, or until a newer one does."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = list(features)


# The first is install()'s and never released; each `installed()` block adds one. Blocks may end
# in any order, as those of two threads do: the newest that is left holds.
_claims: list[Claim] = [Claim([])]


def on() -> list[Feature]:
    """The features that are on, in the registry's order."""
    return [f for f in FEATURES.values() if f.counters.enabled]


def switch(wanted: Sequence[Feature], *, verify: bool, stacklevel: int) -> None:
    """Changes the newest claim to these features, but for those that fail their self-check.

    Args:
        wanted: in any order.
        verify: whether to compare those not compared yet with torch; KWKER_VERIFY=0 overrules.
        stacklevel: of the user's call above this one, for warnings.
    """
    with lock:
        _prepare(wanted, verify, stacklevel + 1)
        _claims[-1].features = list(wanted)
        _bring_about(stacklevel + 1)


def claim(wanted: Sequence[Feature], *, verify: bool, stacklevel: int) -> Claim:
    """The same as a new claim."""
    with lock:
        _prepare(wanted, verify, stacklevel + 1)
        made = Claim(wanted)
        _claims.append(made)
        _bring_about(stacklevel + 1)
        return made


def release(made: Claim, *, stacklevel: int) -> None:
    """Ends a claim; what the newest that is left asks for is on afterwards."""
    with lock:
        _claims.remove(made)
        _bring_about(stacklevel + 1)


def _prepare(wanted: Sequence[Feature], verify: bool, stacklevel: int) -> None:
    _refuse_while_tracing()
    for feature in wanted:
        ready = feature.patch.prepare()
        if ready and verify and _environment.wants_self_check():
            _check(feature, stacklevel + 1)


def _bring_about(stacklevel: int) -> None:
    """Brings switches, patches and the environment to what the newest claim asks for."""
    wanted = _claims[-1].features
    chosen = [f for f in FEATURES.values() if f in wanted and not f.difference]
    needed = {id(f.patch) for f in chosen}
    for feature in FEATURES.values():
        feature.left_alone = False
        if feature not in chosen:
            feature.counters.enabled = False
            if id(feature.patch) not in needed:
                feature.patch.undo(stacklevel + 1)
    for feature in chosen:
        feature.left_alone = not (feature.patch.prepare() and feature.patch.apply())
        feature.counters.enabled = not feature.left_alone
        if feature.left_alone:
            log.info("%s stays off: its place is taken by somebody else", feature.name)
    names = [f.name for f in on()]
    _environment.publish(names)
    log.info("on: %s", ", ".join(names) or "nothing")


def _check(feature: Feature, stacklevel: int) -> None:
    known = feature.difference is not None
    start = time.perf_counter()
    difference = feature.check()
    if not known:
        outcome = difference or "equal to torch"
        duration = 1e3 * (time.perf_counter() - start)
        log.info("self-check of %s: %s (%.0f ms)", feature.name, outcome, duration)
    if difference:
        warnings.warn(
            f"kwker: {feature.name} differs from torch on this machine ({difference}) "
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

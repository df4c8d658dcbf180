"""Brings features, their patches and the environment of workers to a chosen state."""

from __future__ import annotations

import logging
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


def on() -> list[Feature]:
    """The features that are on, in the registry's order."""
    return [f for f in FEATURES.values() if f.counters.enabled]


def switch(wanted: Sequence[Feature], *, verify: bool, stacklevel: int) -> None:
    """Makes `wanted` the features that are on, but for those that fail their self-check.

    Args:
        wanted: in any order.
        verify: whether to compare those not compared yet with torch; KWKER_VERIFY=0 overrules.
        stacklevel: of the user's call above this one, for warnings.
    """
    _refuse_while_tracing()
    with lock:
        if verify and _environment.wants_self_check():
            for feature in wanted:
                _check(feature, stacklevel + 1)
        chosen = [f for f in FEATURES.values() if f in wanted and not f.difference]
        needed = {id(f.patch()) for f in chosen}
        for feature in FEATURES.values():
            feature.left_alone = False
            if feature not in chosen:
                feature.counters.enabled = False
                if id(feature.patch()) not in needed:
                    feature.patch().undo(stacklevel + 1)
        for feature in chosen:
            feature.left_alone = not feature.patch().apply()
            feature.counters.enabled = not feature.left_alone
            if feature.left_alone:
                log.warning("%s stays off: its place is taken by somebody else", feature.name)
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

"""Replaces slow parts of torch on the CPU by kernels whose results are equal to the bit.

    import kwker.torch_ops as sto

    sto.install()
    ...            # unchanged code
    sto.uninstall()

What a kernel does not cover runs torch's own code; `stats()` counts it, with the reason.
"""

from __future__ import annotations

import functools
import os
import threading
import warnings
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import NamedTuple, ParamSpec, TypedDict, TypeVar

import torch

from kwker._build import TORCH_RELEASE

if ".".join(torch.__version__.split(".")[:2]) != TORCH_RELEASE:
    raise ImportError(
        f"this kwker was built for torch {TORCH_RELEASE}, but torch is {torch.__version__}: "
        f"install the kwker for that torch, or torch {TORCH_RELEASE}"
    )

# Not before: the extension needs that release.
from kwker import _C, _optim  # noqa: F401  (registers its features)
from kwker._registry import FEATURES, Feature, resolve

__all__ = [
    "FeatureInfo",
    "FeatureStats",
    "capability",
    "disable",
    "enable",
    "features",
    "install",
    "installed",
    "reset_stats",
    "stats",
    "uninstall",
    "verify",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_lock = threading.RLock()


class FeatureInfo(NamedTuple):
    """One feature as it stands now."""

    name: str
    replaces: str  # in torch's words
    since: str  # the first torch release it was verified with
    state: str  # "on", "off", "failed self-check", "replaced by others"
    detail: str  # what differed, where the self-check failed


class FeatureStats(TypedDict):
    """What one feature has done in this process since it started or since reset_stats()."""

    state: str
    calls: int  # served by Kwker
    fallbacks: dict[str, int]  # reason: calls that went to torch's code
    elements: int  # of the parameters in the calls served
    seconds: float  # wall time inside the kernels


def install(
    features: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    verify: bool = True,
) -> None:
    """Switches features on, and those not named off.

    Each is first compared with torch on this machine, once a process. One that differs stays off,
    with a warning. Calling it again changes the choice.

    Args:
        features: names ("optim.adamw") or groups ("optim"); None stands for all.
        exclude: names or groups to leave out. Those in the environment's KWKER_DISABLE, a comma
            list, are left out too.
        verify: False skips the comparison.

    Raises:
        ValueError: for a name that does not exist.
    """
    with _lock:
        wanted = list(FEATURES.values()) if features is None else resolve(features)
        left_out = resolve(exclude or ()) + resolve(os.environ.get("KWKER_DISABLE", "").split(","))
        _switch([f for f in wanted if f not in left_out], verify=verify)


def uninstall() -> None:
    """Switches every feature off and puts torch's own functions back, the very objects."""
    with _lock:
        _switch([], verify=False)


class installed:
    """install() for the length of a `with` block or a decorated function.

    Takes install()'s arguments. Afterwards the features are what they were before; may be nested.
    """

    def __init__(
        self,
        features: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        verify: bool = True,
    ) -> None:
        # Read now: a generator could not be read again at the next entry.
        self._features = None if features is None else resolve(features)
        self._exclude = resolve(exclude or ())
        self._verify = verify
        self._before: list[list[Feature]] = []

    def __enter__(self) -> None:
        with _lock:
            self._before.append([f for f in FEATURES.values() if f.counters.enabled])
            install(
                None if self._features is None else [f.name for f in self._features],
                [f.name for f in self._exclude],
                self._verify,
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with _lock:
            _switch(self._before.pop(), verify=False)

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with self:
                return function(*args, **kwargs)

        return wrapper


def enable(name: str) -> None:
    """Switches one feature or group on, with its self-check; the others stay as they are.

    Raises:
        ValueError: for a name that does not exist.
    """
    with _lock:
        on = [f for f in FEATURES.values() if f.counters.enabled]
        _switch(on + [f for f in resolve([name]) if f not in on], verify=True)


def disable(name: str) -> None:
    """Switches one feature or group off; the others stay as they are.

    Raises:
        ValueError: for a name that does not exist.
    """
    with _lock:
        off = resolve([name])
        on = [f for f in FEATURES.values() if f.counters.enabled and f not in off]
        _switch(on, verify=False)


def features() -> list[FeatureInfo]:
    """All features, in a fixed order."""
    return [
        FeatureInfo(f.name, f.replaces, f.since, f.state, f.difference or "")
        for f in FEATURES.values()
    ]


def stats() -> dict[str, FeatureStats]:
    """What each feature has done, by name."""
    return {
        f.name: {
            "state": f.state,
            "calls": f.counters.calls,
            "fallbacks": f.counters.fallbacks,
            "elements": f.counters.elements,
            "seconds": f.counters.seconds,
        }
        for f in FEATURES.values()
    }


def reset_stats() -> None:
    """Sets all counters to zero."""
    for feature in FEATURES.values():
        feature.counters.reset()


def verify() -> dict[str, str]:
    """The outcome of each feature's self-check on this machine: "" or what differs from torch."""
    with _lock:
        return {f.name: f.check() for f in FEATURES.values()}


def capability() -> str:
    """The instruction set of torch's kernels and so of Kwker's: "default", "avx2" or "avx512"."""
    return _C.isa()


def _switch(on: list[Feature], *, verify: bool) -> None:
    """Brings features, and with them the patches, to exactly this state."""
    for feature in on:
        if not verify or not feature.check():
            continue
        warnings.warn(
            f"kwker: {feature.name} differs from torch on this machine ({feature.difference}) "
            "and stays off",
            RuntimeWarning,
            stacklevel=3,
        )
    chosen = [f for f in on if not f.difference]
    needed = {id(f.patch()) for f in chosen}
    for feature in FEATURES.values():
        feature.left_alone = False
        if feature not in chosen:
            feature.counters.enabled = False
            if id(feature.patch()) not in needed:
                feature.patch().undo()
    for feature in chosen:
        feature.left_alone = not feature.patch().apply()
        feature.counters.enabled = not feature.left_alone

"""Replaces slow parts of torch on the CPU by kernels whose results are equal to the bit.

    import kwker.torch_ops as sto

    sto.install()
    ...            # unchanged code
    sto.uninstall()

What a kernel does not cover runs torch's own code; `stats()` counts it, with the reason, and
`explain()` tells beforehand. Processes that are started while something is installed, such as
DataLoader workers by spawn, install the same. Logging is the logger "kwker"'s; KWKER_LOG=info shows
it on stderr.
"""

from __future__ import annotations

import _xxsubinterpreters as interpreters  # type: ignore[import-not-found]
import copy
import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeVar

if interpreters.get_current() != interpreters.get_main():  # torch would fail in worse ways
    raise ImportError("kwker works in the main interpreter only, as torch does")

import torch

from kwker._build import TORCH_RELEASE

if ".".join(torch.__version__.split(".")[:2]) != TORCH_RELEASE:
    raise ImportError(
        f"this kwker was built for torch {TORCH_RELEASE}, but torch is {torch.__version__}: "
        f"install the kwker for that torch, or torch {TORCH_RELEASE}"
    )

# Not before: the extension needs that release.
# _optim… and _vision_… register their features.
from kwker import (  # noqa: F401
    _C,
    _environment,
    _optim,
    _optim_clip,
    _optim_ema,
    _optim_zero_grad,
    _switch,
    _vision_color,
    _vision_normalize,
    _vision_resize,
)
from kwker._explain import Explanation
from kwker._explain import explain as _explain
from kwker._registry import FEATURES, Feature, State, resolve
from kwker._stats import FeatureStats, Stats
from kwker._verification import Verification, Verified, verify_at_length

__all__ = [
    "Explanation",
    "FeatureInfo",
    "FeatureStats",
    "State",
    "Stats",
    "Verification",
    "Verified",
    "capability",
    "disable",
    "enable",
    "explain",
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


class FeatureInfo(NamedTuple):
    """One feature as it stands now."""

    name: str
    replaces: str  # in torch's words
    since: str  # the first torch release it was verified with
    state: State
    detail: str  # what differed, what it waits for, what the processor lacks
    calls: int  # done by Kwker since the start, or since reset_stats()
    fallbacks: dict[str, int]  # calls given back to torch's own code, by reason


def install(
    features: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    verify: bool = True,
) -> None:
    """Switches features on, and those not named off.

    Each is compared with torch on this machine first, once a process: at once, or those that few
    programs call right before their first call. One that differs stays off, with a warning. What
    belongs to a library that the program has not imported yet is compared and switched on when it
    imports it. Calling install() again changes the choice.

    Args:
        features: names ("optim.adamw") or groups ("optim"); None stands for all.
        exclude: names or groups to leave out. Those in the environment's KWKER_DISABLE, a comma
            list, are left out too.
        verify: False skips the comparison, as does KWKER_VERIFY=0 in the environment.

    Raises:
        ValueError: for a name that does not exist.
        TypeError: for what is no name.
        RuntimeError: inside torch.compile or torch.jit.trace.
    """
    wanted, left_out = _chosen(features, exclude)
    _switch.switch(wanted, left_out, verify=verify, stacklevel=2)


def uninstall() -> None:
    """Switches every feature off and puts torch's own functions back, the very objects."""
    _switch.switch([], [], verify=False, stacklevel=2)


class installed:
    """install() for the length of a `with` block or a decorated function.

    Takes install()'s arguments. Afterwards the features are what they were before; may be nested.
    Blocks that overlap in two threads may end in either order: the newest that is left holds, in
    all threads, as features are the process's. A decorated generator or coroutine function has them
    from its start to its end.
    """

    def __init__(
        self,
        features: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        verify: bool = True,
    ) -> None:
        # Read now: a generator could not be read again at the next entry.
        self._wanted, self._left_out = _chosen(features, exclude)
        self._verify = verify
        self._claims: list[_switch.Claim] = []

    def __enter__(self) -> None:
        claim = _switch.claim(self._wanted, self._left_out, verify=self._verify, stacklevel=2)
        self._claims.append(claim)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # This thread's own: another may have entered the same block meanwhile.
        own = [c for c in self._claims if c.thread == threading.get_ident()] or self._claims
        self._claims.remove(own[-1])
        _switch.release(own[-1], stacklevel=2)

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                "installed() decorates no asynchronous generators: use it as a `with` block inside"
            )
        call: Any = function
        wrapper: Any
        if inspect.iscoroutinefunction(function):

            async def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> Any:
                with self._again():
                    return await call(*args, **kwargs)

        elif inspect.isgeneratorfunction(function):

            def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> Any:
                with self._again():
                    return (yield from call(*args, **kwargs))

        else:

            def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> Any:
                with self._again():
                    return call(*args, **kwargs)

        decorated: Callable[_P, _R] = functools.wraps(function)(wrapper)
        return decorated

    def _again(self) -> installed:
        """Another block like this one, of a call of its own."""
        block = copy.copy(self)
        block._claims = []
        return block


def enable(name: str) -> None:
    """Switches one feature or group on, with its self-check; the others stay as they are.

    Raises:
        ValueError: for a name that does not exist.
        TypeError: for what is no name.
    """
    _switch.add(resolve([name]), stacklevel=2)


def disable(name: str) -> None:
    """Switches one feature or group off; the others stay as they are.

    Raises:
        ValueError: for a name that does not exist.
        TypeError: for what is no name.
    """
    _switch.leave_out(resolve([name]), stacklevel=2)


def features() -> list[FeatureInfo]:
    """All features, in a fixed order."""
    return [
        FeatureInfo(
            f.name,
            f.replaces,
            f.since,
            f.state,
            f.detail,
            f.counters.calls,
            f.counters.fallbacks,
        )
        for f in FEATURES.values()
    ]


def stats() -> Stats:
    """What each feature has done, by name. A dict; str() of it is a table."""
    return Stats(
        (
            f.name,
            {
                "state": f.state,
                "calls": f.counters.calls,
                "fallbacks": f.counters.fallbacks,
                "elements": f.counters.elements,
                "seconds": f.counters.seconds,
            },
        )
        for f in FEATURES.values()
    )


def reset_stats() -> None:
    """Sets all counters to zero."""
    for feature in FEATURES.values():
        feature.counters.reset()


def verify() -> Verification:
    """Compares every feature with torch on this machine, in many more cases than install() does.

    Sizes, dtypes and options, on one of torch's threads and on as many as it has now; a second or
    so a feature. A feature that differs is switched off, with a warning, and stays off. Nothing is
    imported: features of libraries that the program has not imported are left out. Other threads
    should not train meanwhile: what they do is not counted.

    Returns:
        by feature, what was compared and found; str() of it is a table.
    """
    with _switch.lock:
        found = {f.name: verify_at_length(f) for f in FEATURES.values()}
        differing = [FEATURES[v.feature] for v in found.values() if v.threads and not v.equal]
        if differing:
            _switch.withdraw(differing, stacklevel=2)
    return Verification(found)


def explain(target: object) -> list[Explanation]:
    """What Kwker would do for this optimizer, module or function if it ran now, part by part.

    An optimizer's groups are looked at as they are: options, tensors, state, modes of this thread.
    Nothing is changed. str() of an Explanation is a line for people.

    Raises:
        TypeError: for anything else.
    """
    return _explain(target)


def capability() -> str:
    """The instruction set of torch's kernels and so of Kwker's: "default", "avx2" or "avx512"."""
    return _C.isa()


def _chosen(
    features: Iterable[str] | None, exclude: Iterable[str] | None
) -> tuple[list[Feature], list[Feature]]:
    """The features wanted, and those left out by name."""
    wanted = list(FEATURES.values()) if features is None else resolve(features)
    left_out = resolve(() if exclude is None or exclude == "" else exclude)
    try:
        left_out += resolve(_environment.disabled_features())
    except ValueError as error:
        raise ValueError(f"KWKER_DISABLE: {error}") from None
    return [f for f in wanted if f not in left_out], left_out

"""The features: what a user switches, an audit attributes and a test proves.

Everything that names features reads `FEATURES`; nothing lists them a second time.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from kwker import _import_hook

if TYPE_CHECKING:
    from kwker._C import Counters

State = Literal[
    "on",
    "off",  # not asked for
    "off by user",  # left out by name
    "failed self-check",
    "not yet imported",  # on as soon as the program imports the library
    "replaced by others",
    "unsupported CPU",
]
Capability = Literal["default", "avx2", "avx512"]
_CAPABILITIES: tuple[Capability, ...] = ("default", "avx2", "avx512")


class Replacement(Protocol):
    """What stands in a library's place while a feature is on: kwker._patch.Patch, for one."""

    def prepare(self) -> bool:
        """Makes ready what verify() needs. False where somebody else has taken the place."""

    def apply(self) -> bool:
        """Puts it in. False where somebody else has taken the place."""

    def undo(self, stacklevel: int) -> None:
        """Takes it out, if it is in."""

    def stands_for(self, function: object) -> bool:
        """Whether this is what is replaced, or what it is replaced by."""

    def covered(self) -> str:
        """Names a place where somebody else's function stands since apply(); "" for none."""


@dataclass
class Feature:
    """One replaced part of torch or another library, with its switch, self-check and counters."""

    name: str  # "group.part"
    replaces: str  # in the library's words
    since: str  # the first torch release it was verified with
    counters: Counters  # shared with the C++ side, which looks at counters.enabled at each call
    patch: Replacement  # several features may share one
    # "" if equal to torch on this machine, else what differs: some tens of milliseconds at most.
    verify: Callable[[], str]
    # The same at length, at the present number of threads: "" or what differs, case by case.
    verify_at_length: Callable[[], Iterator[str]] | None = None
    # A module that the program imports when it likes: nothing else here is used before.
    library: str | None = None
    # Where a program may well never call it, install() need not take the time for verify().
    checked_at: Literal["install", "first call"] = "install"
    # Why the program's state allows no comparison now, which then waits; "" if it does.
    obstacle: Callable[[], str] = lambda: ""
    needs: Capability = "default"  # the least that torch must run on

    difference: str | None = field(default=None, init=False)  # found by a check; None: not checked
    idle: State = field(default="off", init=False)  # why it is not on, kept by kwker._switch

    @property
    def state(self) -> State:
        """What it is doing now."""
        if self.counters.enabled:
            return "on"
        if not self.is_supported:
            return "unsupported CPU"
        return "failed self-check" if self.difference else self.idle

    @property
    def detail(self) -> str:
        """What there is to say about the state; "" if it says all."""
        match self.state:
            case "failed self-check":
                return self.difference or ""
            case "not yet imported":
                return f"waits for {self.library}"
            case "unsupported CPU":
                return f"needs {self.needs}, torch runs on {_capability()}"
            case "on":
                return "; ".join(self._remarks())
        return ""

    def _remarks(self) -> Iterator[str]:
        if self.counters.unchecked:
            yield "to be compared with torch at its first call"
            if obstacle := self.obstacle():
                yield f"which cannot be done as long as {obstacle}"
        if place := self.patch.covered():
            yield f"somebody else's function stands over {place} since install()"

    @property
    def is_supported(self) -> bool:
        """Whether the kernels can run beside those that torch has chosen for this processor."""
        return _CAPABILITIES.index(self.needs) <= _CAPABILITIES.index(_capability())

    @property
    def is_imported(self) -> bool:
        """Whether the library is there to be replaced in."""
        return self.library is None or _import_hook.is_imported(self.library)

    def check(self) -> str | None:
        """The outcome of verify(), which runs once a process; None while it must wait."""
        if self.difference is None and not self.obstacle():
            self.difference = self.verify()
        return self.difference


FEATURES: dict[str, Feature] = {}


def register(feature: Feature) -> None:
    """Adds a feature; its module calls this when it is imported."""
    FEATURES[feature.name] = feature


def resolve(names: Iterable[str]) -> list[Feature]:
    """The features of these names; a group's name ("optim") stands for all of its features.

    Raises:
        ValueError: for a name that is neither, with the nearest that exists; for blanks alone.
        TypeError: for what is no name.
    """
    listed = _listed(names)
    found: dict[str, Feature] = {}
    for name in listed:
        members = {n: f for n, f in FEATURES.items() if n == name or n.startswith(name + ".")}
        if name and not members:
            raise ValueError(f"no feature '{name}'; {_hint(name)}")
        if name:
            found |= members
    if listed and not found:
        raise ValueError("no feature is named")
    return list(found.values())


def _listed(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        names = names.split(",")
    elif isinstance(names, bytes) or not isinstance(names, Iterable):
        names = [names]  # to be refused, as any that is no str
    listed = []
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a feature's name must be a str, not {type(name).__name__}")
        listed.append(name.strip())
    return listed


def _hint(name: str) -> str:
    """What the user may have meant: a feature, its part after the dot alone, or a group."""
    meant = {n.split(".")[-1]: n for n in FEATURES}
    meant |= {n.split(".")[0]: n.split(".")[0] for n in FEATURES}
    meant |= {n: n for n in FEATURES}
    near = difflib.get_close_matches(name.lower(), meant, n=1)
    return f"did you mean '{meant[near[0]]}'?" if near else f"there are: {', '.join(FEATURES)}"


def _capability() -> Capability:
    from kwker import _C  # not before torch, and kwker.torch_ops has seen to that

    return _C.isa()

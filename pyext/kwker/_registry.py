"""The features: what a user switches, an audit attributes and a test proves.

Everything that names features reads `FEATURES`; nothing lists them a second time.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kwker._C import Counters
    from kwker._patch import Patch

State = Literal["on", "off", "failed self-check", "replaced by others"]


@dataclass
class Feature:
    """One replaced part of torch, with its own switch, self-check and counters."""

    name: str  # "group.part"
    replaces: str  # in torch's words
    since: str  # the first torch release it was verified with
    counters: Counters  # shared with the C++ side, which looks at counters.enabled at each call
    patch: Patch  # several features may share one
    verify: Callable[[], str]  # "" if equal to torch on this machine, else what differs
    difference: str | None = field(default=None, init=False)  # of verify(), once it has run
    left_alone: bool = field(default=False, init=False)  # its place was taken at install

    @property
    def state(self) -> State:
        """What it is doing now."""
        if self.counters.enabled:
            return "on"
        if self.difference:
            return "failed self-check"
        return "replaced by others" if self.left_alone else "off"

    def check(self) -> str:
        """The outcome of verify(), which runs once a process."""
        if self.difference is None:
            self.difference = self.verify()
        return self.difference


FEATURES: dict[str, Feature] = {}


def register(feature: Feature) -> None:
    """Adds a feature; its module calls this when it is imported."""
    FEATURES[feature.name] = feature


def resolve(names: Iterable[str]) -> list[Feature]:
    """The features of these names; a group's name ("optim") stands for all of its features.

    Raises:
        ValueError: for a name that is neither, with the nearest that exists.
    """
    if isinstance(names, str):
        names = names.split(",")
    found: dict[str, Feature] = {}
    for name in (name.strip() for name in names):
        members = {n: f for n, f in FEATURES.items() if n == name or n.startswith(name + ".")}
        if name and not members:
            groups = {n.split(".")[0] for n in FEATURES}
            near = difflib.get_close_matches(name, [*FEATURES, *groups], n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(FEATURES)}"
            raise ValueError(f"no feature '{name}'; {hint}")
        if name:
            found |= members
    return list(found.values())

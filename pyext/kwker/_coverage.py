"""What features cover of the objects that programs call: modules, transforms, containers of them.

A feature's own module says so, next to its register(); explain() reads it. Classes go by name, so
that no library has to be imported for them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Named:
    """A class or function by its public name."""

    module: str
    name: str

    @property
    def found(self) -> object:
        """What has that name, "Class.method" too; None while the program has not imported it."""
        found: object = sys.modules.get(self.module)
        for part in self.name.split("."):
            found = getattr(found, part, None)
        return found

    @property
    def cls(self) -> type | None:
        """The class; None while the program has not imported it: then nothing is of it."""
        found = self.found
        return found if isinstance(found, type) else None


@dataclass(frozen=True)
class Covered:
    """A class of whose objects a feature serves the calls, or one method."""

    of: Named
    feature: str
    inputs: str  # those that are served: "uint8 tensors"
    # Why calls of this object are not served, whatever they are given; "" if they are. The
    # feature's state need not be looked at.
    why_not: Callable[[Any], str] = lambda part: ""
    # Methods that a derived class must not have changed.
    methods: tuple[str, ...] = ("__call__", "forward")
    # What is served, where it is not the object's call; that is its modules' then, as ever.
    method: str = ""


@dataclass(frozen=True)
class Leading:
    """A function that is not replaced itself, but calls what a feature replaces."""

    of: Named
    feature: str
    inputs: str  # of which the calls are served
    why_not: Callable[[], str] = str  # "" if they are, when the feature is on


@dataclass(frozen=True)
class Container:
    """A class whose objects call others one after the other."""

    of: Named
    parts: Callable[[Any], Sequence[Any]]
    # How many parts each thing done at one go stands for, [1, 2]; and which feature does several.
    fused: Callable[[Any], Sequence[int]] | None = None
    feature: str = ""


_covered: list[Covered] = []
_leading: list[Leading] = []
_containers: list[Container] = []


def cover(covered: Covered) -> None:
    """Has explain() know what a feature covers."""
    _covered.append(covered)


def lead(leading: Leading) -> None:
    """Has explain() know where calls of a function end up."""
    _leading.append(leading)


def contain(container: Container) -> None:
    """Has explain() look into a container."""
    _containers.append(container)


def leading_of(function: object) -> list[Leading]:
    """What is said of the function, feature by feature."""
    return [leading for leading in _leading if leading.of.found is function]


def covered_of(part: object) -> Covered | None:
    """What is said of the object's class, or of the nearest that it is derived from."""
    for cls in type(part).__mro__:
        for covered in _covered:
            if covered.of.cls is cls:
                return covered
    return None


def container_of(part: object) -> Container | None:
    """The container that the object is; of a derived class only with the same way of calling."""
    for container in _containers:
        cls = container.of.cls
        if cls is not None and isinstance(part, cls) and not changed_method(part, cls):
            return container
    return None


def changed_method(
    part: object, cls: type, methods: Sequence[str] = ("__call__", "forward")
) -> str:
    """The first method that the object has not as the class has it; "" if there is none."""
    for name in methods:
        if name in getattr(part, "__dict__", ()) or getattr(type(part), name, None) is not getattr(
            cls, name, None
        ):
            return name
    return ""

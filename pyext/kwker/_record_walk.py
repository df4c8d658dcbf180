"""Finds the tensors and arrays reachable from given objects, under the same names in each run.

No code of the user's runs: containers are read through the built-in types' own functions,
instances through their `__dict__` and slots; no properties, no `__getattr__`, no `__repr__`.
"""

from __future__ import annotations

import contextlib
import enum
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# An object graph larger than this is not walked to its end (and the walk says so).
MAX_OBJECTS = 1_000_000

_NEVER_INSIDE = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
    types.FrameType,
    types.GeneratorType,
    types.CoroutineType,
    types.TracebackType,
    enum.Enum,
    type,
    str,
    bytes,
    bytearray,
    int,
    float,
    complex,
    type(None),
)

_mro_of = vars(type)["__mro__"].__get__  # a metaclass may define its own


class Walk:
    """A walk over several roots that names each object once, by the first way to it."""

    def __init__(self) -> None:
        self.complete = True  # False: MAX_OBJECTS was reached
        self._seen: dict[int, object] = {}  # holds the objects, or ids could be used again

    def leaves(self, name: str, root: object) -> Iterator[tuple[str, Any]]:
        """Name and value of each tensor and NumPy array not met before, in a stable order."""
        stack: list[tuple[str, object]] = [(name, root)]
        while stack:
            name, value = stack.pop()
            mro = _mro_of(type(value))
            kinds = _kinds(mro)
            if kinds is None or id(value) in self._seen:
                continue
            if len(self._seen) >= MAX_OBJECTS:
                self.complete = False
                return
            self._seen[id(value)] = value
            if kinds & _LEAF and not _is_object_array(value):
                yield name, value
            stack.extend(reversed(list(_children(name, value, mro, kinds))))

    def has_met(self, value: object) -> bool:
        """Whether the walk has come by this very object."""
        return id(value) in self._seen

    def optimizer_leaves(
        self, name: str, attributes: dict[str, object]
    ) -> Iterator[tuple[str, Any]]:
        """The same for an optimizer of which only its `__dict__` is left."""
        for child, value in _optimizer(name, dict(attributes)):
            yield from self.leaves(child, value)


_LEAF, _OPTIMIZER, _MODULE = 1, 2, 4


def _kinds(mro: tuple[type, ...]) -> int | None:
    """What a value of a class with these bases is to the walk; None: never looked into."""
    if any(cls in mro for cls in _NEVER_INSIDE):
        return None
    kinds = 0
    for module, attribute, kind in (
        ("torch", "Tensor", _LEAF),
        ("numpy", "ndarray", _LEAF),
        ("torch.optim.optimizer", "Optimizer", _OPTIMIZER),
        ("torch.nn.modules.module", "Module", _MODULE),
    ):
        # Not imported for this: without them the script has no such values.
        owner = sys.modules.get(module)
        if owner is not None and vars(owner).get(attribute) in mro:
            kinds |= kind
    return kinds


def _children(
    name: str, value: Any, mro: tuple[type, ...], kinds: int
) -> Iterator[tuple[str, object]]:
    if list in mro:
        yield from _numbered(name, list.__iter__(value))
    elif tuple in mro:
        fields = _class_attribute(mro, "_fields")
        if type(fields) is tuple and len(fields) == tuple.__len__(value):
            for field, item in zip(fields, tuple.__iter__(value), strict=True):
                yield f"{name}.{field}", item
        else:
            yield from _numbered(name, tuple.__iter__(value))
    elif deque in mro:
        yield from _numbered(name, deque.__iter__(value))
    elif dict in mro:
        for i, (key, item) in enumerate(list(dict.items(value))):
            yield f"{name}[{_key_name(key, i)}]", item
    if kinds & _LEAF and _is_object_array(value):
        yield from _numbered(name, iter(value.ravel().tolist()))
    attributes = _attributes(value, mro)
    if kinds & _OPTIMIZER:
        yield from _optimizer(name, attributes)
    elif kinds & _MODULE:
        for registry in ("_parameters", "_buffers", "_modules"):
            entries = attributes.pop(registry, None)
            if isinstance(entries, dict):
                for key, item in dict.items(entries):
                    yield f"{name}.{_text(key)}", item
    for key, item in attributes.items():
        if type(key) is str:
            yield f"{name}.{key}", item


def _numbered(name: str, items: Iterable[object]) -> Iterator[tuple[str, object]]:
    for i, item in enumerate(items):
        yield f"{name}[{i}]", item


def _class_attribute(mro: tuple[type, ...], name: str) -> object:
    return next((vars(cls)[name] for cls in mro if name in vars(cls)), None)


def _is_object_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is numpy.ndarray and value.dtype.hasobject


def _attributes(value: object, mro: tuple[type, ...]) -> dict[str, object]:
    """The instance's own attributes: its `__dict__` and filled slots."""
    found: dict[str, object] = {}
    for cls in mro:
        for key, member in vars(cls).items():
            if key == "__dict__":
                if type(member) is types.GetSetDescriptorType:  # else it is the user's own
                    own = member.__get__(value)
                    if isinstance(own, dict):
                        found.update(dict.items(own))
            elif type(member) is types.MemberDescriptorType and cls.__flags__ & _HEAP_TYPE:
                with contextlib.suppress(AttributeError):  # an empty slot
                    found.setdefault(key, member.__get__(value))
    return found


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement, so its slots are the user's


def _optimizer(name: str, attributes: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Parameter groups as they are; state by the parameters' index, as state_dict() counts them."""
    groups = attributes.pop("param_groups", None)
    state = attributes.pop("state", None)
    index: dict[int, int] = {}
    if isinstance(groups, list):
        for group in groups:
            params = group.get("params") if isinstance(group, dict) else None
            for param in params if isinstance(params, list) else []:
                index.setdefault(id(param), len(index))
        for i, group in enumerate(groups):
            yield f"{name}.param_groups[{i}]", _Named(group)
    if isinstance(state, dict):
        entries = [
            (index.get(id(key), len(index) + i), key, item)
            for i, (key, item) in enumerate(dict.items(state))
        ]
        for i, key, item in sorted(entries, key=lambda entry: entry[0]):
            label = str(i) if id(key) in index else _key_name(key, i)
            yield f"{name}.state[{label}]", _Named(item)


class _Named:
    """A parameter group, or the state of a parameter: a dict whose keys read as attributes."""

    def __init__(self, entries: object) -> None:
        if isinstance(entries, dict):
            vars(self).update((_text(k), v) for k, v in dict.items(entries))
        else:
            vars(self)["value"] = entries


def _key_name(key: object, position: int) -> str:
    """A dict's key if it reads the same in each run, else its position."""
    if key is None or type(key) in (str, bytes, int, float, bool):
        return repr(key)
    if type(key) is tuple:
        return "(" + ", ".join(_key_name(k, position) for k in key) + ")"
    return f"#{position}"


def _text(key: object) -> str:
    return key if type(key) is str else _key_name(key, 0)


def globals_of(namespace: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """A module's globals that a script can have made, named for the report."""
    for key, value in list(namespace.items()):
        if type(key) is str and not (key.startswith("__") and key.endswith("__")):
            yield f"globals.{key}", value

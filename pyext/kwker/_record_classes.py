"""What the outputs' walk does with a value, told by the value's class alone.

No code of the user's runs for it, a metaclass's included: classes are told apart by identity.
"""

from __future__ import annotations

import enum
import sys
import types
from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

# Kinds of classes that the walk treats in their own ways.
TENSOR, ARRAY, OPTIMIZER, MODULE, SCRIPT_MODULE = (
    "tensor",
    "array",
    "optimizer",
    "module",
    "script module",
)

NUMBERS = frozenset({"bool", "int", "float", "complex", "numpy.generic"})
SCALARS = NUMBERS | {"str", "bytes", "NoneType"}

_SCALAR_CLASSES = (bool, int, float, complex, str, bytes, type(None))

_NEVER_INSIDE = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.CodeType,
    types.FrameType,
    types.GeneratorType,
    types.CoroutineType,
    types.TracebackType,
    enum.Enum,
    bytearray,
    *_SCALAR_CLASSES,
)

_CONTAINERS = (
    list,
    tuple,
    deque,
    dict,
    set,
    frozenset,
    types.MappingProxyType,
    types.MethodType,
    type,
)

_LIBRARIES = (
    ("torch", "Tensor", TENSOR),
    ("numpy", "ndarray", ARRAY),
    ("torch.optim.optimizer", "Optimizer", OPTIMIZER),
    ("torch.nn.modules.module", "Module", MODULE),
    ("torch._C", "ScriptModule", SCRIPT_MODULE),
)

_ATOMS = frozenset(map(id, _NEVER_INSIDE))

_mro_of = vars(type)["__mro__"].__get__  # a metaclass may define its own
_members_of = vars(type)["__dict__"].__get__
_flags_of = vars(type)["__flags__"].__get__
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement, so its slots are the user's


class ClassPlan(NamedTuple):
    """How values of one class are looked into."""

    cls: type
    scalar: str  # the name of the built-in class whose value it has, "numpy.generic", or ""
    never_inside: bool
    kinds: frozenset[str]
    container: type | None  # the one of the built-in containers that it is or derives from
    fields: tuple[str, ...] | None  # of a named tuple
    own: tuple[Any, ...]  # getters of the instance's __dict__
    slots: tuple[tuple[str, Any], ...]

    @property
    def only_attributes(self) -> bool:
        """Whether there is no more to its values than their `__dict__`."""
        return self.container is None and not self.kinds and not self.slots


def plan_of(cls: type) -> ClassPlan:
    mro = _mro_of(cls)
    never = _first(_NEVER_INSIDE, mro) is not None
    own, slots = _attribute_getters(mro)
    return ClassPlan(
        cls,
        _scalar(mro),
        never,
        frozenset(kind for module, name, kind in _LIBRARIES if _is(mro, module, name)),
        None if never else _first(_CONTAINERS, mro),
        _fields(mro),
        own,
        slots,
    )


def are_atoms(values: Iterable[object]) -> bool:
    """Whether each is of a class, not derived, that never has anything inside. Fast."""
    return _ATOMS.issuperset(map(id, map(type, values)))


def is_atom(value: object) -> bool:
    return id(type(value)) in _ATOMS


def plain_scalar(plan: ClassPlan, value: Any) -> Any:
    """The value as one of the built-in class itself; NumPy's stay what they are."""
    if plan.scalar == "str":
        return str.__str__(value)
    if plan.scalar == "bytes":
        return bytes.__add__(value, b"")
    for cls, convert in ((int, int.__int__), (float, float.__float__)):
        if plan.scalar == cls.__name__:
            return convert(value)
    return complex.__pos__(value) if plan.scalar == "complex" else value


def members_of_script_class(cls: type) -> list[tuple[str, object]]:
    """The attributes of a class that the script itself defines; of any other, none."""
    members = _members_of(cls)
    if types.MappingProxyType.get(members, "__module__") != "__main__":
        return []
    return [
        (key, value)
        for key, value in list(types.MappingProxyType.items(members))
        if type(key) is str and not (key.startswith("__") and key.endswith("__"))
    ]


def _first(classes: tuple[type, ...], mro: tuple[type, ...]) -> type | None:
    return next((cls for cls in classes if any(cls is base for base in mro)), None)


def _is(mro: tuple[type, ...], module: str, name: str) -> bool:
    # Not imported for this: without them the script has no such values.
    owner = sys.modules.get(module)
    wanted = None if owner is None else vars(owner).get(name)
    return wanted is not None and any(wanted is cls for cls in mro)


def _scalar(mro: tuple[type, ...]) -> str:
    if any(cls is enum.Enum for cls in mro):
        return ""
    if _is(mro, "numpy", "generic"):
        return "numpy.generic"
    found = _first(_SCALAR_CLASSES, mro)
    return "" if found is None else found.__name__


def _fields(mro: tuple[type, ...]) -> tuple[str, ...] | None:
    for cls in mro:
        if "_fields" in _members_of(cls):
            fields = _members_of(cls)["_fields"]
            return fields if type(fields) is tuple else None
    return None


def _attribute_getters(
    mro: tuple[type, ...],
) -> tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]:
    own: list[Any] = []
    slots: list[tuple[str, Any]] = []
    for cls in mro:
        for key, member in list(_members_of(cls).items()):
            if key == "__dict__":
                if type(member) is types.GetSetDescriptorType:  # else it is the user's own
                    own.append(member.__get__)
            elif type(member) is types.MemberDescriptorType and _flags_of(cls) & _HEAP_TYPE:
                slots.append((key, member.__get__))
    return tuple(own), tuple(slots)

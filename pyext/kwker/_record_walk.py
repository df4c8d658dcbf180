"""Finds the values reachable from given objects that count as outputs, under names that repeat.

What counts: tensors and NumPy arrays (for some walks also numbers and text) that are
- items of lists, tuples, deques, dicts, sets, frozensets and mapping proxies, derived classes of
  them included (a set's are put in the order of their digests), and of arrays of objects;
- attributes of instances, in their `__dict__` or slots, other tensors on a tensor among them;
- parameters and buffers of modules, TorchScript's too; parameters and state of optimizers;
- the object that a bound method is bound to;
- attributes of classes that the script itself defines (those whose `__module__` is `__main__`),
  where the class itself is come by: as a global, for instance;
- gradients (`.grad`) of tensors found, where the walk is asked for them.

What does not: keys of dicts; what only closures, default arguments, `functools.partial`, iterators,
generators or frames hold; weak references; attributes of imported modules and of their classes;
attributes of TorchScript modules other than parameters and buffers; files that `numpy.save`,
`torch.jit.save` and the like write.

No code of the user's runs: containers are read through the built-in types' own functions,
instances through their `__dict__` and slots; no properties, no `__getattr__`, no `__repr__`.
"""

from __future__ import annotations

import gc
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kwker._record_classes import (
    ARRAY,
    MODULE,
    OPTIMIZER,
    SCRIPT_MODULE,
    TENSOR,
    ClassPlan,
    are_atoms,
    is_atom,
    members_of_script_class,
    plain_scalar,
    plan_of,
)
from kwker._record_digest import gradient_of, of_leaf
from kwker._record_optimizer_parts import key_name, parts_of_optimizer, text_of

# An object graph larger than this is not walked to its end (and the walk says so).
MAX_OBJECTS = 1_000_000
# The same for what is in one set, which has to be digested to be put in an order.
MAX_OBJECTS_IN_SET = 20_000

Named = tuple[str, Any]


class Walk:
    """A walk over several roots that names each object once, by the first way to it.

    `incomplete` is called with the reason, in words, when something was not looked at. `scalars`
    are the kinds of them that count, of `_record_classes.SCALARS`.
    """

    def __init__(
        self,
        incomplete: Callable[[str], None],
        *,
        of: str = "the walk",
        scalars: frozenset[str] = frozenset(),
        gradients: bool = False,
    ) -> None:
        self._incomplete = incomplete
        self._of = of
        self._scalars = scalars
        self._gradients = gradients
        self._left = MAX_OBJECTS
        self._seen: dict[int, object] = {}  # holds the objects, or ids could be used again
        # What the walks have seen that this one, over what is in a set, is a part of.
        self._before: tuple[dict[int, object], ...] = ()
        self._plans: dict[int, ClassPlan] = {}

    def leaves(self, name: str, root: object) -> Iterator[Named]:
        """Name and value of each output not met before, in a stable order."""
        stack: list[tuple[str, object]] = [(name, root)]
        while stack:
            name, value = stack.pop()
            plan = self._plan(type(value))
            is_scalar = plan.scalar in self._scalars
            if not is_scalar and (plan.never_inside or self._has_met(id(value))):
                continue
            if self._left <= 0:
                self._incomplete(f"{self._of}: too many objects to look at all of them")
                return
            self._left -= 1
            if is_scalar:
                yield name, plain_scalar(plan, value)
                continue
            self._seen[id(value)] = value
            if TENSOR in plan.kinds or (ARRAY in plan.kinds and not _holds_objects(value)):
                yield name, value
            children = list(self._children(name, value, plan))
            children.reverse()
            stack += children

    def has_met(self, value: object) -> bool:
        """Whether the walk has come by this very object."""
        return self._has_met(id(value))

    def refresh(self, of: str) -> None:
        """Lets the walk look at as many objects again, for what it is told to be `of` now."""
        self._left, self._of = MAX_OBJECTS, of

    def optimizer_leaves(self, name: str, attributes: dict[str, object]) -> Iterator[Named]:
        """The same for an optimizer of which only its `__dict__` is left."""
        for child, value in parts_of_optimizer(name, attributes):
            yield from self.leaves(child, value)

    def _has_met(self, identity: int) -> bool:
        return identity in self._seen or any(identity in seen for seen in self._before)

    def _plan(self, cls: type) -> ClassPlan:
        plan = self._plans.get(id(cls))
        if plan is None:
            plan = self._plans[id(cls)] = plan_of(cls)
        return plan

    def _is_nothing(self, value: Any) -> bool:
        """Whether it can be passed over: what makes large collections of plain objects cheap."""
        if self._scalars:
            return False
        if is_atom(value):
            return True
        cls = type(value)
        if cls is tuple or cls is list:
            return are_atoms(value)
        if cls is dict:
            return are_atoms(value.values())
        plan = self._plan(cls)
        return plan.only_attributes and all(
            are_atoms(dict.values(own))
            for own in (get(value) for get in plan.own)
            if isinstance(own, dict)
        )

    def _children(self, name: str, value: Any, plan: ClassPlan) -> Iterator[Named]:
        if plan.container is not None:
            yield from self._contents(name, value, plan)
        if TENSOR in plan.kinds and self._gradients:
            gradient = gradient_of(value)
            if gradient is not None:
                yield f"{name}.grad", gradient
        elif ARRAY in plan.kinds and _holds_objects(value):
            yield from self._numbered(name, _objects_of(value))
        elif SCRIPT_MODULE in plan.kinds:
            yield from _parts_of_script_module(name, value)
        attributes = _attributes(value, plan)
        if OPTIMIZER in plan.kinds:
            yield from parts_of_optimizer(name, attributes)
            attributes.pop("param_groups", None)
            attributes.pop("state", None)
        elif MODULE in plan.kinds:
            yield from self._parts_of_module(name, attributes)
        if plan.container is dict:
            attributes.pop("_metadata", None)  # of a state_dict(): versions of torch's formats
        settings = bool(plan.kinds)  # numbers among the attributes are not the script's results
        for key, item in attributes.items():
            if type(key) is str and not (self._is_nothing(item) or (settings and is_atom(item))):
                yield f"{name}.{key}", item

    def _contents(self, name: str, value: Any, plan: ClassPlan) -> Iterator[Named]:
        container = plan.container
        if container is list:
            yield from self._numbered(name, _items(list, value))
        elif container is tuple:
            items = _items(tuple, value)
            if plan.fields is not None and len(plan.fields) == len(items):
                for field, item in zip(plan.fields, items, strict=True):
                    yield f"{name}.{field}", item
            else:
                yield from self._numbered(name, items)
        elif container is deque:
            yield from self._numbered(name, _items(deque, value))
        elif container is dict:
            if self._scalars or not are_atoms(dict.values(value)):
                for i, (key, item) in enumerate(list(dict.items(value))):
                    if not self._is_nothing(item):
                        yield f"{name}[{key_name(key, i)}]", item
        elif container is set or container is frozenset:
            yield from self._in_order(name, _items(container, value))
        elif container is types.MappingProxyType:
            for mapping in gc.get_referents(value):  # not its items(): they are the mapping's own
                yield name, mapping
        elif container is types.MethodType:
            yield f"{name}.__self__", types.MethodType.__getattribute__(value, "__self__")
        elif container is type:
            for key, item in members_of_script_class(value):
                if not self._is_nothing(item):
                    yield f"{name}.{key}", item

    def _numbered(self, name: str, items: Any) -> Iterator[Named]:
        if self._scalars or not are_atoms(items):
            for i, item in enumerate(items):
                if not self._is_nothing(item):
                    yield f"{name}[{i}]", item

    def _in_order(self, name: str, items: list[Any]) -> Iterator[Named]:
        """A set's items, whose own order changes from run to run, by what is found in them."""
        items = [item for item in items if not self._is_nothing(item)]
        if not items:
            return
        inside = bool(self._before)
        left = self._left if inside else MAX_OBJECTS_IN_SET
        keyed: list[tuple[list[tuple[str, str]], Any]] = []
        for item in items:
            part = Walk(self._incomplete, of=f"{name}, a set", scalars=self._scalars)
            part._left, part._plans = left, self._plans
            part._before = (*self._before, self._seen)
            keyed.append(([(at, _digest(leaf)) for at, leaf in part.leaves("", item)], item))
            left = part._left
        if inside:
            self._left = left
        keyed.sort(key=lambda entry: entry[0])
        for i, (_, item) in enumerate(keyed):
            yield f"{name}{{{i}}}", item

    def _parts_of_module(self, name: str, attributes: dict[str, Any]) -> Iterator[Named]:
        native = attributes.get("_c")
        is_script = native is not None and SCRIPT_MODULE in self._plan(type(native)).kinds
        if is_script:
            yield name, attributes.pop("_c")
        for registry in ("_parameters", "_buffers", "_modules"):
            entries = attributes.pop(registry, None)
            if isinstance(entries, dict):
                for key, item in dict.items(entries):
                    yield f"{name}.{text_of(key)}", item
            elif entries is not None and not is_script:
                self._incomplete(f"{name} keeps its {registry[1:]} in an unknown way")


def _digest(leaf: object) -> str:
    try:
        return of_leaf("", leaf).digest
    except Exception:  # told when it is the leaf's own turn
        return ""


def _items(container: Any, value: Any) -> Any:
    return value if type(value) is container else list(container.__iter__(value))


def _attributes(value: object, plan: ClassPlan) -> dict[str, Any]:
    """The instance's own attributes: its `__dict__` and filled slots."""
    found: dict[str, Any] = {}
    if plan.container is type or plan.container is types.MethodType:
        return found
    for get in plan.own:
        own = get(value)
        if isinstance(own, dict):
            found.update(dict.items(own))
    for key, get in plan.slots:
        try:
            found.setdefault(key, get(value))
        except AttributeError:  # an empty slot
            continue
    return found


def _parts_of_script_module(name: str, module: Any) -> Iterator[Named]:
    import torch

    registries: tuple[Any, ...] = (
        torch._C.ParameterDict,
        torch._C.BufferDict,
        torch._C.ModuleDict,
    )
    for registry in registries:
        for key, item in registry(module).items():
            yield f"{name}.{key}", item


def _holds_objects(array: Any) -> bool:
    numpy = sys.modules["numpy"]
    return bool(vars(numpy.ndarray)["dtype"].__get__(array).hasobject)


def _objects_of(array: Any) -> list[Any]:
    numpy = sys.modules["numpy"]
    objects: list[Any] = numpy.ndarray.view(array, numpy.ndarray).ravel().tolist()
    return objects


def globals_of(namespace: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """A module's globals that a script can have made, named for the report."""
    for key, value in list(namespace.items()):
        if type(key) is str and not (key.startswith("__") and key.endswith("__")):
            yield f"globals.{key}", value

"""What an audit's outputs are found in, and how they are named."""

from __future__ import annotations

import collections
import dataclasses
import time
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from kwker import _record_walk
from kwker._record_classes import NUMBERS, SCALARS
from kwker._record_walk import Walk


def _unexpected(reason: str) -> None:
    raise AssertionError(reason)


def names(root: object) -> list[str]:
    return [name for name, _ in Walk(_unexpected).leaves("x", root)]


class Hostile:
    """Every piece of its code would be the user's, run by us."""

    __slots__ = ("__dict__", "slot")

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(name)

    def __repr__(self) -> str:
        raise AssertionError

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    def __hash__(self) -> int:
        return 1

    @property
    def computed(self) -> torch.Tensor:
        raise AssertionError


class HostileDict(dict[Any, Any]):
    def items(self) -> Any:
        raise AssertionError

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError


class HostileTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args: object, **kwargs: object) -> object:
        raise AssertionError


class HostileMeta(type):
    def __getattribute__(cls, name: str) -> object:
        raise AssertionError(name)

    def __hash__(cls) -> int:
        raise AssertionError

    def __eq__(cls, other: object) -> bool:
        raise AssertionError


class _Hashable:
    def __init__(self, held: object) -> None:
        self.held = held

    def method(self) -> None: ...


@dataclasses.dataclass
class Result:
    loss: torch.Tensor
    curve: list[Any]


@dataclasses.dataclass(slots=True)
class Slotted:
    weights: torch.Tensor


class TestWalk:
    def test_containers(self) -> None:
        point = collections.namedtuple("point", "a b")
        t = torch.ones(1)
        assert names([t, (t.clone(), {"k": t.clone(), 3: t.clone(), (1, "a"): t.clone()})]) == [
            "x[0]",
            "x[1][0]",
            "x[1][1]['k']",
            "x[1][1][3]",
            "x[1][1][(1, 'a')]",
        ]
        assert names(point(t, np.ones(1))) == ["x.a", "x.b"]
        assert names(collections.deque([t])) == ["x[0]"]
        assert names(Result(t, [np.ones(1)])) == ["x.loss", "x.curve[0]"]
        assert names(Slotted(t)) == ["x.weights"]
        assert names(np.array([t, None], dtype=object)) == ["x[0]"]

    def test_what_is_not_looked_into(self) -> None:
        t = torch.ones(1)
        assert names([torch, lambda: t, type("C", (), {"t": t}), {1, 2}, "text", 3, None]) == []

    def test_sets_are_put_in_order(self) -> None:
        def found() -> list[tuple[str, float]]:
            holders = [Result(torch.tensor(i / 7), []) for i in range(20)]
            items = {1, "a", *map(_Hashable, holders)}
            return [(name, value.item()) for name, value in Walk(_unexpected).leaves("x", items)]

        assert len(found()) == 20
        assert found() == found()
        nested = frozenset({frozenset({frozenset({torch.ones(1)})}), frozenset({torch.zeros(1)})})
        assert sorted(names(nested)) in (
            ["x{0}{0}", "x{1}{0}{0}"],
            ["x{0}{0}{0}", "x{1}{0}"],
        )

    def test_a_set_of_objects_that_know_the_set(self) -> None:
        members: set[Any] = set()
        for i in range(3):
            node = _Hashable(torch.tensor(float(i)))
            node.members = members  # type: ignore[attr-defined]
            members.add(node)
        assert names(members) == [f"x{{{i}}}.held" for i in range(3)]

    def test_bound_methods_and_views_of_dicts(self) -> None:
        holder = Result(torch.ones(1), [])
        assert names(_Hashable(holder).method) == ["x.__self__.held.loss"]
        assert names(types.MappingProxyType({"a": torch.ones(1)})) == ["x['a']"]
        assert names(types.MappingProxyType(HostileDict(a=torch.ones(1)))) == ["x['a']"]

    def test_classes_of_the_scripts(self) -> None:
        members = {"__module__": "__main__", "best": torch.ones(1), "f": lambda self: None}
        assert names(type("C", (), members)) == ["x.best"]
        hostile = types.new_class(
            "D", (), {"metaclass": HostileMeta}, lambda namespace: namespace.update(members)
        )
        assert names([hostile, object.__new__(hostile)]) == ["x[0].best"]

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_torchscript(self) -> None:
        model = torch.jit.script(nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1)))
        expected = ["0.weight", "0.bias", "0.running_mean", "0.running_var"]
        expected += ["0.num_batches_tracked", "1.weight", "1.bias"]
        assert names(model) == [f"x.{name}" for name in expected]
        traced = torch.jit.trace(nn.Linear(1, 1), torch.ones(1, 1))
        assert len(names(traced)) == 2
        assert len(names(nn.ModuleList([torch.jit.script(nn.BatchNorm1d(3))]))) == 5

    def test_a_module_that_keeps_its_parameters_elsewhere(self) -> None:
        model = nn.Linear(1, 1)
        vars(model)["_parameters"] = tuple(model.parameters())
        reasons: list[str] = []
        assert list(Walk(reasons.append).leaves("x", model)) == []
        assert reasons == ["x keeps its parameters in an unknown way"]

    def test_gradients(self) -> None:
        model = nn.Linear(1, 1)
        middle = model(torch.ones(1, 1))
        (middle * 2).sum().backward()
        found = [name for name, _ in Walk(_unexpected, gradients=True).leaves("x", [model, middle])]
        assert found == ["x[0].weight", "x[0].weight.grad", "x[0].bias", "x[0].bias.grad", "x[1]"]
        hostile = torch.ones(1).as_subclass(HostileTensor)
        assert len(list(Walk(_unexpected, gradients=True).leaves("x", hostile))) == 1

    def test_scalars(self) -> None:
        class Rate(float):
            pass

        model = nn.Linear(1, 1)
        root = [0.5, {"a": np.float32(1), "b": (True, "text")}, Result(1j, [None]), Rate(2), model]  # type: ignore[arg-type]
        for scalars, more in ((NUMBERS, []), (SCALARS, ["x[1]['b'][1]", "x[2].curve[0]"])):
            leaves = dict(Walk(_unexpected, scalars=scalars).leaves("x", root))
            assert set(leaves) == {
                *("x[0]", "x[1]['a']", "x[1]['b'][0]", "x[2].loss", "x[3]"),
                *("x[4].weight", "x[4].bias"),
                *more,
            }
            assert type(leaves["x[3]"]) is float

    def test_too_many_objects(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_record_walk, "MAX_OBJECTS", 10)
        reasons: list[str] = []
        walk = Walk(reasons.append, of="these")
        assert len(list(walk.leaves("x", [torch.ones(1) for _ in range(20)]))) == 9
        assert reasons == ["these: too many objects to look at all of them"]
        walk.refresh(of="those")
        assert len(list(walk.leaves("y", [torch.ones(1)]))) == 1

    def test_very_many_plain_objects_are_passed_over(self) -> None:
        """Faster by far than an object at a time, and not counted."""
        many = range(300_000)
        for plain in (
            list(many),
            {i: (i, "text") for i in many},
            [{"id": i, "name": "text"} for i in many],
            [_Hashable(i) for i in many],
        ):
            start = time.process_time()
            assert names([plain, torch.ones(1)]) == ["x[1]"]
            assert time.process_time() - start < 3

    def test_modules(self) -> None:
        model = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
        vars(model)["extra"] = [torch.ones(1)]
        assert names(model) == [
            "x.0.weight",
            "x.0.bias",
            "x.1.weight",
            "x.1.bias",
            "x.1.running_mean",
            "x.1.running_var",
            "x.1.num_batches_tracked",
            "x.extra[0]",
        ]

    def test_optimizer_state_by_index(self) -> None:
        model = nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        model(torch.ones(1)).backward()
        optimizer.step()
        assert names(optimizer) == [
            "x.param_groups[0].params[0]",
            "x.param_groups[0].params[1]",
            "x.state[0].momentum_buffer",
            "x.state[1].momentum_buffer",
        ]

    def test_shared_and_cyclic(self) -> None:
        t = torch.ones(1)
        shared: list[Any] = [t, t]
        shared.append(shared)
        assert names([shared, {"again": shared}]) == ["x[0][0]"]

    def test_deep(self) -> None:
        root: list[Any] = [torch.ones(1)]
        for _ in range(50_000):
            root = [root]
        assert len(names(root)) == 1

    def test_runs_no_code_of_the_users(self) -> None:
        hostile = Hostile()
        object.__setattr__(hostile, "slot", torch.ones(1))
        object.__getattribute__(hostile, "__dict__")["own"] = torch.ones(1)
        assert sorted(names(hostile)) == ["x.own", "x.slot"]
        assert names(HostileDict({hostile: torch.ones(1), "k": torch.ones(1)})) == [
            "x[#0]",
            "x['k']",
        ]

    def test_inner_tensors_of_subclasses(self) -> None:
        from torch.testing._internal.two_tensor import TwoTensor

        both = TwoTensor(torch.ones(2), torch.zeros(2))
        assert names(both) == ["x", "x.a", "x.b"]

"""What an audit looks at when a script has ended: found, named, and digested by its bits."""

from __future__ import annotations

import collections
import dataclasses
import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from kwker._record import MAX_OUTPUTS, Recorder
from kwker._record_digest import Output, of_array, of_scalar, of_tensor
from kwker._record_trail import BLOCK, SINGLE_VALUES, Trail
from kwker._record_walk import Walk


def names(root: object) -> list[str]:
    return [name for name, _ in Walk().leaves("x", root)]


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


def digest(tensor: torch.Tensor) -> str:
    return of_tensor("x", tensor).digest


class TestDigest:
    def test_bits_shape_and_dtype_count(self) -> None:
        base = torch.arange(6.0)
        others = [
            base.reshape(2, 3),
            base.double(),
            base.int(),
            base.flip(0),
            -base,  # the sign of zero
            torch.nextafter(base, torch.tensor(9.0)),
        ]
        assert len({digest(t) for t in [base, *others]}) == 1 + len(others)

    def test_strides_do_not_count(self) -> None:
        base = torch.arange(24.0).reshape(2, 3, 4)
        assert digest(base) == digest(base.transpose(0, 2).contiguous().transpose(0, 2))
        assert digest(torch.ones(3)) == digest(torch.ones(1).expand(3))

    def test_any_nan_is_any_nan(self) -> None:
        one = torch.tensor([0x7FC00000, 0], dtype=torch.int32).view(torch.float32)
        other = torch.tensor([-1, 0], dtype=torch.int32).view(torch.float32)
        assert of_tensor("x", one) == of_tensor("x", other)
        assert of_tensor("x", one).nans == 1

    @pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e4m3fn", "bool", "complex64"])
    def test_dtypes(self, dtype: str) -> None:
        t = torch.ones(3).to(getattr(torch, dtype))
        output = of_tensor("x", t)
        assert output.dtype == dtype
        assert output.bytes == t.nbytes
        assert output.digest != digest(torch.zeros(3).to(t.dtype))

    def test_views_that_are_not_materialised(self) -> None:
        t = torch.tensor([1 + 2j, 3 - 1j])
        assert digest(t.conj()) == digest(t.conj().resolve_conj())
        assert digest(t.conj().imag) == digest(t.conj().imag.resolve_neg())

    @pytest.mark.parametrize(
        "make",
        [
            lambda v: torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.tensor([1.0, v]), (3,)),
            lambda v: torch.tensor([[1.0, v], [0, 0]]).to_sparse_csr(),
            lambda v: torch.tensor([[1.0, v], [0, 0]]).to_sparse_csc(),
            lambda v: torch.tensor([[1.0, v], [0, 0]]).to_sparse_bsr((1, 1)),
            lambda v: torch.quantize_per_tensor(torch.ones(2), v, 0, torch.quint8),
            lambda v: torch.quantize_per_channel(
                torch.ones(2, 1), torch.tensor([0.1, v]), torch.tensor([0, 0]), 0, torch.qint8
            ),
            lambda v: torch.nested.nested_tensor([torch.ones(2), torch.full((3,), v)]),
            lambda v: torch.full((2, 2), v).to_mkldnn(),
            lambda v: torch.full((2,), v).as_subclass(HostileTensor),
            lambda v: nn.Parameter(torch.full((2,), v)),
            lambda v: torch.empty(int(v), device="meta"),
        ],
    )
    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_kinds(self, make: Callable[[float], torch.Tensor]) -> None:
        assert of_tensor("x", make(2.0)) == of_tensor("x", make(2.0))
        assert digest(make(2.0)) != digest(make(3.0))

    def test_under_modes_of_the_users(self) -> None:
        from torch.utils._python_dispatch import TorchDispatchMode

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, *args: object, **kwargs: object) -> object:
                raise AssertionError

        t = torch.ones(2, 3)
        with Mode():  # type: ignore[no-untyped-call]
            inside = digest(t)
        assert inside == digest(t)

    def test_arrays(self) -> None:
        a = np.arange(6.0)
        frozen = a.copy()
        frozen.flags.writeable = False
        same = of_array("x", a)
        assert same.dtype == "numpy.float64"
        assert same == of_array("x", frozen) == of_array("x", a[::-1].copy()[::-1])
        assert same == of_array("x", a.astype(">f8"))._replace(dtype=same.dtype)
        assert same != of_array("x", a[::-1])
        for other in (np.array(["a"]), np.array(["2020-01-01"], "datetime64[D]"), np.zeros(0)):
            assert of_array("x", other).digest == of_array("x", other.copy()).digest

    def test_scalars(self) -> None:
        values: list[Any] = [0.0, -0.0, 1, True, "1", b"1", 1j, float("nan")]
        assert len({of_scalar("x", v).digest for v in values}) == len(values)
        assert of_scalar("x", float("nan")).nans == 1


class TestTrail:
    def test_long_ones_are_kept_in_blocks(self) -> None:
        trail = Trail("t")
        count = SINGLE_VALUES + 2 * BLOCK + 5
        for i in range(count):
            trail.append([of_scalar(trail.next_name(), i)])
        outputs = list(trail.outputs())
        assert len(outputs) == SINGLE_VALUES + 3
        assert [o.name for o in outputs[-3:]] == [
            f"t[{SINGLE_VALUES}..{SINGLE_VALUES + BLOCK - 1}]",
            f"t[{SINGLE_VALUES + BLOCK}..{SINGLE_VALUES + 2 * BLOCK - 1}]",
            f"t[{SINGLE_VALUES + 2 * BLOCK}..{count - 1}]",
        ]


class TestRecorder:
    """The recorder on its own; in torch it is watched by child_test.py, in processes."""

    def test_names_of_the_scripts_own(self) -> None:
        recorder = Recorder()
        for value in (0.5, {"a": torch.ones(1)}, [torch.ones(1), np.ones(1)]):
            recorder.record("acc", value)
        outputs = recorder.finish({"__name__": "x", "y": torch.ones(1)})
        assert [o.name for o in outputs] == [
            "acc[0]",
            "acc[1]['a']",
            "acc[2][0]",
            "acc[2][1]",
            "globals.y",
        ]

    def test_nothing_after_the_end(self) -> None:
        recorder = Recorder()
        recorder.finish({})
        recorder.record("late", 1)
        assert recorder.finish({}) == []

    def test_very_many_outputs(self) -> None:
        def outputs(last: float) -> list[Output]:
            many = [torch.zeros(()) for _ in range(MAX_OUTPUTS + 7)]
            many[-1].fill_(last)
            return Recorder().finish({"many": many})

        assert len(outputs(1)) == MAX_OUTPUTS + 1
        assert outputs(1)[-1].name == "7 further outputs"
        assert outputs(1) == outputs(1)
        assert outputs(1)[-1] != outputs(2)[-1]

    def test_optimizers_are_not_kept_alive(self) -> None:
        import weakref

        recorder = Recorder()

        def train() -> weakref.ref[Any]:
            parameter = nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
            recorder._optimizers.add(optimizer)
            recorder._optimizers.add(optimizer)
            parameter.sum().backward()
            optimizer.step()
            return weakref.ref(parameter)

        assert train()() is None
        assert [o.name for o in recorder.finish({})] == [
            "optimizer[0].param_groups[0].params[0]",
            "optimizer[0].state[0].momentum_buffer",
        ]

    def test_garbage_counts_the_same_whenever_it_is_collected(self) -> None:
        def outputs(early: bool) -> list[str]:
            recorder = Recorder()

            def train() -> None:
                parameter = nn.Parameter(torch.ones(2))
                optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
                recorder._optimizers.add(optimizer)
                parameter.sum().backward()
                optimizer.step()
                trainer: list[Any] = [optimizer]
                trainer.append(trainer)

            train()
            if early:
                gc.collect()
            return [o.name for o in recorder.finish({})]

        assert outputs(True) == outputs(False) == ["optimizer[0].state[0].momentum_buffer"]

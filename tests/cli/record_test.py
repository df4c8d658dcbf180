"""What an audit looks at when a script has ended: found, named, and digested by its bits."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from kwker import _record, _record_walk
from kwker._record import MAX_OUTPUTS, Recorder
from kwker._record_digest import Output, of_array, of_scalar, of_tensor
from kwker._record_trail import BLOCK, SINGLE_VALUES, Trail


class HostileTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args: object, **kwargs: object) -> object:
        raise AssertionError


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
        assert of_scalar("x", 10**5000) != of_scalar("x", 10**5000 + 1)


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
        def outputs(early: bool, rate: float = 0.1) -> list[Output]:
            recorder = Recorder()

            def train() -> None:
                parameter = nn.Parameter(torch.ones(2))
                optimizer = torch.optim.SGD([parameter], lr=rate, momentum=0.9)
                recorder._optimizers.add(optimizer)
                parameter.sum().backward()
                optimizer.step()
                trainer: list[Any] = [optimizer]
                trainer.append(trainer)

            train()
            if early:
                gc.collect()
            return recorder.finish({})

        assert outputs(True) == outputs(False)
        assert [o.name for o in outputs(True)] == [
            "optimizer[0].param_groups[0].params[0]",
            "optimizer[0].state[0].momentum_buffer",
        ]
        for early in (True, False):
            assert outputs(early)[0] != outputs(early, rate=0.2)[0]

    @pytest.mark.parametrize("kept", [True, False], ids=["kept", "ended"])
    def test_a_model_outlives_trainers(self, kept: bool) -> None:
        """Its parameters count with their last values, whenever the trainers are collected."""

        def outputs(early: bool) -> list[Output]:
            recorder = Recorder()
            model = [nn.Parameter(torch.ones(2))]

            def train() -> None:
                optimizer = torch.optim.SGD(model, lr=0.1)
                recorder._optimizers.add(optimizer)
                model[0].sum().backward()
                optimizer.step()
                trainer: list[Any] = [optimizer]
                trainer.append(trainer)

            for _ in range(3):
                train()
                if early:
                    gc.collect()
            others: dict[str, object] = {"seen": model[0]} if kept else {}
            model.clear()
            return recorder.finish(others)

        assert outputs(True) == outputs(False)
        assert (
            len({o.digest for o in outputs(True) if o.shape == (2,) and "grad" not in o.name}) == 1
        )

    def test_optimizers_with_schedulers_end_too(self) -> None:
        """Though the scheduler's `step` in the optimizer refers to the optimizer."""
        recorder = Recorder()
        parameter = nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([parameter], lr=0.1)
        recorder._optimizers.add(optimizer)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        recorder._on_backward(None, (parameter.sum(),), {})
        end = weakref.ref(optimizer)
        del optimizer, scheduler
        gc.collect()
        assert end() is None
        assert "optimizer[0].param_groups[0].params[0]" in [o.name for o in recorder.finish({})]

    def test_what_could_not_be_compared(self) -> None:
        recorder = Recorder()
        recorder.record("nothing", [lambda: None])
        recorder.record("fine", None)
        recorder.record([], 1)  # type: ignore[arg-type]
        recorder.finish({})
        assert recorder.incomplete == [
            "nothing[0], recorded by the script, has nothing to compare in it (list)",
            "the recorder failed (TypeError)",
        ]

    def test_a_tensor_without_a_rule(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(name: str, value: object) -> Output:
            raise TypeError

        monkeypatch.setattr(_record, "of_leaf", refuse)
        recorder = Recorder()
        assert recorder.finish({"t": torch.ones(1)}) == []
        assert recorder.incomplete == ["globals.t could not be compared (TypeError)"]

    def test_globals_too_large_leave_the_optimizers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_record_walk, "MAX_OBJECTS", 50)
        recorder = Recorder()
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1)
        recorder._optimizers.add(optimizer)
        outputs = recorder.finish({"many": [torch.ones(1) for _ in range(99)], "late": optimizer})
        assert outputs[-1].name == "optimizer[0].param_groups[0].params[0]"
        assert recorder.incomplete == [
            "the script's globals: too many objects to look at all of them"
        ]

    def test_numbers_in_what_is_saved(self) -> None:
        recorder = Recorder()
        recorder._on_save(None, ({"epoch": 3, "when": "now", "w": torch.ones(1)},), {})
        assert [o.name for o in recorder.finish({})] == ["saved[0]['epoch']", "saved[0]['w']"]

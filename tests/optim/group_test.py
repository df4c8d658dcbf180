"""The step of a whole group: taken where torch's step() would collect its tensors, and only there.

torch's step() fills lists by _init_group() and hands them to adam() or sgd(). Programs build on
each of the two, so each must see what it would see without Kwker.
"""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.optim import (
    ASGD,
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    Optimizer,
    RAdam,
    RMSprop,
    Rprop,
)

from comparison import By, assert_same, assert_succeeds_same, with_state
from kwker import torch_ops
from tables import BRANCHES, Case, draw

ADAM = import_module("torch.optim.adam")
KINDS = [
    pytest.param(cls, options, id=cls.__name__)
    for cls, options in (
        (Adam, {}),
        (SGD, {"momentum": 0.9}),
        (RMSprop, {"momentum": 0.9}),
        (Adagrad, {}),
        (NAdam, {}),
        (RAdam, {}),
        (Adamax, {}),
        (Adadelta, {}),
        (ASGD, {}),
        (Rprop, {}),
    )
]


def _train(
    make: Callable[[list[Tensor]], Optimizer],
    between: Callable[[Optimizer, int], None] = lambda optimizer, step: None,
    dtypes: tuple[torch.dtype, ...] = (torch.float32,),
) -> object:
    parameters = [
        draw((n,), dtype=dtype, seed=n).requires_grad_() for dtype in dtypes for n in (1, 40, 1001)
    ]
    optimizer = make(parameters)

    def run() -> None:
        for step in range(4):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, dtype=parameter.dtype, seed=step + 1)
            optimizer.step()
            between(optimizer, step)

    return with_state(run, optimizer)


class LoggingAdam(Adam):
    """Reads the lists that _init_group() fills, as optimizers built on torch's do."""

    def step(self, closure: Any = None) -> Any:
        self.seen: list[int] = getattr(self, "seen", [])
        for group in self.param_groups:
            lists: list[list[Tensor]] = [[] for _ in range(6)]
            self._init_group(group, *lists)  # type: ignore[no-untyped-call]
            self.seen += [len(each) for each in lists]
            ADAM.adam(
                *lists,
                amsgrad=group["amsgrad"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                lr=group["lr"] / 2,
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )


class RoundedSGD(SGD):
    """Changes the gradients on their way."""

    def _init_group(self, group: Any, params: Any, grads: Any, momentum_buffer_list: Any) -> bool:
        init_group: Callable[..., bool] = super()._init_group
        sparse = init_group(group, params, grads, momentum_buffer_list)
        grads[:] = [grad.round(decimals=1) for grad in grads]
        return sparse


def test_a_step_built_on_init_group_gets_the_lists() -> None:
    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        optimizer = LoggingAdam([parameter])
        for step in range(3):
            parameter.grad = draw((40,), seed=step + 1)
            with torch.no_grad():
                optimizer.step()
        return optimizer, optimizer.seen

    assert assert_succeeds_same(scenario).result["result[1][0]"] == "1"


def test_an_init_group_built_on_torchs_gets_the_lists() -> None:
    assert_succeeds_same(lambda: _train(lambda p: RoundedSGD(p, lr=0.1, momentum=0.9)))


@pytest.mark.parametrize(("cls", "options"), KINDS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_whoever_replaces_the_function_gets_the_lists(
    monkeypatch: pytest.MonkeyPatch, when: str, cls: type[Optimizer], options: dict[str, Any]
) -> None:
    name = cls.__name__.lower()
    module = import_module(f"torch.optim.{name}")
    seen: list[int] = []

    def replace() -> None:
        original = getattr(module, name)

        def logging(params: list[Tensor], *args: Any, **kwargs: Any) -> None:
            seen.append(len(params))
            original(params, *args, **kwargs)

        monkeypatch.setattr(module, name, logging)

    if when == "before":
        replace()
    with torch_ops.installed(verify=False):
        if when == "after":
            replace()
        _train(lambda p: cls(p, **options))
        monkeypatch.undo()
    assert seen == [3] * 4


@pytest.mark.parametrize(("cls", "options"), KINDS)
def test_whoever_replaces_init_group_is_called(
    monkeypatch: pytest.MonkeyPatch, cls: Any, options: dict[str, Any]
) -> None:
    def scenario() -> object:
        seen: list[int] = []
        original = cls._init_group

        def logging(self: Any, group: Any, *lists: Any) -> Any:
            answer = original(self, group, *lists)
            seen.extend(len(each) for each in lists)
            return answer

        with monkeypatch.context() as patch:
            patch.setattr(cls, "_init_group", logging)
            return _train(lambda p: cls(p, **options)), seen

    assert_succeeds_same(scenario)


@pytest.mark.parametrize(("cls", "options"), KINDS)
def test_called_by_hand_it_fills_the_lists(cls: Any, options: dict[str, Any]) -> None:
    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        parameter.grad = draw((40,), seed=1)
        optimizer = cls([parameter], **options)
        optimizer.step()
        given = inspect.signature(cls._init_group).parameters
        lists: list[list[Any]] = [[] for _ in range(len(given) - 2)]
        with torch.no_grad():
            answer = optimizer._init_group(optimizer.param_groups[0], *lists)
        return answer, lists, optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize(("cls", "options"), KINDS)
@pytest.mark.parametrize("key", ["lr", "weight_decay", "foreach", "fused", "maximize", "params"])
def test_a_missing_option_raises_before_anything_changes(
    cls: type[Optimizer], options: dict[str, Any], key: str
) -> None:
    def drop(optimizer: Optimizer, step: int) -> None:
        if step == 1:
            del optimizer.param_groups[0][key]

    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40)]
        optimizer = cls(parameters, **options)

        def run() -> None:
            for step in range(4):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + 1)
                optimizer.step()
                drop(optimizer, step)

        states = [optimizer.state[p] for p in parameters]
        return with_state(run, parameters, states)

    outcome = assert_same(scenario)
    if cls is Rprop and key == "lr":  # which only a first step reads
        assert outcome.error is None
        return
    assert outcome.error is not None
    assert outcome.error[0] == "KeyError"


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_groups_of_two_dtypes(case: Case, threads: int) -> None:
    assert_succeeds_same(
        lambda: _train(case.make, dtypes=(torch.float32, torch.float64)),
    )


def _plain_state(optimizer: Optimizer, step: int) -> None:
    optimizer.state = dict(optimizer.state)  # type: ignore[assignment]


def _list_of_betas(optimizer: Optimizer, step: int) -> None:
    for group in optimizer.param_groups:
        if "betas" in group:
            group["betas"] = list(group["betas"])


def _half_of_the_state(optimizer: Optimizer, step: int) -> None:
    if step == 1:
        optimizer.state.pop(optimizer.param_groups[0]["params"][1], None)


def _tuple_of_params(optimizer: Optimizer, step: int) -> None:
    group = optimizer.param_groups[0]
    group["params"] = tuple(group["params"])


def _state_of_another(optimizer: Optimizer, step: int) -> None:
    first, second = optimizer.param_groups[0]["params"][1:3]
    optimizer.state[first]["extra"] = "something"
    optimizer.state[second] = copy.copy(optimizer.state[second])


@pytest.mark.parametrize(
    "between",
    [_plain_state, _list_of_betas, _half_of_the_state, _tuple_of_params, _state_of_another],
)
@pytest.mark.parametrize(("cls", "options"), KINDS)
def test_what_programs_do_to_groups_and_state(
    cls: type[Optimizer],
    options: dict[str, Any],
    between: Callable[[Optimizer, int], None],
) -> None:
    assert_succeeds_same(lambda: _train(lambda p: cls(p, **options), between), By.ANY)


class Curious(Adam):
    """Changes its group when it is asked for a gradient scaler's tensors."""

    def __getattr__(self, name: str) -> Any:
        if name == "grad_scale" and "param_groups" in vars(self):
            group = self.param_groups[0]
            group["betas"] = (*group["betas"],)
            group["lr"] *= 0.9
        raise AttributeError(name)


class Property(SGD):
    """Halves its learning rate whenever torch asks."""

    @property
    def found_inf(self) -> None:
        self.param_groups[0]["lr"] *= 0.5


@pytest.mark.parametrize("cls", [Curious, Property])
def test_attributes_of_subclasses_are_asked_for_as_often_as_torch_does(
    cls: type[Optimizer],
) -> None:
    assert_succeeds_same(lambda: _train(lambda p: cls(p, lr=0.1)))  # type: ignore[call-arg]


def test_a_copy_of_step_with_other_globals_gets_the_lists() -> None:
    def scenario() -> object:
        seen: list[int] = []
        code = inspect.unwrap(AdamW.step).__code__

        def logging(params: list[Tensor], *args: Any, **kwargs: Any) -> None:
            seen.append(len(params))
            ADAM.adam(params, *args, **kwargs)

        step = FunctionType(code, {**vars(ADAM), "adam": logging}, "step", (None,))

        def run(optimizer: Optimizer, number: int) -> None:
            with torch.no_grad():
                step(optimizer)

        return _train(AdamW, run), seen

    assert_succeeds_same(scenario)


def test_deterministic_algorithms() -> None:
    def scenario() -> object:
        torch.use_deterministic_algorithms(True)
        try:
            return _train(lambda p: SGD(p, lr=0.1, momentum=0.9, nesterov=True))
        finally:
            torch.use_deterministic_algorithms(False)

    assert_succeeds_same(scenario)


def test_an_init_group_of_the_instance() -> None:
    def scenario() -> object:
        def make(parameters: list[Tensor]) -> Optimizer:
            optimizer = AdamW(parameters)
            optimizer._init_group = lambda *args: Adam._init_group(optimizer, *args)  # type: ignore[method-assign]
            return optimizer

        return _train(make)

    assert_same(scenario)


def test_parameters_that_are_no_leaves_any_more() -> None:
    """torch warns of their missing gradients, step by step."""

    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        other = draw((7,)).requires_grad_()
        optimizer = AdamW([parameter, other])
        texts: list[list[str]] = []
        for step in range(3):
            other.grad = draw((7,), seed=step)
            if step == 1:
                with torch.no_grad():
                    parameter.requires_grad_(False)
                parameter.mul_(draw((40,), seed=9).requires_grad_())
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                optimizer.step()
            texts.append([str(warning.message)[:60] for warning in caught])
        return other, optimizer.state[other], texts

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize(("cls", "options"), KINDS)
def test_torch_collects_nothing(cls: Any, options: dict[str, Any]) -> None:
    parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40)]
    for parameter in parameters:
        parameter.grad = draw(parameter.shape, seed=1)
    optimizer = cls(parameters, **options)
    optimizer.step()
    asked: list[str] = []
    with torch_ops.installed(verify=False):
        torch_ops.reset_stats()
        code = inspect.unwrap(cls._init_group).__code__
        sys.setprofile(lambda frame, what, _: asked.append(what) if frame.f_code is code else None)
        try:
            optimizer.step()
        finally:
            sys.setprofile(None)
        calls = sum(feature["calls"] for feature in torch_ops.stats().values())
    assert (asked, calls) == ([], 1)

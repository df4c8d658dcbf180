"""Options that lead to other code of torch's: each runs it, with its results and its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer

from comparison import By, assert_same, assert_succeeds_same, with_state
from tables import DTYPES, OURS, Case, draw


def _train(case: Case, steps: int = 4, dtype: torch.dtype = torch.float32) -> object:
    parameters = [draw((n,), dtype=dtype, seed=n).requires_grad_() for n in (1, 40, 1001)]
    optimizer = case.make(parameters)

    def run() -> None:
        for step in range(steps):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, dtype=dtype, seed=step + 1)
            optimizer.step()

    return with_state(run, optimizer)


def _tensor(value: float, **options: Any) -> Tensor:
    return torch.tensor(value, **options)


DECLINED = [
    Case(Adam, {"fused": True}),
    Case(AdamW, {"fused": True, "weight_decay": 0.1}),
    Case(AdamW, {"lr": _tensor(0.01)}),
    Case(AdamW, {"lr": _tensor(0.01), "betas": (_tensor(0.9), _tensor(0.99))}),
    Case(Adam, {"betas": (_tensor(0.9), _tensor(0.99))}),
    Case(Adam, {"lr": _tensor(0.01, dtype=torch.float64), "weight_decay": 0.1}),
    Case(SGD, {"fused": True, "momentum": 0.9}),
    Case(SGD, {"lr": _tensor(0.01)}),
    Case(SGD, {"lr": _tensor(0.01), "weight_decay": _tensor(0.1), "momentum": 0.9}),
    Case(SGD, {"weight_decay": _tensor(0.1)}),
]


# Nesterov without a copy of the gradients: torch's foreach path changes the program's own.
FOREACH = [
    Case(case.cls, case.options, By.TORCH)
    if case.options.get("nesterov") and not case.options.keys() & {"weight_decay", "maximize"}
    else case
    for case in OURS
]


@pytest.mark.parametrize("case", DECLINED, ids=str)
def test_torchs_other_paths(case: Case, threads: int) -> None:
    assert_succeeds_same(lambda: _train(case), By.TORCH)


@pytest.mark.parametrize(
    "case",
    [
        Case(Adam, {"foreach": False}),
        Case(Adam, {"foreach": False, "fused": False}),
        Case(AdamW, {"fused": False, "foreach": False, "weight_decay": 0.1}),
        Case(SGD, {"foreach": False, "fused": False, "momentum": 0.9}),
    ],
    ids=str,
)
def test_the_loop_asked_for(case: Case) -> None:
    assert_succeeds_same(lambda: _train(case))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", FOREACH, ids=str)
def test_foreach_has_the_loops_bits(case: Case, dtype: torch.dtype, threads: int) -> None:
    """foreach=True with Kwker, against torch's own foreach path."""
    foreach = Case(case.cls, {**case.options, "foreach": True})
    assert_succeeds_same(lambda: _train(foreach, dtype=dtype), case.by)


@pytest.mark.parametrize(
    "case",
    [
        Case(cls, {name: number})
        for cls in (Adam, AdamW, SGD)
        for name in ("lr", "weight_decay")
        for number in (np.float64(0.013), np.float32(0.013), np.float16(0.013), np.int64(1), True)
    ]
    + [
        Case(Adam, {"betas": (np.float64(0.85), np.float64(0.97))}),
        Case(Adam, {"eps": np.float64(1e-6)}),
        Case(Adam, {"eps": np.float32(1e-6)}),
        Case(SGD, {"momentum": np.float64(0.9), "dampening": np.float64(0.1)}),
        Case(SGD, {"momentum": np.float32(0.9), "dampening": np.float32(0.1)}),
        Case(SGD, {"momentum": True, "nesterov": 1}),
        Case(SGD, {"momentum": 0.9, "nesterov": np.bool_(True), "maximize": np.bool_(True)}),
        Case(Adam, {"maximize": 1}),
        Case(Adam, {"maximize": np.bool_(False), "amsgrad": 0}),
        Case(SGD, {"momentum": -0.0, "weight_decay": -0.0}),
    ],
    ids=str,
)
def test_numbers_of_other_types(case: Case) -> None:
    assert_same(lambda: _train(case), By.ANY)


@pytest.mark.parametrize(
    "options",
    [
        {"lr": float("inf")},
        {"lr": float("nan")},
        {"lr": 1e300},
        {"lr": 1e39},
        {"lr": 10**30},
        {"weight_decay": 1e39},
        {"weight_decay": float("inf")},
        {"lr": 1e-320},
        {"lr": 1e200, "weight_decay": 1e200},
    ],
    ids=str,
)
@pytest.mark.parametrize("cls", [Adam, AdamW, SGD])
def test_numbers_beyond_the_dtype(cls: type[Optimizer], options: dict[str, Any]) -> None:
    assert_same(lambda: _train(Case(cls, options)), By.ANY)


@pytest.mark.parametrize(
    "options", [{"eps": 1e39}, {"eps": float("inf")}, {"betas": (1 - 1e-17, 0.9)}], ids=str
)
def test_numbers_beyond_the_dtype_of_adam(options: dict[str, Any]) -> None:
    assert_same(lambda: _train(Case(Adam, options)), By.ANY)


@pytest.mark.parametrize(
    "change",
    [
        {"betas": (0.95, 0.95)},
        {"betas": (1.0, 0.999)},
        {"betas": (1.5, 0.9)},
        {"betas": (-0.5, -0.5)},
        {"betas": [0.8, 0.9]},
        {"betas": (0.8, 0.9, 0.7)},
        {"lr": -0.1},
        {"lr": 1},
        {"lr": None},
        {"lr": "0.1"},
        {"lr": 1j},
        {"eps": -1e-8},
        {"eps": None},
        {"weight_decay": -0.1},
        {"weight_decay": None},
        {"maximize": True},
        {"maximize": None},
        {"amsgrad": True},
        {"capturable": True},
        {"decoupled_weight_decay": True, "weight_decay": 0.5},
        {"foreach": True},
        {"fused": True},
        {"differentiable": True},
    ],
    ids=str,
)
def test_adams_options_changed_between_steps(change: dict[str, Any]) -> None:
    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40)]
        optimizer = Adam(parameters, weight_decay=0.1)

        def run() -> None:
            for step in range(4):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + 1)
                optimizer.step()
                optimizer.param_groups[0].update(change)

        return with_state(run, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize(
    "change",
    [
        {"momentum": 0.9},
        {"momentum": 0.9, "nesterov": True},
        {"momentum": -0.9},
        {"momentum": None},
        {"momentum": 0.9, "dampening": None},
        {"momentum": 0.9, "dampening": 2.0},
        {"nesterov": True},
        {"lr": -0.1},
        {"lr": None},
        {"lr": 1j},
        {"weight_decay": -0.1},
        {"weight_decay": None},
        {"maximize": True},
        {"foreach": True},
        {"fused": True},
        {"differentiable": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("start", [{}, {"momentum": 0.5}], ids=str)
def test_sgds_options_changed_between_steps(start: dict[str, Any], change: dict[str, Any]) -> None:
    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40)]
        optimizer = SGD(parameters, lr=0.1, **start)

        def run() -> None:
            for step in range(4):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + 1)
                optimizer.step()
                optimizer.param_groups[0].update(change)

        return with_state(run, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("amsgrad", [False, True])
def test_capturable_is_refused_on_the_cpu(amsgrad: bool) -> None:
    outcome = assert_same(
        lambda: _train(Case(Adam, {"capturable": True, "amsgrad": amsgrad})), By.ANY
    )
    assert outcome.error is not None


@pytest.mark.parametrize(
    "case",
    [
        Case(Adam, {"differentiable": True, "weight_decay": 0.1}),
        Case(AdamW, {"differentiable": True}),
        Case(SGD, {"differentiable": True, "momentum": 0.9}),
    ],
    ids=str,
)
def test_differentiable(case: Case) -> None:
    """Gradients flow through the step to the start value."""

    def scenario() -> object:
        start = draw((40,)).requires_grad_()
        parameter = start.clone()
        optimizer = case.make([parameter])
        for step in range(3):
            parameter.grad = draw((40,), seed=step + 1).requires_grad_()
            optimizer.step()
        parameter.square().sum().backward()
        return optimizer, start.grad

    assert_succeeds_same(scenario, By.TORCH)


@pytest.mark.parametrize("case", DECLINED[:2], ids=str)
def test_differentiable_leaf_is_refused(case: Case) -> None:
    outcome = assert_same(lambda: _train(Case(case.cls, {"differentiable": True})), By.ANY)
    assert outcome.error is not None


def test_groups_with_differing_options() -> None:
    def scenario() -> Optimizer:
        groups = [
            {"params": [draw((3,)).requires_grad_()], "lr": 0.1},
            {"params": [draw((40,)).requires_grad_()], "weight_decay": 0.0, "eps": 1e-4},
            {"params": [draw((1001,)).requires_grad_()], "amsgrad": True},
            {"params": [draw((5,)).requires_grad_()], "maximize": True, "betas": (0.5, 0.6)},
            {"params": [draw((6,)).double().requires_grad_()], "foreach": True},
        ]
        optimizer = AdamW(groups, lr=0.01)
        for step in range(4):
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    parameter.grad = draw(parameter.shape, seed=step).to(parameter.dtype)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)

"""Every option, size and kind of data: parameters, state and counters equal torch's to the bit."""

from __future__ import annotations

import pytest
import torch
from torch.optim import Optimizer

import capability
from comparison import By, assert_succeeds_same
from runs import train
from tables import BRANCHES, DATA, DTYPES, LARGE_SHAPES, OURS, SMALL_SHAPES, Case, draw


def test_torch_uses_the_capability_asked_for() -> None:
    asked = capability.asked()
    if asked is None:
        pytest.skip("torch was left to choose")
    assert torch.backends.cpu.get_cpu_capability().lower() == asked


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", OURS, ids=str)
def test_small(case: Case, dtype: torch.dtype, data: str) -> None:
    assert_succeeds_same(lambda: train(case, SMALL_SHAPES, data, dtype, steps=7), case.by)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", OURS, ids=str)
def test_large(case: Case, dtype: torch.dtype, data: str) -> None:
    torch.set_num_threads(2)
    assert_succeeds_same(lambda: train(case, LARGE_SHAPES, data, dtype, steps=4), case.by)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_large_on_one_thread(case: Case, dtype: torch.dtype, data: str) -> None:
    torch.set_num_threads(1)
    assert_succeeds_same(lambda: train(case, LARGE_SHAPES, data, dtype, steps=3), case.by)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_many_steps(case: Case, dtype: torch.dtype, threads: int) -> None:
    shapes = [(1,), (33,), (7, 11, 13), (40000,)]
    assert_succeeds_same(lambda: train(case, shapes, "normal", dtype, steps=100), case.by)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_both_dtypes_in_one_group(case: Case) -> None:
    def scenario() -> Optimizer:
        parameters = [
            draw((n,), dtype=dtype, seed=n).requires_grad_()
            for n in (1, 40, 1001)
            for dtype in DTYPES
        ]
        optimizer = case.make(parameters)
        for step in range(4):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, dtype=parameter.dtype, seed=step)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_one_million_elements(case: Case, threads: int) -> None:
    def scenario() -> Optimizer:
        base = draw((200001,))
        parameter = base.repeat(5)[2:].clone().requires_grad_()
        optimizer = case.make([parameter])
        for step in range(2):
            parameter.grad = draw((200001,), seed=step + 5).repeat(5)[2:].clone()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.complex64], ids=str)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_other_dtypes_are_torchs(case: Case, dtype: torch.dtype) -> None:
    def scenario() -> Optimizer:
        parameters = [draw((n,)).to(dtype).requires_grad_() for n in (0, 1, 31, 100)]
        optimizer = case.make(parameters)
        for step in range(3):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, seed=step + 1).to(dtype)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.TORCH)

"""The optimizers beside Adam and SGD: every option, size and kind of data, equal to the bit."""

from __future__ import annotations

import pytest
import torch
from torch.optim import Optimizer

from comparison import By, assert_succeeds_same
from more_tables import BRANCHES, OURS, WEIGHT_ONE
from runs import train
from tables import DATA, DTYPES, LARGE_SHAPES, Case, draw

# Around the widths of vectors and of pairs of them.
SHAPES: list[tuple[int, ...]] = [
    (n,) for n in (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65, 511)
]
SHAPES += [(), (7, 11, 13), (0, 3)]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", OURS + WEIGHT_ONE, ids=str)
def test_small(case: Case, dtype: torch.dtype, data: str) -> None:
    assert_succeeds_same(lambda: train(case, SHAPES, data, dtype, steps=7), case.by)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", BRANCHES + WEIGHT_ONE, ids=str)
def test_large(case: Case, dtype: torch.dtype, data: str, threads: int) -> None:
    assert_succeeds_same(lambda: train(case, LARGE_SHAPES, data, dtype, steps=3), case.by)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_many_steps(case: Case, dtype: torch.dtype) -> None:
    shapes = [(1,), (33,), (7, 11, 13), (40000,)]
    assert_succeeds_same(lambda: train(case, shapes, "normal", dtype, steps=30), case.by)


@pytest.mark.parametrize("default", DTYPES, ids=str)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_state_of_the_default_dtype(case: Case, default: torch.dtype) -> None:
    """Step counters have torch's default dtype, whatever the parameters'."""

    def scenario() -> Optimizer:
        torch.set_default_dtype(default)
        try:
            return train(case, [(3,), (40,)], "normal", torch.float32, steps=8)
        finally:
            torch.set_default_dtype(torch.float32)

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

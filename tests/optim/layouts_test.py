"""Parameters, gradients and state in every arrangement that memory allows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
from torch import Tensor
from torch.optim import Optimizer

from comparison import By, assert_same, assert_succeeds_same
from tables import BRANCHES, DTYPES, Case, draw

Arrange = Callable[[Tensor], Tensor]


def _spread(values: Tensor, *steps: int) -> Tensor:
    """The values in a larger storage, with gaps along the leading dimensions."""
    room = torch.full([n * s for n, s in zip(values.shape, steps, strict=True)], float("nan"))
    view = room.to(values.dtype)[tuple(slice(None, None, s) for s in steps)]
    view.copy_(values)
    return view


def _offset(values: Tensor) -> Tensor:
    """Contiguous values that begin one element after the start of their storage."""
    room = torch.empty(values.numel() + 1, dtype=values.dtype)
    view = room[1:].view(values.shape)
    view.copy_(values)
    return view


MATRIX_LAYOUTS: dict[str, Arrange] = {
    "contiguous": lambda v: v.clone(),
    "transposed": lambda v: v.t().contiguous().t(),
    "offset": _offset,
    "rows with gaps": lambda v: _spread(v, 2, 1),
    "columns with gaps": lambda v: _spread(v, 1, 2),
    "both with gaps": lambda v: _spread(v, 3, 2),
    "in the middle of a batch": lambda v: torch.stack([v, v, v])[1],
    "transposed with gaps": lambda v: _spread(v.t(), 2, 1).t(),
}
IMAGE_LAYOUTS: dict[str, Arrange] = {
    "contiguous": lambda v: v.clone(),
    "channels_last": lambda v: v.contiguous(memory_format=torch.channels_last),
    "permuted": lambda v: v.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0),
    "channels with gaps": lambda v: _spread(v, 1, 2, 1, 1),
}


def _train(
    case: Case, values: list[Tensor], arrange: Arrange, arrange_gradient: Arrange
) -> Callable[[], Optimizer]:
    def scenario() -> Optimizer:
        parameters = [arrange(v.clone()).requires_grad_() for v in values]
        optimizer = case.make(parameters)
        for step in range(4):
            for i, parameter in enumerate(parameters):
                drawn = draw(parameter.shape, dtype=parameter.dtype, seed=100 * step + i + 50)
                parameter.grad = arrange_gradient(drawn)
            optimizer.step()
        return optimizer

    return scenario


# Arrangements without gaps, the same for parameter and gradient, are Kwker's (SGD's first step,
# which makes the momentum buffer, only where they are contiguous).
_DENSE = {"contiguous", "transposed", "offset", "in the middle of a batch", "channels_last"}


@pytest.mark.parametrize("of_gradient", MATRIX_LAYOUTS)
@pytest.mark.parametrize("of_parameter", MATRIX_LAYOUTS)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_matrices(case: Case, of_parameter: str, of_gradient: str) -> None:
    values = [draw(shape, seed=3) for shape in [(1, 1), (1, 5), (5, 1), (0, 4), (13, 17), (64, 64)]]
    same = of_parameter == of_gradient and of_parameter in _DENSE
    scenario = _train(case, values, MATRIX_LAYOUTS[of_parameter], MATRIX_LAYOUTS[of_gradient])
    assert_succeeds_same(scenario, By.KWKER_LATER if same else By.ANY)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("of_gradient", IMAGE_LAYOUTS)
@pytest.mark.parametrize("of_parameter", IMAGE_LAYOUTS)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_images(case: Case, of_parameter: str, of_gradient: str, dtype: torch.dtype) -> None:
    values = [draw(shape, dtype=dtype) for shape in [(4, 3, 3, 3), (1, 6, 1, 1), (8, 1, 5, 5)]]
    same = of_parameter == of_gradient and of_parameter in _DENSE
    scenario = _train(case, values, IMAGE_LAYOUTS[of_parameter], IMAGE_LAYOUTS[of_gradient])
    assert_succeeds_same(scenario, By.KWKER_LATER if same else By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_large_transposed(case: Case, threads: int) -> None:
    arrange = MATRIX_LAYOUTS["transposed"]
    scenario = _train(case, [draw((300, 301), seed=3)], arrange, arrange)
    assert_succeeds_same(scenario, By.KWKER_LATER)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
@pytest.mark.parametrize("shape", [(40,), (5, 7), (100003,)], ids=str)
def test_expanded_gradient(case: Case, shape: tuple[int, ...]) -> None:
    """What `x.sum().backward()` gives: one element seen everywhere."""

    def scenario() -> Optimizer:
        parameter = draw(shape).requires_grad_()
        optimizer = case.make([parameter])
        for _ in range(4):
            optimizer.zero_grad()
            parameter.sum().backward()
            optimizer.step()
            parameter.grad = torch.tensor(-0.25).expand(shape)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_expanded_parameter(case: Case) -> None:
    def scenario() -> Optimizer:
        parameter = torch.zeros(1).expand(5).requires_grad_()
        optimizer = case.make([parameter])
        parameter.grad = torch.ones(5)
        optimizer.step()
        return optimizer

    assert assert_same(scenario, By.ANY).error is not None


_STATE = ("exp_avg", "exp_avg_sq", "momentum_buffer")


@pytest.mark.parametrize("name", [n for n in MATRIX_LAYOUTS if n != "contiguous"])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_state_in_another_layout(case: Case, name: str) -> None:
    """As after loading a state that was saved by a model in another memory format."""

    def scenario() -> Optimizer:
        parameter = draw((13, 17)).requires_grad_()
        optimizer = case.make([parameter])
        for step in range(4):
            parameter.grad = draw((13, 17), seed=step + 1)
            optimizer.step()
            state = optimizer.state[parameter]
            for key in _STATE:
                if key in state:
                    state[key] = MATRIX_LAYOUTS[name](state[key])
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_views_of_one_storage(case: Case) -> None:
    """Parameters that lie side by side in one buffer, as flattened models have them."""

    def scenario() -> object:
        buffer, gradients = draw((200,)), draw((200,), seed=9)
        bounds = [0, 1, 17, 50, 114, 200]
        parameters = [buffer[a:b].requires_grad_() for a, b in pairwise(bounds)]
        optimizer = case.make(parameters)
        for step in range(4):
            gradients = gradients * (step + 1)
            for parameter, (a, b) in zip(parameters, pairwise(bounds), strict=True):
                parameter.grad = gradients[a:b]
            optimizer.step()
        return optimizer, buffer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_lazy_negation_and_zero_tensors(case: Case) -> None:
    """Gradients whose memory is not their value: negative bit, imaginary part of a conjugate."""

    def scenario() -> Optimizer:
        parameters = [draw((40,), seed=i).requires_grad_() for i in range(3)]
        optimizer = case.make(parameters)
        for step in range(4):
            drawn = draw((80,), seed=step + 1)
            parameters[0].grad = torch._neg_view(drawn[:40].clone())
            parameters[1].grad = torch.view_as_complex(drawn.view(40, 2)).conj().imag
            parameters[2].grad = torch._efficientzerotensor(40)
            optimizer.step()
        return optimizer

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_negated_parameter(case: Case) -> None:
    def scenario() -> Optimizer:
        parameter = torch._neg_view(draw((40,))).requires_grad_()
        optimizer = case.make([parameter])
        for step in range(4):
            parameter.grad = draw((40,), seed=step + 1)
            optimizer.step()
        return optimizer

    assert_same(scenario, By.ANY)

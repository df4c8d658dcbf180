"""The comparison itself notices what it must, so that the suites are worth something."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.optim import SGD, AdamW

from bits import Picture
from comparison import By, assert_same, with_state
from kwker import torch_ops
from tables import draw

PAIRS: dict[str, tuple[Callable[[], Tensor], Callable[[], Tensor]]] = {
    "value": (lambda: torch.ones(40), lambda: torch.ones(40).index_fill_(0, torch.tensor(39), 2)),
    "last bit": (lambda: torch.ones(3), lambda: torch.ones(3).nextafter(torch.tensor(2.0))),
    "sign of zero": (lambda: torch.zeros(3), lambda: -torch.zeros(3)),
    "NaN": (lambda: torch.zeros(3), lambda: torch.full((3,), float("nan"))),
    "dtype": (lambda: torch.ones(3), lambda: torch.ones(3).double()),
    "shape": (lambda: torch.ones(3), lambda: torch.ones(1, 3)),
    "strides": (lambda: draw((4, 5)), lambda: draw((4, 5)).t().contiguous().t()),
    "version": (lambda: torch.ones(3), lambda: torch.ones(3).add_(0)),
    "class": (lambda: torch.ones(3), lambda: torch.nn.Parameter(torch.ones(3), False)),
    "requires_grad": (lambda: torch.ones(3), lambda: torch.ones(3, requires_grad=True)),
    "lazy sign": (lambda: torch.ones(3), lambda: torch._neg_view(-torch.ones(3))),
}


@pytest.mark.parametrize("name", PAIRS)
def test_differences_are_seen(name: str) -> None:
    one, other = PAIRS[name]
    assert Picture.of(one()).difference(Picture.of(one())) is None
    assert Picture.of(one()).difference(Picture.of(other())) is not None


def test_any_nan_equals_any_nan() -> None:
    quiet = torch.tensor([0x7FC00000, 0x3F800000], dtype=torch.int32).view(torch.float32)
    other = torch.tensor([-0x00200000, 0x3F800000], dtype=torch.int32).view(torch.float32)
    assert bool(other[0].isnan())
    assert Picture.of(quiet).difference(Picture.of(other)) is None


def test_elements_are_compared_in_logical_order() -> None:
    values = draw((4, 5))
    kind = Picture.of(values).bits
    assert torch.equal(kind, Picture.of(values.t().contiguous().t()).bits)


def _on() -> bool:
    return torch_ops.stats()["optim.sgd"]["state"] == "on"


def _step(optimizer_class: type[SGD] | type[AdamW] = SGD) -> Tensor:
    parameter = draw((4,)).requires_grad_()
    optimizer = optimizer_class([parameter], lr=0.1)
    parameter.grad = draw((4,), seed=1)
    optimizer.step()
    return parameter


def test_a_scenario_that_differs_fails() -> None:
    def scenario() -> Tensor:
        result = _step().detach().clone()
        result[2] += 1.0 * _on()
        return result

    with pytest.raises(AssertionError, match="1 of 4 elements differ, the first at 2"):
        assert_same(scenario)


def test_another_error_or_state_at_an_error_fails() -> None:
    def scenario() -> object:
        raise ValueError(f"installed: {_on()}")

    with pytest.raises(AssertionError, match="installed: True"):
        assert_same(scenario, By.ANY)

    def action() -> None:
        raise ValueError

    with pytest.raises(AssertionError, match="False' != 'True"):
        assert_same(lambda: with_state(action, _on()), By.ANY)


@pytest.mark.parametrize("by", [By.TORCH, By.UNSEEN, By.MIXED])
def test_steps_by_others_than_expected_fail(by: By) -> None:
    with pytest.raises(AssertionError, match="should be done"):
        assert_same(_step, by)
    assert_same(_step, By.KWKER)


def test_steps_not_done_by_kwker_fail() -> None:
    with pytest.raises(AssertionError, match="should be done each by Kwker"):
        assert_same(lambda: draw((3,)), By.KWKER)

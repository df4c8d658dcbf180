"""The functional forms torch.optim.adam.adam and torch.optim.sgd.sgd, called or scripted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import Tensor

from comparison import By, assert_same, assert_succeeds_same, with_state
from tables import draw


def test_scripted_functions() -> None:
    """torch.jit.script of the functional forms, as distributed optimizers use them."""

    def scenario() -> object:
        sgd_function = import_module("torch.optim.sgd").sgd

        @torch.jit.script
        def step(parameters: list[Tensor], gradients: list[Tensor]) -> None:
            buffers: list[Tensor | None] = [None, None]
            sgd_function(
                parameters,
                gradients,
                buffers,
                has_sparse_grad=False,
                foreach=False,
                weight_decay=0.1,
                momentum=0.0,
                lr=0.1,
                dampening=0.0,
                nesterov=False,
                maximize=False,
            )

        parameters = [draw((3,)), draw((40,))]
        step(parameters, [draw((3,), seed=1), draw((40,), seed=2)])
        return parameters

    assert_succeeds_same(scenario, By.ANY)


def test_functional_optimizers_of_distributed() -> None:
    def scenario() -> object:
        from torch.distributed.optim.functional_adamw import _FunctionalAdamW
        from torch.distributed.optim.functional_sgd import _FunctionalSGD

        left = []
        for cls in (_FunctionalAdamW, _FunctionalSGD):
            parameters = [draw((3,)), draw((40,))]
            optimizer = torch.jit.script(cls(parameters))
            for step in range(3):
                optimizer.step([draw((3,), seed=step), draw((40,), seed=step)])
            left.append(parameters)
        return left

    assert_succeeds_same(scenario, By.ANY)


def _adam_arguments() -> tuple[list[Any], dict[str, Any]]:
    def tensors(start: int) -> list[Tensor]:
        return [draw((n,), seed=start + n).abs() for n in (3, 40)]

    lists = [tensors(0), tensors(1), tensors(2), tensors(3), [], [torch.tensor(1.0)] * 2]
    lists[5] = [torch.tensor(1.0), torch.tensor(4.0)]
    options = {
        "amsgrad": False,
        "beta1": 0.9,
        "beta2": 0.99,
        "lr": 0.1,
        "weight_decay": 0.1,
        "eps": 1e-8,
        "maximize": False,
    }
    return lists, options


@pytest.mark.parametrize(
    ("change", "succeeds"),
    [
        ({}, True),
        ({"foreach": False}, True),
        ({"foreach": True}, True),
        ({"foreach": False, "fused": None}, True),
        ({"decoupled_weight_decay": True}, True),
        ({"surprise": 1}, False),
        ({"beta1": None}, False),
        ({"amsgrad": True}, False),  # without the lists that it needs
        ({"grad_scale": torch.tensor(2.0)}, False),
        ({"found_inf": torch.tensor(0.0)}, False),
        ({"has_complex": True}, True),
        ({"differentiable": True}, True),
    ],
    ids=str,
)
def test_functional_adam(change: dict[str, Any], succeeds: bool) -> None:
    def scenario() -> object:
        lists, options = _adam_arguments()
        adam = import_module("torch.optim.adam").adam
        with torch.no_grad():
            return with_state(lambda: adam(*lists, **(options | change)), lists)

    ours = change.keys() <= {"foreach"}
    outcome = assert_same(scenario, By.KWKER if ours else By.ANY)
    assert (outcome.error is None) == succeeds


@pytest.mark.parametrize(
    "damage",
    [
        lambda lists: lists[1].pop(),
        lambda lists: lists[2].pop(),
        lambda lists: lists[3].pop(),
        lambda lists: lists[5].pop(),
        lambda lists: lists[5].__setitem__(1, 4),
        lambda lists: lists[1].__setitem__(1, None),
        lambda lists: lists[0].append(torch.zeros(2)),
        lambda lists: lists[1].append(torch.zeros(2)),
        lambda lists: lists.__setitem__(0, tuple(lists[0])),
        lambda lists: lists.__setitem__(1, iter(lists[1])),
        lambda lists: lists.__setitem__(5, None),
        lambda lists: lists.pop(),
        lambda lists: lists.append(False),
    ],
)
def test_functional_adam_with_broken_lists(damage: Callable[[list[Any]], object]) -> None:
    def scenario() -> object:
        lists, options = _adam_arguments()
        damage(lists)
        adam = import_module("torch.optim.adam").adam
        shown = [x for x in lists if isinstance(x, (list, tuple))]
        with torch.no_grad():
            return with_state(lambda: adam(*lists, **options), shown)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("buffers", [[None, None], [], [None], ()], ids=str)
def test_functional_sgd_fills_the_list_it_is_given(momentum: float, buffers: Any) -> None:
    def scenario() -> object:
        given = copy.copy(buffers)
        parameters, gradients = [draw((3,)), draw((40,))], [draw((3,)), draw((40,), seed=1)]
        sgd = import_module("torch.optim.sgd").sgd

        def run() -> None:
            sgd(
                parameters,
                gradients,
                given,
                weight_decay=0.0,
                momentum=momentum,
                lr=0.1,
                dampening=0.0,
                nesterov=False,
                maximize=False,
            )
            if momentum and given[0] is gradients[0]:
                raise AssertionError("the buffer must be a copy")

        return with_state(run, parameters, gradients, given)

    assert_same(scenario, By.ANY)

"""Tensors that are the same, or share memory: the order of torch's operations shows."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.optim import Adam, AdamW, Optimizer

from comparison import By, assert_same, assert_succeeds_same, with_state
from tables import BRANCHES, OURS, Case, draw

ADAMS = [case for case in OURS if issubclass(case.cls, Adam)]


@pytest.mark.parametrize("case", BRANCHES, ids=str)
@pytest.mark.parametrize("size", [1, 40, 100003])
def test_shared_gradient(case: Case, size: int) -> None:
    def scenario() -> Optimizer:
        parameters = [draw((size,), seed=i).requires_grad_() for i in range(3)]
        optimizer = case.make(parameters)
        for step in range(4):
            shared = draw((size,), seed=step + 7)
            for parameter in parameters:
                parameter.grad = shared
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", OURS, ids=str)
def test_parameter_twice_in_a_group(case: Case) -> None:
    def scenario() -> Optimizer:
        parameter, other = draw((40,)).requires_grad_(), draw((3,)).requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer = case.make([parameter, other, parameter])
        for step in range(4):
            parameter.grad, other.grad = draw((40,), seed=step + 1), draw((3,), seed=step + 2)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("offset", [0, 1, 8, 39])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_overlapping_parameters(case: Case, offset: int) -> None:
    def scenario() -> object:
        buffer = draw((100,))
        parameters = [
            buffer[:40].requires_grad_(),
            draw((5,)).requires_grad_(),
            buffer[offset : offset + 40].requires_grad_(),
        ]
        optimizer = case.make(parameters)
        for step in range(4):
            for i, parameter in enumerate(parameters):
                parameter.grad = draw(parameter.shape, seed=10 * step + i + 1)
            optimizer.step()
        return optimizer, buffer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("size", [40, 100003])
@pytest.mark.parametrize("case", OURS, ids=str)
def test_gradient_is_the_parameter(case: Case, size: int) -> None:
    """The gradient of x·x/2, when someone saves the copy."""

    def scenario() -> Optimizer:
        parameter = draw((size,)).requires_grad_()
        optimizer = case.make([parameter])
        for _ in range(4):
            parameter.grad = parameter.detach()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("shift", [1, 7, 33])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradient_overlaps_the_parameter(case: Case, shift: int) -> None:
    def scenario() -> object:
        buffer = draw((200,))
        parameter = buffer[:100].requires_grad_()
        optimizer = case.make([parameter])
        for _ in range(3):
            parameter.grad = buffer.detach()[shift : shift + 100]
            with_state(optimizer.step, optimizer, buffer)  # SGD refuses
        return optimizer, buffer

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradient_of_one_is_the_other_parameter(case: Case) -> None:
    def scenario() -> Optimizer:
        first, second = draw((40,)).requires_grad_(), draw((40,), seed=2).requires_grad_()
        optimizer = case.make([first, second])
        for _ in range(4):
            first.grad, second.grad = draw((40,), seed=3), first.detach()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("name", ["exp_avg", "exp_avg_sq", "momentum_buffer"])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradient_is_state(case: Case, name: str) -> None:
    def scenario() -> Optimizer:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])
        for step in range(4):
            parameter.grad = optimizer.state[parameter].get(name, draw((40,), seed=step + 1))
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", ADAMS, ids=str)
def test_both_moments_are_one_tensor(case: Case) -> None:
    def scenario() -> Optimizer:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])
        for step in range(4):
            parameter.grad = draw((40,), seed=step + 1)
            optimizer.step()
            state = optimizer.state[parameter]
            state["exp_avg_sq"] = state["exp_avg"]
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", ADAMS, ids=str)
def test_one_step_counter_for_all(case: Case) -> None:
    """torch then counts once a parameter, not once a step."""

    def scenario() -> Optimizer:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40, 7)]
        optimizer = case.make(parameters)
        for step in range(4):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, seed=step + 1)
            optimizer.step()
            for parameter in parameters:
                optimizer.state[parameter]["step"] = optimizer.state[parameters[0]]["step"]
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", ADAMS, ids=str)
def test_parameter_is_its_own_step_counter(case: Case) -> None:
    def scenario() -> Optimizer:
        parameter = torch.tensor(3.0, requires_grad=True)
        optimizer = case.make([parameter])
        for step in range(3):
            parameter.grad = torch.tensor(0.5 + step)
            optimizer.step()
            optimizer.state[parameter]["step"] = parameter.detach()
        return optimizer

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_one_buffer_for_two_parameters(case: Case) -> None:
    def scenario() -> Optimizer:
        first, second = draw((40,)).requires_grad_(), draw((40,), seed=2).requires_grad_()
        optimizer = case.make([first, second])
        for step in range(4):
            first.grad, second.grad = draw((40,), seed=step), draw((40,), seed=step + 9)
            optimizer.step()
            for key, value in optimizer.state[first].items():
                if key != "step" and value is not None:
                    optimizer.state[second][key] = value
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


def test_weights_tied_between_modules() -> None:
    def scenario() -> object:
        torch.manual_seed(0)
        embedding, head = torch.nn.Embedding(30, 8), torch.nn.Linear(8, 30, bias=False)
        head.weight = embedding.weight
        model = torch.nn.Sequential(embedding, head)
        optimizer = AdamW(model.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.arange(30)).square().mean().backward()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_the_parameters_memory_is_moved(case: Case) -> None:
    """`p.data = …` between steps, as `model.to` and parameter flattening do."""

    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])
        for step in range(4):
            parameter.grad = draw((40,), seed=step + 1)
            optimizer.step()
            parameter.data = parameter.data.clone() * 2
        return with_state(optimizer.step, optimizer)

    assert_succeeds_same(scenario)

"""Tensors that are not plain memory, and state that is not what torch made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer

from comparison import By, assert_same, assert_succeeds_same, with_state
from tables import BRANCHES, Case, draw


class Logged(Tensor):
    """A subclass that sees every function torch calls on it."""

    seen: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        cls.seen.append(getattr(func, "__name__", str(func)))
        parent: Any = super()
        return parent.__torch_function__(func, types, args, kwargs or {})


@pytest.mark.parametrize("gradient_too", [False, True])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_subclass_sees_every_operator(case: Case, gradient_too: bool) -> None:
    def scenario() -> object:
        Logged.seen = []
        parameter = draw((40,)).as_subclass(Logged).requires_grad_()
        plain = draw((7,)).requires_grad_()
        optimizer = case.make([parameter, plain])
        for step in range(3):
            gradient = draw((40,), seed=step + 1)
            parameter.grad = gradient.as_subclass(Logged) if gradient_too else gradient
            plain.grad = draw((7,), seed=step)
            optimizer.step()
        return optimizer, Logged.seen

    assert_succeeds_same(scenario, By.TORCH)


class Named(torch.nn.Parameter):
    """A subclass without behaviour, as frameworks add attributes to."""


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_parameter_class_and_its_subclass(case: Case) -> None:
    def scenario() -> object:
        parameters = [torch.nn.Parameter(draw((40,))), Named(draw((9,)))]
        optimizer = case.make(parameters)
        for step in range(3):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, seed=step)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_modules_parameters_are_kwkers(case: Case) -> None:
    def scenario() -> object:
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.Flatten(),
            torch.nn.LayerNorm(8 * 36), torch.nn.Linear(8 * 36, 5),
        )  # fmt: skip
        optimizer = case.make(list(model.parameters()))
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(4, 3, 8, 8)).square().mean().backward()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("coalesced", [False, True])
@pytest.mark.parametrize(
    "case",
    [*BRANCHES, Case(SGD, {"momentum": 0.9}), Case(SGD, {"weight_decay": 0.1})],
    ids=str,
)
def test_sparse_gradients(case: Case, coalesced: bool) -> None:
    """SGD takes some, Adam refuses them."""

    def scenario() -> object:
        parameter, plain = draw((6, 3)).requires_grad_(), draw((4,)).requires_grad_()
        optimizer = case.make([plain, parameter])

        def run() -> None:
            for step in range(3):
                indices = torch.tensor([[0, 2, 0]])
                gradient = torch.sparse_coo_tensor(indices, draw((3, 3), seed=step), (6, 3))
                parameter.grad = gradient.coalesce() if coalesced else gradient
                plain.grad = draw((4,), seed=step)
                optimizer.step()

        return with_state(run, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_meta_tensors(case: Case) -> None:
    def scenario() -> object:
        parameter = torch.empty(40, device="meta").requires_grad_()
        optimizer = case.make([parameter])
        for _ in range(3):
            parameter.grad = torch.empty(40, device="meta")
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_mkldnn_tensors(case: Case) -> None:
    def scenario() -> object:
        parameter = draw((4, 8)).to_mkldnn().requires_grad_()
        optimizer = case.make([parameter])
        parameter.grad = draw((4, 8), seed=2).to_mkldnn()
        return with_state(optimizer.step, parameter, parameter.grad)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_inference_tensors(case: Case) -> None:
    """They may not be changed outside inference mode, and torch says so."""

    def scenario() -> object:
        with torch.inference_mode():
            parameter = draw((40,)).clone()
        plain = draw((7,)).requires_grad_()
        optimizer = case.make([plain, parameter])
        parameter.grad, plain.grad = draw((40,), seed=1), draw((7,), seed=1)
        return with_state(optimizer.step, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_parameters_without_requires_grad(case: Case) -> None:
    def scenario() -> object:
        parameter = draw((40,))
        optimizer = case.make([parameter])
        for step in range(3):
            parameter.grad = draw((40,), seed=step)
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradients_that_require_grad(case: Case) -> None:
    """What backward(create_graph=True) leaves."""

    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])
        for _ in range(3):
            optimizer.zero_grad()
            parameter.pow(3).sum().backward(create_graph=True)
            optimizer.step()
        return [parameter, optimizer.state[parameter]]

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradient_dtype_differs(case: Case) -> None:
    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])
        parameter.grad = draw((40,), seed=1)
        optimizer.step()
        parameter.data = parameter.data.double()
        return with_state(optimizer.step, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("shape", [(), (1,), (20,), (2, 20), (41,), (0,)], ids=str)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_parameter_reshaped_after_its_state(case: Case, shape: tuple[int, ...]) -> None:
    """The state no longer fits: torch broadcasts or raises."""

    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])
        parameter.grad = draw((40,), seed=1)
        optimizer.step()
        parameter.grad = None
        parameter.data = draw(shape, seed=2)
        parameter.grad = draw(shape, seed=3)
        return with_state(optimizer.step, optimizer)

    assert_same(scenario, By.ANY)


STATES: dict[str, Callable[[Tensor], object]] = {
    "double": lambda t: t.double(),
    "half": lambda t: t.half(),
    "one element": lambda t: t.reshape(-1)[:1].clone(),
    "matrix": lambda t: t.clone().unsqueeze(0),
    "expanded": lambda t: torch.zeros(()).expand(t.shape),
    "requires grad": lambda t: t.clone().requires_grad_(),
    "subclass": lambda t: t.clone().as_subclass(Logged),
    "parameter": lambda t: torch.nn.Parameter(t.clone()),
    "none": lambda t: None,
    "number": lambda t: 1.0,
    "inference": lambda t: _inference(t),
    "negated": lambda t: torch._neg_view(t.clone()),
    "meta": lambda t: t.to("meta"),
    "NaN": lambda t: torch.full_like(t, float("nan")),
    "negative": lambda t: -t.abs() - 1e-3,
}


def _inference(tensor: Tensor) -> Tensor:
    with torch.inference_mode():
        return tensor.clone()


@pytest.mark.parametrize("kind", STATES)
@pytest.mark.parametrize("name", ["exp_avg", "exp_avg_sq", "momentum_buffer"])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_state_that_torch_did_not_make(case: Case, name: str, kind: str) -> None:
    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (7, 40)]
        optimizer = case.make(parameters)

        def run() -> None:
            for step in range(3):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + 1)
                optimizer.step()
                state = optimizer.state[parameters[1]]
                if isinstance(state.get(name), Tensor):
                    state[name] = STATES[kind](state[name])

        return with_state(run, optimizer)

    assert_same(scenario, By.ANY)


STEPS: dict[str, Callable[[], object]] = {
    "minus two": lambda: torch.tensor(-2.0),
    "float64": lambda: torch.tensor(7.0, dtype=torch.float64),
    "int64": lambda: torch.tensor(7),
    "int8 at its end": lambda: torch.tensor(127, dtype=torch.int8),
    "half": lambda: torch.tensor(7.0, dtype=torch.float16),
    "vector": lambda: torch.tensor([7.0]),
    "two": lambda: torch.tensor([7.0, 8.0]),
    "strided": lambda: torch.tensor([1.0, 7.0])[1],
    "float": lambda: 7.0,
    "int": lambda: 7,
    "none": lambda: None,
    "saturated": lambda: torch.tensor(2.0**24),
    "large": lambda: torch.tensor(1e30),
    "infinite": lambda: torch.tensor(float("inf")),
    "NaN": lambda: torch.tensor(float("nan")),
    "fraction": lambda: torch.tensor(0.5),
    "before the first": lambda: torch.tensor(-1.0),
    "negative": lambda: torch.tensor(-5.0),
    "negative fraction": lambda: torch.tensor(-1.5),
    "negative large": lambda: torch.tensor(-1e30),
    "requires grad": lambda: torch.tensor(7.0, requires_grad=True),
    "meta": lambda: torch.tensor(7.0, device="meta"),
    "subclass": lambda: torch.tensor(7.0).as_subclass(Logged),
    "complex": lambda: torch.tensor(7.0 + 1j),
    "bool": lambda: torch.tensor(True),
}


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize(
    "case",
    [Case(Adam, {"weight_decay": 0.1}), Case(AdamW, {"weight_decay": 0.1})],
    ids=str,
)
def test_step_counter_that_torch_did_not_make(case: Case, kind: str) -> None:
    """Errors come after the same parameters have been changed."""

    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (7, 40, 3)]
        optimizer = case.make(parameters)

        def run() -> None:
            for step in range(3):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + 1)
                optimizer.step()
                if step == 0:
                    optimizer.state[parameters[1]]["step"] = STEPS[kind]()

        return with_state(run, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("key", ["step", "exp_avg", "exp_avg_sq", "momentum_buffer", "all"])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_state_removed(case: Case, key: str) -> None:
    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (7, 40)]
        optimizer = case.make(parameters)

        def run() -> None:
            for step in range(3):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + 1)
                optimizer.step()
                if key == "all":
                    del optimizer.state[parameters[1]]
                else:
                    optimizer.state[parameters[1]].pop(key, None)

        return with_state(run, optimizer)

    if key == "all" and case.options.get("momentum", 0) == 0 and case.cls is SGD:
        pytest.skip("no state")
    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_no_gradients_and_no_parameters(case: Case) -> None:
    def scenario() -> Optimizer:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (7, 40)]
        optimizer = case.make(parameters)
        optimizer.add_param_group({"params": []})
        optimizer.step()
        parameters[1].grad = draw((40,), seed=5)
        optimizer.step()
        parameters[0].grad = torch.zeros(7)
        parameters[1].grad = None
        optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)

"""zero_grad() of optimizers and modules: what is left of the gradients is what torch leaves."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam, Optimizer

from comparison import By, assert_same, assert_succeeds_same, with_state
from kwker import torch_ops
from tables import draw

same = partial(assert_same, of="optim.zero_grad")
succeeds_same = partial(assert_succeeds_same, of="optim.zero_grad")

SHAPES: list[tuple[int, ...]] = [(), (0,), (1,), (33,), (7, 11, 13), (70_001,), (200_000,)]

Reset = Callable[..., object]
BOTH = pytest.mark.parametrize("of_module", [False, True], ids=["optimizer", "module"])
EITHER = pytest.mark.parametrize("set_to_none", [False, True])


def model_of(*gradients: Tensor | None) -> nn.Module:
    """A parameter for each gradient."""
    model, inner = nn.Module(), nn.Module()
    model.register_module("inner", inner)
    for i, gradient in enumerate(gradients):
        parameter = nn.Parameter(torch.zeros(3 if gradient is None else gradient.shape))
        if gradient is not None:
            parameter.data = parameter.data.to(gradient.dtype)
        parameter.grad = gradient
        (inner if i % 2 else model).register_parameter(f"p{i}", parameter)
    return model


def reset_of(model: nn.Module, of_module: bool, **options: Any) -> Reset:
    return model.zero_grad if of_module else SGD(model.parameters(), lr=0.1, **options).zero_grad


def gradients_of(model: nn.Module) -> list[Tensor | None]:
    return [parameter.grad for parameter in model.parameters()]


@EITHER
@BOTH
@pytest.mark.parametrize(
    "dtype",
    [torch.float32, torch.float64, torch.bfloat16, torch.complex64],
    ids=str,
)
def test_gradients_and_what_others_hold_of_them(
    dtype: torch.dtype, of_module: bool, set_to_none: bool, threads: int
) -> None:
    def scenario() -> object:
        held = [draw(shape, "extreme").to(dtype) for shape in SHAPES]
        model = model_of(None, *held, None)
        reset = reset_of(model, of_module)
        reset(set_to_none)
        return held, gradients_of(model), reset(set_to_none=set_to_none), gradients_of(model)

    succeeds_same(scenario)


@pytest.mark.parametrize(
    ("arguments", "by"),
    [
        ({}, By.KWKER),
        ({"set_to_none": 0}, By.TORCH),
        ({"set_to_none": None}, By.TORCH),
        ({"set_to_none": "no"}, By.TORCH),
        ({"set_to_zero": True}, By.UNSEEN),
    ],
)
@BOTH
def test_arguments(arguments: dict[str, Any], by: By, of_module: bool) -> None:
    def scenario() -> object:
        model = model_of(draw((3,)), None, draw((40,)))
        held = gradients_of(model)
        reset = reset_of(model, of_module)
        return with_state(lambda: reset(**arguments), held, gradients_of(model))

    same(scenario, by)


def _with_graph() -> nn.Module:
    model = model_of(None, None)
    sum(p.square().sum() for p in model.parameters()).backward(create_graph=True)  # type: ignore[union-attr]
    return model


def _requires_grad() -> nn.Module:
    return model_of(draw((3,)).requires_grad_(), draw((4,)))


def _sparse() -> nn.Module:
    model = model_of(None)
    parameter = nn.Parameter(draw((5, 2)))
    model.register_parameter("sparse", parameter)
    torch.nn.functional.embedding(torch.tensor([1, 1]), parameter, sparse=True).sum().backward()
    return model


def _not_dense() -> nn.Module:
    return model_of(draw((10,))[::2], draw((3,)).expand(2, 3))


def _transposed() -> nn.Module:
    return model_of(draw((3, 4)).t(), draw((2, 3, 4, 5)).to(memory_format=torch.channels_last))


def _shared() -> nn.Module:
    memory = draw((10,))
    return model_of(memory[:6], memory[4:], memory[:6])


class Marked(Tensor):
    """A subclass that asks to be told."""


def _subclass() -> nn.Module:
    return model_of(draw((3,)).as_subclass(Marked), draw((3,)))


def _negative() -> nn.Module:
    return model_of(torch._neg_view(draw((3,))))


def _tied() -> nn.Module:
    model = model_of(draw((3,)), draw((4,)))
    model.register_parameter("again", model.get_parameter("p0"))
    return model


@EITHER
@BOTH
@pytest.mark.parametrize(
    "make",
    [
        _with_graph, _requires_grad, _sparse, _not_dense, _transposed, _shared, _subclass,
        _negative, _tied,
    ],
)  # fmt: skip
@pytest.mark.parametrize("foreach", [None, True])
def test_gradients(
    make: Callable[[], nn.Module], of_module: bool, set_to_none: bool, foreach: bool | None
) -> None:
    def scenario() -> object:
        model = make()
        held = gradients_of(model)
        reset_of(model, of_module, foreach=foreach)(set_to_none)
        return held, gradients_of(model)

    ours = make in (_transposed, _shared, _tied) or (set_to_none and make is not _subclass)
    same(scenario, By.KWKER if ours else By.TORCH)


@EITHER
def test_parameters_in_a_graph(set_to_none: bool) -> None:
    """torch warns of looking at their gradients."""

    def scenario() -> object:
        parameter = draw((3,)).requires_grad_() * 2
        model = nn.Module()
        model._parameters["p"] = parameter  # type: ignore[assignment]
        with pytest.warns(UserWarning, match="not a leaf"):
            model.zero_grad(set_to_none)
        return parameter

    succeeds_same(scenario, By.TORCH)


@EITHER
def test_several_groups_and_flags(set_to_none: bool) -> None:
    def scenario(**flags: Any) -> object:
        parameters = [nn.Parameter(draw((n,))) for n in (3, 40, 5)]
        for parameter in parameters:
            parameter.grad = draw(parameter.shape, seed=1)
        groups: list[dict[str, Any]] = [{"params": parameters[:2]}, {"params": parameters[2:]}]
        optimizer = Adam(groups, **flags)
        optimizer.zero_grad(set_to_none)
        return optimizer

    for flags in ({}, {"foreach": True}, {"fused": True}, {"differentiable": True}):
        succeeds_same(partial(scenario, **flags))


class Counting(SGD):
    """Does something around torch's zero_grad()."""

    calls = 0

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.calls += 1
        super().zero_grad(set_to_none)


class Property(SGD):
    """Makes its groups when they are asked for."""

    @property
    def param_groups(self) -> Any:
        return self.__dict__["groups"]

    @param_groups.setter
    def param_groups(self, groups: Any) -> None:
        self.__dict__["groups"] = groups


@pytest.mark.parametrize(("cls", "by"), [(Counting, By.KWKER), (Property, By.TORCH)])
@EITHER
def test_subclasses(cls: type[Optimizer], by: By, set_to_none: bool) -> None:
    def scenario() -> object:
        model = model_of(draw((3,)), draw((40,)))
        optimizer: Any = cls(model.parameters(), lr=0.1)  # type: ignore[call-arg]
        held = gradients_of(model)
        optimizer.zero_grad(set_to_none)
        return held, gradients_of(model), getattr(optimizer, "calls", None)

    succeeds_same(scenario, by)


def test_replicas_are_warned_of() -> None:
    def scenario() -> object:
        model = model_of(draw((3,)))
        vars(model)["_is_replica"] = True
        with pytest.warns(UserWarning, match="has no effect"):
            model.zero_grad()
        return gradients_of(model)

    succeeds_same(scenario, By.TORCH)


@BOTH
def test_code_that_runs_when_a_gradient_goes(of_module: bool) -> None:
    def scenario() -> object:
        model = model_of(draw((3,)), draw((4,)), draw((5,)))
        gone: list[int] = []

        def at_the_end(_: object) -> None:
            gone.append(len(gone))

        references = [weakref.ref(p.grad, at_the_end) for p in model.parameters()]
        reset_of(model, of_module)()
        return gone, [reference() for reference in references], gradients_of(model)

    succeeds_same(scenario, By.ANY)


@EITHER
def test_the_profiler_sees_it(set_to_none: bool) -> None:
    def scenario() -> object:
        optimizer = SGD(model_of(draw((3,))).parameters(), lr=0.1)
        with torch.profiler.profile() as profiler:
            optimizer.zero_grad(set_to_none)
        return [e.name for e in profiler.events() if "zero_grad#" in e.name]

    outcome = succeeds_same(scenario)
    assert "'Optimizer.zero_grad#SGD.zero_grad'" in outcome.result.values()


@EITHER
@BOTH
def test_modes(of_module: bool, set_to_none: bool) -> None:
    def scenario(mode: Callable[[], Any]) -> object:
        model = model_of(draw((3,)), draw((40,)))
        held = gradients_of(model)
        reset = reset_of(model, of_module)
        with mode():
            return with_state(lambda: reset(set_to_none), held)

    for mode, by in (
        (torch.no_grad, By.KWKER),
        (torch.inference_mode, By.TORCH),
        (partial(torch.device, "cpu"), By.TORCH),
    ):
        same(partial(scenario, mode), by)


class Forwarding(nn.Module):
    """A wrapper that looks for what it has not in what it wraps, as many do."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)


def test_a_way_of_its_own_to_look_attributes_up() -> None:
    def scenario() -> object:
        model = model_of(draw((3,)))
        vars(model)["_is_replica"] = True  # of which torch warns
        reset_of(Forwarding(model), True)(True)
        return model

    same(scenario, By.TORCH)


def test_uninstall_puts_the_very_functions_back() -> None:
    before = [vars(Optimizer)["zero_grad"], vars(nn.Module)["zero_grad"]]
    with torch_ops.installed(verify=False):
        assert vars(Optimizer)["zero_grad"] is not before[0]
        assert vars(nn.Module)["zero_grad"] is not before[1]
    assert [vars(Optimizer)["zero_grad"], vars(nn.Module)["zero_grad"]] == before


def test_torch_compile() -> None:
    def scenario() -> object:
        torch._dynamo.reset()
        model = nn.Linear(3, 2)
        model.weight.data, model.bias.data = draw((2, 3)), draw((2,))
        optimizer = SGD(model.parameters(), lr=0.1)

        def step(inputs: Tensor) -> None:
            model.zero_grad(set_to_none=False)
            optimizer.zero_grad()
            model(inputs).square().mean().backward()
            optimizer.step()

        compiled = torch.compile(step, backend="eager")
        for seed in range(3):
            compiled(draw((4, 3), seed=seed))
        return optimizer

    succeeds_same(scenario, By.ANY)

"""AveragedModel.update_parameters of models that are not like all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from averages import RULES, everything, model_of, updates
from comparison import By, assert_same, assert_succeeds_same, with_state
from tables import draw

same = partial(assert_same, of="optim.ema")
succeeds_same = partial(assert_succeeds_same, of="optim.ema")


class Own(AveragedModel):
    """Lists parameters in its own way."""

    def parameters(self, recurse: bool = True) -> Iterator[nn.Parameter]:
        return reversed(list(super().parameters(recurse)))


class Above(AveragedModel):
    """Does something around torch's update."""

    def update_parameters(self, model: nn.Module) -> None:
        super().update_parameters(model)
        self.n_averaged += 1


class Hidden(nn.Module):
    """Has another module's parameters."""

    def named_modules(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Module]]:
        yield "", self


@pytest.mark.parametrize(("cls", "by"), [(Own, By.TORCH), (Above, By.KWKER)])
def test_subclasses(cls: type[AveragedModel], by: By) -> None:
    def scenario() -> object:
        model = model_of([(3,), (3,), (3,)])
        return updates(cls(model), model)

    succeeds_same(scenario, by)


def test_modules_that_hide_some_of_theirs() -> None:
    def scenario() -> object:
        model = model_of([(3,), (3,)])
        hidden = Hidden()
        hidden.register_module("below", model_of([(3,)]))
        model.register_module("hidden", hidden)
        return updates(AveragedModel(model), model)

    succeeds_same(scenario, By.TORCH)


def _tied() -> nn.Module:
    model = model_of([(3,), (4,)])
    model.register_parameter("again", model.get_parameter("p0"))
    model.register_module("inner_again", model.get_submodule("inner"))
    return model


def _frozen() -> nn.Module:
    model = model_of([(3,), (4,)])
    return model.requires_grad_(False)


def _channels_last() -> nn.Module:
    model = model_of([(2, 3, 4, 5), (3,)])
    for parameter in model.parameters():
        if parameter.dim() == 4:
            parameter.data = parameter.data.to(memory_format=torch.channels_last)
    return model


def _half() -> nn.Module:
    return model_of([(3,), (4,)]).bfloat16()


def _mixed() -> nn.Module:
    model = model_of([(3,), (4,)])
    model.register_parameter("d", nn.Parameter(draw((70001,), dtype=torch.float64)))
    model.register_buffer("flag", torch.tensor([True, False]))
    return model


def _complex() -> nn.Module:
    model = model_of([(3,)])
    model.register_parameter("c", nn.Parameter(torch.complex(draw((3,)), draw((3,)))))
    return model


def _not_dense() -> nn.Module:
    model = model_of([(3,)])
    model.register_buffer("wide", draw((10,))[::2])
    return model


def _overlapping() -> nn.Module:
    model = model_of([(3,)])
    memory = draw((10,))
    model.register_buffer("a", memory[:6])
    model.register_buffer("b", memory[4:])
    return model


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("rule", ["default", "ema_0.999", "ema_multi_0.999"])
@pytest.mark.parametrize(
    "make",
    [_tied, _frozen, _channels_last, _half, _mixed, _complex, _not_dense, _overlapping],
)
def test_models(make: Callable[[], nn.Module], rule: str, use_buffers: bool) -> None:
    def scenario() -> object:
        model = make()
        return updates(AveragedModel(model, use_buffers=use_buffers, **RULES[rule]()), model)

    ours = make in (_tied, _frozen, _channels_last) or (make is _mixed and not use_buffers)
    same(scenario, By.KWKER if ours else By.ANY)


def _other_shape(model: nn.Module) -> None:
    model.register_parameter("p0", nn.Parameter(draw((1,))))


def _other_strides(model: nn.Module) -> None:
    model.register_parameter("p0", nn.Parameter(draw((4, 3)).t()))


def _other_dtype(model: nn.Module) -> None:
    model.register_parameter("p0", nn.Parameter(draw((3, 4), dtype=torch.float64)))


def _one_parameter_more(model: nn.Module) -> None:
    model.register_parameter("more", nn.Parameter(draw((3,))))


def _one_buffer_more(model: nn.Module) -> None:
    model.register_buffer("more", draw((3,)))


def _one_buffer_less(model: nn.Module) -> None:
    model.register_buffer("mean", None)
    model.get_submodule("inner").register_buffer("mean", None)


def _in_a_graph(model: nn.Module) -> None:
    del model.p0
    model.p0 = draw((3, 4)).requires_grad_() * 2


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize(
    "damage",
    [
        _other_shape, _other_strides, _other_dtype, _one_parameter_more, _one_buffer_more,
        _one_buffer_less, _in_a_graph,
    ],
)  # fmt: skip
@pytest.mark.parametrize("late", [False, True])
def test_models_that_differ(
    damage: Callable[[nn.Module], None], use_buffers: bool, late: bool
) -> None:
    def scenario() -> object:
        model = model_of([(3, 4), (5,)])
        averaged = AveragedModel(model, use_buffers=use_buffers)
        if late:
            averaged.update_parameters(model)
        damage(model)

        def run() -> None:
            averaged.update_parameters(model)
            averaged.update_parameters(model)

        return with_state(run, everything(averaged))

    same(scenario, By.ANY)


def test_its_own_model() -> None:
    def scenario() -> object:
        averaged = AveragedModel(model_of([(3,), (40,)]))
        return updates(averaged, averaged.module)

    succeeds_same(scenario, By.TORCH)

"""Random optimizers on random tensors: whatever Hypothesis thinks of, the bits are torch's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer

from comparison import By, assert_same, with_state
from examples import examples
from tables import DATA, DTYPES, draw

MANY = examples(250)

rates = st.one_of(
    st.sampled_from([0.0, 1e-3, 0.1, 1.0, 1, 1e-8]),
    st.floats(0, 10),
    st.floats(0, 1e-30),
    st.floats(1e30, 3e38),
)
fractions = st.one_of(st.sampled_from([0.0, 0.5, 0.9, 0.999]), st.floats(0, 1, exclude_max=True))
decays = st.one_of(st.just(0.0), st.floats(0, 1), st.floats(0, 1e-20))


@st.composite
def adams(draw_value: st.DrawFn) -> tuple[type[Optimizer], dict[str, Any]]:
    options: dict[str, Any] = {
        "lr": draw_value(rates),
        "betas": (draw_value(fractions), draw_value(fractions)),
        "eps": draw_value(st.one_of(st.just(1e-8), st.floats(0, 1), st.floats(0, 1e-40))),
        "weight_decay": draw_value(decays),
        "maximize": draw_value(st.booleans()),
    }
    return draw_value(st.sampled_from([Adam, AdamW])), options


@st.composite
def sgds(draw_value: st.DrawFn) -> tuple[type[Optimizer], dict[str, Any]]:
    momentum = draw_value(st.one_of(st.just(0.0), fractions))
    nesterov = momentum > 0 and draw_value(st.booleans())
    options: dict[str, Any] = {
        "lr": draw_value(rates),
        "momentum": momentum,
        "dampening": 0.0 if nesterov else draw_value(st.one_of(st.just(0.0), st.floats(-1, 2))),
        "weight_decay": draw_value(decays),
        "nesterov": nesterov,
        "maximize": draw_value(st.booleans()),
    }
    return SGD, options


@dataclass(frozen=True)
class TensorPlan:
    """How one parameter is made."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    order: tuple[int, ...]  # dimensions from the outermost in memory to the innermost
    same_order: bool  # whether the gradient lies like the parameter
    gap: bool
    data: str


@st.composite
def plans(draw_value: st.DrawFn, dtypes: list[torch.dtype]) -> TensorPlan:
    shape = tuple(draw_value(st.lists(st.integers(0, 9), max_size=4)))
    if draw_value(st.booleans()):
        shape = (draw_value(st.integers(0, 3000)),)
    plain = draw_value(st.integers(0, 3)) > 0
    order = tuple(range(len(shape)))
    return TensorPlan(
        shape,
        draw_value(st.sampled_from(dtypes)),
        order if plain else tuple(draw_value(st.permutations(order))),
        draw_value(st.integers(0, 7)) > 0,
        draw_value(st.integers(0, 15)) == 0,
        draw_value(st.sampled_from(DATA)),
    )


def _make(plan: TensorPlan, seed: int, ordered: bool = True) -> Tensor:
    values = draw(plan.shape, plan.data, plan.dtype, seed=seed)
    if ordered and plan.order:
        back = [plan.order.index(d) for d in range(len(plan.order))]
        values = values.permute(plan.order).contiguous().permute(back)
    if plan.gap and values.dim():
        values = torch.stack([values, values], dim=-1)[..., 0]
    return values


@st.composite
def groups(draw_value: st.DrawFn) -> list[TensorPlan]:
    """Mostly of one dtype, as the parameters of a model are."""
    mixed = draw_value(st.integers(0, 9)) == 0
    dtypes = DTYPES if mixed else [draw_value(st.sampled_from(DTYPES))]
    return draw_value(st.lists(plans(dtypes), min_size=1, max_size=6))


@given(
    optimizer=st.one_of(adams(), sgds()),
    group=groups(),
    steps=st.integers(1, 6),
    absent=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4),
    threads=st.sampled_from([1, 2]),
)
@MANY
def test_any_optimizer_on_any_tensors(
    optimizer: tuple[type[Optimizer], dict[str, Any]],
    group: list[TensorPlan],
    steps: int,
    absent: set[tuple[int, int]],
    threads: int,
) -> None:
    torch.set_num_threads(threads)
    cls, options = optimizer

    def scenario() -> object:
        parameters = [_make(plan, seed=i).requires_grad_() for i, plan in enumerate(group)]
        made: Any = cls(parameters, **options)

        def run() -> None:
            for step in range(steps):
                for i, (plan, parameter) in enumerate(zip(group, parameters, strict=True)):
                    seed = 100 * (step + 1) + i
                    gradient = _make(plan, seed, ordered=plan.same_order)
                    parameter.grad = None if (step, i) in absent else gradient
                made.step()
                made.param_groups[0]["lr"] *= 0.9

        return with_state(run, made)

    assert_same(scenario, By.ANY)


@given(
    optimizer=st.one_of(adams(), sgds()),
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=20),
    large=st.integers(0, 200_000),
    dtype=st.sampled_from(DTYPES),
    data=st.sampled_from(DATA),
    threads=st.sampled_from([1, 2]),
)
@MANY
def test_plain_tensors_are_kwkers(
    optimizer: tuple[type[Optimizer], dict[str, Any]],
    sizes: list[int],
    large: int,
    dtype: torch.dtype,
    data: str,
    threads: int,
) -> None:
    torch.set_num_threads(threads)
    cls, options = optimizer
    # Where these round to one or leave the range, either may do the step.
    narrow = 1 - options.get("betas", (0.9,))[0] > 1 - 1e-7 or options["lr"] > 1e30

    def scenario() -> object:
        parameters = [
            draw((n,), data, dtype, seed=i).requires_grad_() for i, n in enumerate([*sizes, large])
        ]
        made: Any = cls(parameters, **options)

        def run() -> None:
            for step in range(2):
                for i, parameter in enumerate(parameters):
                    parameter.grad = draw(parameter.shape, data, dtype, seed=100 * step + i)
                made.step()

        return with_state(run, made)

    assert_same(scenario, By.ANY if narrow else By.KWKER)

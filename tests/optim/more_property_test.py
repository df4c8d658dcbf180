"""Random options of the optimizers beside Adam and SGD: the bits are torch's."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.optim import ASGD, Adadelta, Adagrad, Adamax, NAdam, Optimizer, RAdam, RMSprop, Rprop

from comparison import By, assert_same, with_state
from examples import examples
from tables import DATA, DTYPES, draw

rates = st.one_of(st.sampled_from([0.0, 1e-3, 0.1, 1.0, 1]), st.floats(0, 10), st.floats(0, 1e-30))
fractions = st.one_of(st.sampled_from([0.0, 0.5, 0.9, 0.999]), st.floats(0, 1, exclude_max=True))
betas = st.tuples(fractions, fractions)
small = st.one_of(st.just(0.0), st.floats(0, 1), st.floats(0, 1e-20))

# What each takes beside lr, weight_decay, maximize.
OPTIONS: list[tuple[type[Optimizer], dict[str, st.SearchStrategy[Any]]]] = [
    (
        RMSprop,
        {"alpha": fractions, "eps": small, "momentum": fractions, "centered": st.booleans()},
    ),
    (Adagrad, {"lr_decay": small, "initial_accumulator_value": small, "eps": small}),
    (
        NAdam,
        {
            "betas": betas,
            "eps": small,
            "momentum_decay": small,
            "decoupled_weight_decay": st.booleans(),
        },
    ),
    (RAdam, {"betas": betas, "eps": small, "decoupled_weight_decay": st.booleans()}),
    (Adamax, {"betas": betas, "eps": small}),
    (Adadelta, {"rho": fractions, "eps": small}),
    (ASGD, {"lambd": small, "alpha": small, "t0": st.floats(0, 5)}),
    (
        Rprop,
        {
            "etas": st.tuples(st.floats(0.001, 0.999), st.floats(1.001, 10)),
            "step_sizes": st.tuples(small, st.floats(0, 100)),
        },
    ),
]


@st.composite
def optimizers(draw_value: st.DrawFn) -> tuple[type[Optimizer], dict[str, Any]]:
    cls, own = draw_value(st.sampled_from(OPTIONS))
    options = {"lr": rates, "weight_decay": small, "maximize": st.booleans()} | own
    if cls is Rprop:
        del options["weight_decay"]
    return cls, {name: draw_value(strategy) for name, strategy in options.items()}


@given(
    optimizer=optimizers(),
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=8),
    large=st.sampled_from([0, 1000, 70_000]),
    dtype=st.sampled_from(DTYPES),
    data=st.sampled_from(DATA),
    threads=st.sampled_from([1, 2]),
)
@examples(120)
def test_any_options(
    optimizer: tuple[type[Optimizer], dict[str, Any]],
    sizes: list[int],
    large: int,
    dtype: torch.dtype,
    data: str,
    threads: int,
) -> None:
    torch.set_num_threads(threads)
    cls, options = optimizer

    def scenario() -> object:
        parameters = [
            draw((n,), data, dtype, seed=i).requires_grad_() for i, n in enumerate([*sizes, large])
        ]
        made: Any = cls(parameters, **options)

        def run() -> None:
            for step in range(7):
                for i, parameter in enumerate(parameters):
                    parameter.grad = draw(parameter.shape, data, dtype, seed=100 * step + i)
                made.step()
                made.param_groups[0]["lr"] *= 0.9

        return with_state(run, made)

    assert_same(scenario, By.KWKER)

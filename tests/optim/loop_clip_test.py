"""clip_grad_norm_ and its parts: norms, gradients and errors are torch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.utils import clip_grad_norm_, clip_grads_with_norm_, get_total_norm

from comparison import By, assert_same, assert_succeeds_same, with_state
from examples import examples
from kwker import torch_ops
from tables import DATA, draw

CLIP_GRAD = import_module("torch.nn.utils.clip_grad")
same = partial(assert_same, of="optim.clip_grad_norm")
succeeds_same = partial(assert_succeeds_same, of="optim.clip_grad_norm")

SHAPES: list[tuple[int, ...]] = [(n,) for n in range(71)] + [(), (7, 11, 13), (0, 3), (1, 1)]


def parameters_of(*gradients: Tensor | None) -> list[Tensor]:
    parameters = []
    for gradient in gradients:
        like = torch.zeros(3) if gradient is None else torch.zeros_like(gradient)
        parameters.append(like.requires_grad_())
        parameters[-1].grad = gradient
    return parameters


def clipped(parameters: list[Tensor], *args: Any, **kwargs: Any) -> object:
    return with_state(
        lambda: clip_grad_norm_(parameters, *args, **kwargs), [p.grad for p in parameters]
    )


@pytest.mark.parametrize("max_norm", [1.0, 1e-3, 1e30, float("inf"), 0.0, 5, -1.0])
@pytest.mark.parametrize("data", DATA)
def test_many(data: str, max_norm: float) -> None:
    def scenario() -> object:
        gradients = [draw(shape, data, seed=i) for i, shape in enumerate(SHAPES)]
        return clipped(parameters_of(*gradients, None), max_norm)

    succeeds_same(scenario)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_one(shape: tuple[int, ...]) -> None:
    def scenario() -> object:
        return [
            clipped(parameters_of(draw(shape, seed=seed) * 10.0**power), 1.0)
            for seed, power in enumerate([0, 0, 0, 0, 0, 19, 25, -20, -30])
        ]

    succeeds_same(scenario)


@pytest.mark.parametrize("data", DATA)
def test_large(data: str, threads: int) -> None:
    def scenario() -> object:
        gradients = [draw((n,), data, seed=n) for n in (70_001, 3, 40_000, 32_768, 100_003)]
        return clipped(parameters_of(*gradients), 0.1), clipped(parameters_of(gradients[4]), 0.1)

    succeeds_same(scenario)


@pytest.mark.parametrize(
    ("change", "by"),
    [
        ({"norm_type": 2}, By.KWKER),
        ({"norm_type": 2.0}, By.KWKER),
        ({"norm_type": "2"}, By.MIXED),
        ({"norm_type": 1.0}, By.MIXED),
        ({"norm_type": float("inf")}, By.MIXED),
        ({"norm_type": "inf"}, By.MIXED),
        ({"norm_type": 0}, By.MIXED),
        ({"foreach": True}, By.KWKER),
        ({"foreach": False}, By.KWKER),
        ({"foreach": 1}, By.TORCH),
        ({"error_if_nonfinite": True}, By.KWKER),
        ({"max_norm": float("nan")}, By.MIXED),
        ({"max_norm": float("-inf")}, By.KWKER),
        ({"max_norm": np.float64(0.1)}, By.ANY),
        ({"max_norm": torch.tensor(0.1)}, By.MIXED),
        ({"max_norm": "0.1"}, By.MIXED),
        ({"max_norm": 1e300}, By.MIXED),
        ({"max_norm": 2**200}, By.MIXED),
        ({"max_norm": True}, By.MIXED),
        ({"max_norm": None}, By.MIXED),
        ({"surprise": 1}, By.UNSEEN),
    ],
    ids=str,
)
def test_arguments(change: dict[str, Any], by: By) -> None:
    def scenario() -> object:
        parameters = parameters_of(draw((3,)), draw((40,)), None)
        return clipped(parameters, **({"max_norm": 0.1} | change))

    same(scenario, by)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e30])
@pytest.mark.parametrize("error_if_nonfinite", [False, True])
@pytest.mark.parametrize("max_norm", [1.0, float("inf")])
def test_norms_that_are_not_finite(value: float, error_if_nonfinite: bool, max_norm: float) -> None:
    def scenario() -> object:
        gradients = [draw((3,)), draw((40,))]
        gradients[1][17] = value
        return clipped(parameters_of(*gradients), max_norm, error_if_nonfinite=error_if_nonfinite)

    outcome = same(scenario, By.ANY if error_if_nonfinite else By.KWKER)
    assert (outcome.error is not None) == error_if_nonfinite


def _with_graph() -> list[Tensor]:
    parameters = parameters_of(None, None)
    sum((p + 1).square().sum() for p in parameters).backward(create_graph=True)  # type: ignore[union-attr]
    return parameters


def _sparse() -> list[Tensor]:
    weight = draw((5, 2)).requires_grad_()
    torch.nn.functional.embedding(torch.tensor([1, 1]), weight, sparse=True).sum().backward()
    return [weight]


def _twice() -> list[Tensor]:
    (parameter,) = parameters_of(draw((33,)))
    return [parameter, parameter]


def _shared() -> list[Tensor]:
    memory = draw((10,))
    return parameters_of(memory[:6], memory[4:])


def _in_a_graph() -> list[Tensor]:
    parameter = draw((3,)).requires_grad_() * 1
    parameter.retain_grad()
    parameter.square().sum().backward()
    return [parameter]


GRADIENTS: list[tuple[Callable[[], list[Tensor]], By]] = [
    (lambda: parameters_of(draw((3,)).double()), By.TORCH),
    (lambda: parameters_of(draw((3,)).bfloat16()), By.TORCH),
    (lambda: parameters_of(draw((3,)).half(), draw((3,))), By.TORCH),
    (lambda: parameters_of(draw((3,)), draw((3,)).double()), By.TORCH),
    (lambda: parameters_of(torch.complex(draw((3,)), draw((3,)))), By.TORCH),
    (lambda: parameters_of(draw((33, 5)).t(), draw((17, 3)).t()), By.KWKER),
    (
        lambda: parameters_of(draw((2, 3, 4, 5)).to(memory_format=torch.channels_last)),
        By.KWKER,
    ),
    (lambda: parameters_of(draw((10,))[::2]), By.TORCH),
    (lambda: parameters_of(draw((3,)).expand(2, 3)), By.TORCH),
    (lambda: parameters_of(torch._neg_view(draw((3,)))), By.TORCH),
    (lambda: parameters_of(None, None), By.ANY),
    (list, By.ANY),
    (_with_graph, By.KWKER),
    (_sparse, By.TORCH),
    (_twice, By.MIXED),
    (_shared, By.MIXED),
    (_in_a_graph, By.ANY),
]


@pytest.mark.parametrize(("make", "by"), GRADIENTS)
def test_gradients(make: Callable[[], list[Tensor]], by: By) -> None:
    same(lambda: clipped(make(), 0.1), by)


def test_parameters_as_other_things_than_a_list() -> None:
    def scenario(make: Callable[[list[Tensor]], Any]) -> object:
        parameters = parameters_of(draw((3,)), draw((40,)))
        given = make(parameters)
        return with_state(lambda: clip_grad_norm_(given, 0.1), [p.grad for p in parameters])

    for make in (tuple, iter, lambda p: p[0], lambda p: (x for x in p), set, lambda p: 5):
        same(partial(scenario, make), By.ANY)


def iter_nothing() -> Iterator[Tensor]:
    yield from ()


def test_an_empty_generator_is_warned_of() -> None:
    def scenario() -> object:
        with pytest.warns(UserWarning, match="empty generator"):
            return clip_grad_norm_(iter_nothing(), 1.0)

    succeeds_same(scenario, By.ANY)


def test_the_public_parts() -> None:
    def scenario() -> object:
        parameters = parameters_of(draw((3,)), draw((40,)))
        gradients = [p.grad for p in parameters if p.grad is not None]
        norm = torch.nn.utils.get_total_norm(gradients)
        torch.nn.utils.clip_grads_with_norm_(parameters, 0.1, norm)
        again = get_total_norm(tuple(gradients), foreach=True)  # imported before install()
        clip_grads_with_norm_(iter(parameters), 0.1, again)
        return norm, again, gradients

    succeeds_same(scenario)


@pytest.mark.parametrize(
    "norm",
    [
        torch.tensor(3.0), torch.tensor(3.0, dtype=torch.float64), torch.tensor([3.0]), 3.0, 3,
        torch.tensor(3), torch.tensor(float("nan")), torch.tensor(0.0), torch.tensor(-1e-6), None,
    ],
    ids=repr,
)  # fmt: skip
def test_norms_of_the_programs_own(norm: Any) -> None:
    def scenario() -> object:
        parameters = parameters_of(draw((3,)), draw((40,)))
        return with_state(
            lambda: torch.nn.utils.clip_grads_with_norm_(parameters, 0.5, norm),
            [p.grad for p in parameters],
        )

    same(scenario, By.ANY)


def test_the_norm_is_an_ordinary_tensor() -> None:
    def scenario() -> object:
        norm = clip_grad_norm_(parameters_of(draw((40,))), 0.1)
        norm.mul_(2)
        return norm, norm.device, norm.is_pinned(), norm.untyped_storage().nbytes()

    succeeds_same(scenario)


def test_modes() -> None:
    def scenario(mode: Callable[[], Any]) -> object:
        parameters = parameters_of(draw((3,)), draw((40,)))
        with mode():
            return clipped(parameters, 0.1)

    for mode, by in (
        (torch.no_grad, By.KWKER),
        (torch.inference_mode, By.TORCH),
        (partial(torch.device, "cpu"), By.TORCH),
        (partial(torch.autocast, "cpu"), By.ANY),
    ):
        same(partial(scenario, mode), by)


@pytest.mark.parametrize("name", ["_get_total_norm", "_has_foreach_support"])
@pytest.mark.parametrize("before", [False, True])
def test_a_users_patch_is_called(name: str, before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    original = getattr(CLIP_GRAD, name)

    def patched(*args: Any) -> Any:
        calls.append(name)
        return original(*args)

    if before:
        monkeypatch.setattr(CLIP_GRAD, name, patched)
    with torch_ops.installed("optim.clip_grad_norm", verify=False):
        if not before:
            # Above what stands there now, which install() has put.
            original = getattr(CLIP_GRAD, name)
            monkeypatch.setattr(CLIP_GRAD, name, patched)
        clip_grad_norm_(parameters_of(draw((3,))), 0.1)
        if not before:
            monkeypatch.undo()
    assert calls


def test_uninstall_puts_the_very_functions_back() -> None:
    places = [
        (CLIP_GRAD, "_get_total_norm"),
        (CLIP_GRAD, "_clip_grads_with_norm_"),
        (torch.nn.utils, "get_total_norm"),
        (torch.nn.utils, "clip_grads_with_norm_"),
    ]
    before = [getattr(*place) for place in places]
    with torch_ops.installed(verify=False):
        assert all(getattr(*p) is not b for p, b in zip(places, before, strict=True))
    assert all(getattr(*p) is b for p, b in zip(places, before, strict=True))


def test_torch_compile_takes_torchs_code() -> None:
    def scenario() -> object:
        torch._dynamo.reset()
        parameters = parameters_of(draw((3,)), draw((40,)))
        compiled = torch.compile(lambda: clip_grad_norm_(parameters, 0.1), backend="eager")
        return compiled(), [p.grad for p in parameters]

    succeeds_same(scenario, By.ANY)


@given(
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=12),
    large=st.sampled_from([1, 1000, 70_000]),
    power=st.integers(-38, 38),
    max_norm=st.one_of(st.floats(0, 10), st.floats(0, 1e38)),
    data=st.sampled_from(DATA),
    threads=st.sampled_from([1, 2]),
)
@examples(80)
def test_any_sizes_and_scales(
    sizes: list[int], large: int, power: int, max_norm: float, data: str, threads: int
) -> None:
    torch.set_num_threads(threads)

    def scenario() -> object:
        gradients = [draw((n,), data, seed=i) * 10.0**power for i, n in enumerate([*sizes, large])]
        return clipped(parameters_of(*gradients), max_norm)

    succeeds_same(scenario)

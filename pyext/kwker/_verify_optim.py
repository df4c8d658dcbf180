"""The self-check of the optimizers: Kwker's step beside torch's, on this very machine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from kwker import _C, _self_check
from kwker._optim_calls import Kind
from kwker._patch import Patch

# Around the widths of vectors; together below what would start a second thread.
_SIZES = (1, 8, 33, 2, 15, 16, 515)
STEPS = 3

# At length: every width up to two vectors; many small tensors, which share threads; and large ones,
# on which torch's own loop starts threads too.
_WIDTHS = tuple(range(1, 34))
_MANY_AND_LARGE = (
    (7, 15, 33, 1000, 515, 64, 99) * 8 + (40_000, 1),
    (17, 33, 7, 64, 515, 99, 70_001),
)

_ADAM_CASES: tuple[dict[str, Any], ...] = (
    {},
    {"weight_decay": 1e-2, "maximize": True},
    {"beta1": 0.3, "beta2": 0.9, "eps": 1e-3},
    {"beta1": 0.0, "amsgrad": True},
)
_SGD_CASES: tuple[dict[str, Any], ...] = (
    {"weight_decay": 1e-2},
    {"momentum": 0.9},
    {"momentum": 0.9, "dampening": 0.1, "weight_decay": 1e-2, "maximize": True},
    {"momentum": 0.9, "nesterov": True, "weight_decay": 1e-2},
)
_ADAM_OTHERS: tuple[dict[str, Any], ...] = (
    {},
    {"beta1": 0.3, "beta2": 0.9, "eps": 1e-3},
    {"beta1": 0.5, "beta2": 0.5, "lr": 10.0},
    {"eps": 0.0},
    {"beta1": 0.0},
    {"amsgrad": True},
)
_ADAM_CASES_AT_LENGTH = tuple(
    {"weight_decay": weight_decay, "maximize": maximize, **others}
    for weight_decay, maximize, others in product((0.0, 1e-2), (False, True), _ADAM_OTHERS)
)
_SGD_CASES_AT_LENGTH = tuple(
    {"weight_decay": weight_decay, "maximize": maximize, **others}
    for weight_decay, maximize, others in product(
        (0.0, 1e-2),
        (False, True),
        (
            {},
            {"momentum": 0.9},
            {"momentum": 0.9, "dampening": 0.1},
            {"momentum": 0.5, "nesterov": True, "lr": 10.0},
        ),
    )
)


# Two or more each: the defaults, and what takes the other branches.
_CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "optim.adam": _ADAM_CASES,
    "optim.adamw": _ADAM_CASES,
    "optim.sgd": _SGD_CASES,
    "optim.rmsprop": (
        {},
        {"weight_decay": 1e-2, "momentum": 0.9, "centered": True, "maximize": True},
    ),
    "optim.adagrad": ({}, {"weight_decay": 1e-2, "lr_decay": 0.1, "maximize": True}),
    "optim.nadam": (
        {},
        {"weight_decay": 1e-2, "decoupled_weight_decay": True, "betas": (0.3, 0.9)},
    ),
    "optim.adamax": ({}, {"weight_decay": 1e-2, "maximize": True, "betas": (0.3, 0.9)}),
    "optim.adadelta": ({}, {"weight_decay": 1e-2, "rho": 0.3, "maximize": True}),
    "optim.asgd": ({}, {"weight_decay": 1e-2, "t0": 4.5, "alpha": 0.5, "maximize": True}),
    "optim.radam": ({}, {"weight_decay": 1e-2, "maximize": True, "betas": (0.3, 0.9)}),
    "optim.rprop": ({}, {"maximize": True, "etas": (0.3, 1.5), "step_sizes": (0.01, 0.02)}),
}
_CASES_AT_LENGTH = {
    "optim.adam": _ADAM_CASES_AT_LENGTH,
    "optim.adamw": _ADAM_CASES_AT_LENGTH,
    "optim.sgd": _SGD_CASES_AT_LENGTH,
}
# Steps taken before: around the sixth RAdam goes over to something else.
_FIRST_STEP = {"optim.radam": 4.0, "optim.asgd": 4.0}

# Steps with a function on fixed data: one set of options. Returns lists of tensors by name.
_Run = Callable[[Callable[..., None], dict[str, Any], "Data"], dict[str, list[Tensor]]]


def difference(name: str, kind: Kind, patch: Patch, counters: _C.Counters) -> str:
    """Where the hook's results differ from the original's, "" if nowhere.

    Uses no random state of the program's and none of its modes. Takes some milliseconds, and the
    first time some tens for comparing square roots.
    """
    steps = partial(_run, name, kind, patch)

    def compare_all() -> str:
        return next(filter(None, _outcomes(steps, patch, counters, _CASES[name], _SIZES)), "")

    return _self_check.undisturbed(counters, compare_all)


def differences(name: str, kind: Kind, patch: Patch, counters: _C.Counters) -> Iterator[str]:
    """The same at length, at the present number of threads, one text a case.

    Many cases on each width, few on many and on large tensors.
    """
    few = _CASES[name]
    many = _CASES_AT_LENGTH.get(name) or tuple(
        {"maximize": maximize, "lr": lr} | case
        for maximize, lr, case in product((False, True), (1e-3, 10.0), few)
    )
    steps = partial(_run, name, kind, patch)
    yield from _outcomes(steps, patch, counters, many, _WIDTHS)
    for sizes in _MANY_AND_LARGE:
        yield from _outcomes(steps, patch, counters, few, sizes)


def _outcomes(
    steps: _Run,
    patch: Patch,
    counters: _C.Counters,
    cases: Iterable[dict[str, Any]],
    sizes: Sequence[int],
) -> Iterator[str]:
    for dtype in (torch.float32, torch.float64):
        data = _data(dtype, tuple(sizes))
        for case in cases:
            label = f"{str(dtype).removeprefix('torch.')} {case or 'defaults'}"
            theirs, ours = (partial(steps, f, case, data) for f in (patch.original, patch.hook))
            yield _self_check.outcome(label, counters, STEPS, theirs, ours)


class Data:
    """Parameters, and the gradients of each step. What is handed out may be written to."""

    def __init__(self, dtype: torch.dtype, sizes: Sequence[int]) -> None:
        self.dtype = dtype
        generator = torch.Generator().manual_seed(1)
        self._params = _numbers(generator, dtype, sizes)
        self._grads = [_gradients(step, generator, dtype, sizes) for step in range(STEPS)]

    def params(self) -> list[Tensor]:
        """Random numbers of several scales."""
        return [p.clone() for p in self._params]

    def grads(self, step: int) -> list[Tensor]:
        """The same with zeros, and after the first step with special values."""
        return [g.clone() for g in self._grads[step]]


# All checks of an install() use the same two.
@lru_cache(maxsize=2)
def _data(dtype: torch.dtype, sizes: tuple[int, ...]) -> Data:
    return Data(dtype, sizes)


def _numbers(generator: torch.Generator, dtype: torch.dtype, sizes: Sequence[int]) -> list[Tensor]:
    return [
        torch.randn(n, dtype=dtype, generator=generator, device="cpu").mul_(10.0 ** (i % 9 - 4))
        for i, n in enumerate(sizes)
    ]


def _gradients(
    step: int, generator: torch.Generator, dtype: torch.dtype, sizes: Sequence[int]
) -> list[Tensor]:
    grads = _numbers(generator, dtype, sizes)
    grads[3].zero_()
    if step > 0:
        grads[5][0] = float("inf")
        grads[6][:5] = torch.tensor([0.0, -0.0, 1e-42, -1e-30, 1e30], dtype=dtype)
    return grads


def _run(
    name: str,
    kind: Kind,
    patch: Patch,
    function: Callable[..., None],
    case: dict[str, Any],
    data: Data,
) -> dict[str, list[Tensor]]:
    options = _defaults(kind) | case
    if name == "optim.adamw":
        options["decoupled_weight_decay"] = True
    params = data.params()
    first = _FIRST_STEP.get(name, 0.0)
    states = [{"step": torch.tensor(first, dtype=torch.float32, device="cpu")} for _ in params]
    if name == "optim.sgd":
        states = [{} for _ in params]
    # Of the original: a hook that is being tested may not tell its signature.
    lists, keywords = kind.arguments(patch.original, options, params, params, states)
    for step in range(STEPS):
        lists[1] = data.grads(step)
        function(*lists, **keywords)
    return dict(zip(("param", "grad", *kind.state), lists, strict=True))


@cache
def _defaults(kind: Kind) -> dict[str, Any]:
    parameters = inspect.signature(kind.cls.__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}

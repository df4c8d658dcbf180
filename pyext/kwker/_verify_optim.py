"""The self-check of the optimizers: Kwker's step beside torch's, on this very machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from kwker import _C, _self_check
from kwker._bits import same_bits
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

_ADAM = {
    "amsgrad": False,
    "beta1": 0.9,
    "beta2": 0.999,
    "lr": 1e-3,
    "weight_decay": 0.0,
    "eps": 1e-8,
    "maximize": False,
}
_SGD = {
    "weight_decay": 0.0,
    "momentum": 0.0,
    "lr": 0.1,
    "dampening": 0.0,
    "nesterov": False,
    "maximize": False,
}
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


# Steps with a function on fixed data: one set of options, a dtype, sizes. Returns all tensors by
# name.
Run = Callable[[Callable[..., None], dict[str, Any], torch.dtype, Sequence[int]], dict[str, Tensor]]


def difference(name: str, patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere.

    Takes some tens of milliseconds, most of them for comparing square roots.
    """
    cases = _SGD_CASES if name == "optim.sgd" else _ADAM_CASES
    return compare(partial(_run, name), patch, counters, cases)


def differences(name: str, patch: Patch, counters: _C.Counters) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    many = _SGD_CASES_AT_LENGTH if name == "optim.sgd" else _ADAM_CASES_AT_LENGTH
    few = _SGD_CASES if name == "optim.sgd" else _ADAM_CASES
    yield from compare_at_length(partial(_run, name), patch, counters, many, few)


def compare(
    steps: Run,
    patch: Patch,
    counters: _C.Counters,
    cases: Iterable[dict[str, Any]],
    sizes: Sequence[int] = _SIZES,
) -> str:
    """Where the hook's results differ from the original's, "" if nowhere.

    Uses no random state of the program's and none of its modes.
    """

    def compare_all() -> str:
        return next(filter(None, _outcomes(steps, patch, counters, cases, sizes)), "")

    return _self_check.undisturbed(counters, compare_all)


def compare_at_length(
    steps: Run,
    patch: Patch,
    counters: _C.Counters,
    many: Iterable[dict[str, Any]],
    few: Sequence[dict[str, Any]],
) -> Iterator[str]:
    """The same, one text a case: many of them on each width, few on many and large tensors."""
    yield from _outcomes(steps, patch, counters, many, _WIDTHS)
    for sizes in _MANY_AND_LARGE:
        yield from _outcomes(steps, patch, counters, few, sizes)


def _outcomes(
    steps: Run,
    patch: Patch,
    counters: _C.Counters,
    cases: Iterable[dict[str, Any]],
    sizes: Sequence[int],
) -> Iterator[str]:
    for dtype in (torch.float32, torch.float64):
        for case in cases:
            calls = counters.calls
            theirs = steps(patch.original, case, dtype, sizes)
            ours = steps(patch.hook, case, dtype, sizes)
            label = f"{str(dtype).removeprefix('torch.')} {case or 'defaults'}"
            if counters.calls != calls + STEPS:
                reasons = ", ".join(counters.fallbacks)
                yield f"{label}: not taken ({reasons or 'unknown reason'})"
                continue
            wrong = (key for key, tensor in theirs.items() if not same_bits(tensor, ours[key]))
            yield next((f"{label}: {key} differs" for key in wrong), "")


def numbers(generator: torch.Generator, dtype: torch.dtype, sizes: Sequence[int]) -> list[Tensor]:
    """Random tensors of several scales."""
    return [
        torch.randn(n, dtype=dtype, generator=generator, device="cpu") * 10.0 ** (i % 9 - 4)
        for i, n in enumerate(sizes)
    ]


def gradients(
    step: int, generator: torch.Generator, dtype: torch.dtype, sizes: Sequence[int]
) -> list[Tensor]:
    """The same with zeros, and after the first step with special values."""
    grads = numbers(generator, dtype, sizes)
    grads[3].zero_()
    if step > 0:
        grads[5][0] = float("inf")
        grads[6][:5] = torch.tensor([0.0, -0.0, 1e-42, -1e-30, 1e30], dtype=dtype)
    return grads


def _run(
    name: str,
    function: Callable[..., None],
    case: dict[str, Any],
    dtype: torch.dtype,
    sizes: Sequence[int],
) -> dict[str, Tensor]:
    """A few steps on fixed data; returns all tensors by name."""
    generator = torch.Generator().manual_seed(1)

    params = numbers(generator, dtype, sizes)
    zeros = [torch.zeros_like(p) for p in params]
    state: dict[str, list[Tensor]] = {"param": params}
    buffers: list[Tensor | None] = [None] * len(params)
    if name != "optim.sgd":
        state |= {
            "exp_avg": zeros,
            "exp_avg_sq": [torch.zeros_like(p) for p in params],
            "step": [torch.zeros((), dtype=torch.float32, device="cpu") for _ in params],
        }
        if case.get("amsgrad"):
            state["max_exp_avg_sq"] = [torch.zeros_like(p) for p in params]
    for step in range(STEPS):
        grads = gradients(step, generator, dtype, sizes)
        if name == "optim.sgd":
            function(params, grads, buffers, **(_SGD | case))
        else:
            function(
                params,
                grads,
                state["exp_avg"],
                state["exp_avg_sq"],
                state.get("max_exp_avg_sq", []),
                state["step"],
                decoupled_weight_decay=name == "optim.adamw",
                **(_ADAM | case),
            )
    if any(b is not None for b in buffers):
        state["momentum_buffer"] = [b for b in buffers if b is not None]
    return {f"{key}[{i}]": t for key, tensors in state.items() for i, t in enumerate(tensors)}

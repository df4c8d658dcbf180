"""The self-check of the optimizers: Kwker's step beside torch's, on this very machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
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


# Steps with a function on fixed data: one set of options. Returns lists of tensors by name.
Run = Callable[[Callable[..., None], dict[str, Any], "Data"], dict[str, list[Tensor]]]


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
) -> str:
    """Where the hook's results differ from the original's, "" if nowhere.

    Uses no random state of the program's and none of its modes.
    """

    def compare_all() -> str:
        return next(filter(None, _outcomes(steps, patch, counters, cases, _SIZES)), "")

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
        data = _data(dtype, tuple(sizes))
        for case in cases:
            calls = counters.calls
            theirs = steps(patch.original, case, data)
            ours = steps(patch.hook, case, data)
            label = f"{str(dtype).removeprefix('torch.')} {case or 'defaults'}"
            if counters.calls != calls + STEPS:
                reasons = ", ".join(counters.fallbacks)
                yield f"{label}: not taken ({reasons or 'unknown reason'})"
                continue
            wrong = filter(None, (_differing(k, theirs[k], ours[k]) for k in theirs))
            yield next((f"{label}: {name} differs" for name in wrong), "")


def _differing(key: str, theirs: list[Tensor], ours: list[Tensor]) -> str:
    """The first tensor of a list that differs, "" if none does."""
    if same_bits(_joined(theirs), _joined(ours)):
        return ""
    pairs = enumerate(zip(theirs, ours, strict=True))
    return next((f"{key}[{i}]" for i, (a, b) in pairs if not same_bits(a, b)), key)


def _joined(tensors: list[Tensor]) -> Tensor:
    return torch.cat([t.reshape(-1) for t in tensors]) if tensors else torch.empty(0)


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
    function: Callable[..., None],
    case: dict[str, Any],
    data: Data,
) -> dict[str, list[Tensor]]:
    params = data.params()
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
        grads = data.grads(step)
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
    return state

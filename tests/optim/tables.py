"""Options, sizes and data that the suites combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer

from comparison import By, seeded


@dataclass(frozen=True)
class Case:
    """An optimizer with options, and who is to do its steps."""

    cls: type[Optimizer]
    options: dict[str, Any] = field(hash=False)
    by: By = By.KWKER

    def make(self, parameters: Sequence[Tensor]) -> Optimizer:
        return self.cls(list(parameters), **self.options)

    def __str__(self) -> str:
        words = [self.cls.__name__] + [f"{k}={v}" for k, v in self.options.items()]
        return "-".join(words).replace(" ", "")


_ADAM: list[dict[str, Any]] = [
    {},
    {"lr": 0.1},
    {"weight_decay": 0.01},
    {"weight_decay": 0.1, "maximize": True},
    {"maximize": True},
    {"betas": (0.5, 0.9)},
    {"betas": (0.3, 0.7), "weight_decay": 0.3},
    {"betas": (0.9, 0.0)},
    {"betas": (0.500000001, 0.999)},  # 1 - beta1 beside the one half where lerp changes its form
    {"betas": (0.499999999, 0.999)},
    {"eps": 0.0},
    {"eps": 1e-3, "lr": 3e-4},
    {"lr": 0.0, "weight_decay": 0.1},
    {"lr": 1e-30, "eps": 1e-30},
    {"lr": 1e30},
    {"lr": 1, "weight_decay": 1},  # integers
]
_ADAM_SIGNS_OF_ZERO: list[dict[str, Any]] = [  # that depend on where torch's loops end
    {"betas": (0.0, 0.99)},
    {"betas": (0.0, 0.0), "weight_decay": 0.1},
    {"betas": (1e-30, 0.99)},  # 1 - beta1 rounds to one
    {"amsgrad": True},
    {"amsgrad": True, "weight_decay": 0.1, "maximize": True},
    {"amsgrad": True, "betas": (0.0, 0.5)},
]
_SGD: list[dict[str, Any]] = [
    {},
    {"lr": 0.0},
    {"lr": 1},
    {"lr": 1e30},
    {"weight_decay": 0.01},
    {"maximize": True},
    {"weight_decay": 0.1, "maximize": True},
    {"momentum": 0.9},
    {"momentum": 0.9, "weight_decay": 5e-4},
    {"momentum": 0.9, "dampening": 0.3},
    {"momentum": 0.9, "dampening": 1.0},
    {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.1, "maximize": True},
    {"momentum": 0.9, "nesterov": True},
    {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    {"momentum": 0.5, "nesterov": True, "weight_decay": 0.1, "maximize": True},
    {"momentum": 1},
]

OURS: list[Case] = (
    [Case(cls, options) for cls in (Adam, AdamW) for options in _ADAM_SIGNS_OF_ZERO]
    + [Case(Adam, options) for options in _ADAM]
    + [Case(Adam, {"weight_decay": 0.1, "decoupled_weight_decay": True})]
    + [Case(AdamW, options) for options in _ADAM if options]
    + [Case(AdamW, {})]
    + [Case(SGD, options) for options in _SGD]
)
# A few that between them take every branch of the kernels.
BRANCHES: list[Case] = [
    Case(Adam, {"weight_decay": 0.1, "maximize": True}),
    Case(Adam, {"betas": (0.3, 0.99)}),
    Case(AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    Case(AdamW, {"betas": (0.0, 0.99), "amsgrad": True}),
    Case(SGD, {"lr": 0.1}),
    Case(SGD, {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.1, "maximize": True}),
    Case(SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
]

DTYPES = [torch.float32, torch.float64]

# Every remainder of a vector and of a pair of vectors, then the borders at which torch splits
# work among threads.
SMALL_SHAPES: list[tuple[int, ...]] = [(n,) for n in range(71)] + [
    (),
    (999,),
    (1000,),
    (1001,),
    (7, 11, 13),
    (0, 3),
]
LARGE_SHAPES: list[tuple[int, ...]] = [(32767,), (32768,), (32769,), (65553,), (100003,)]

DATA = ["normal", "tiny", "extreme"]


def _mixture(count: int, data: str, dtype: torch.dtype, seed: int) -> Tensor:
    rng = seeded(seed)
    values = torch.randn(count, generator=rng, dtype=torch.float64)
    if data == "tiny":  # denormal numbers, zeros of both signs, and what underflows when squared
        smallest = torch.finfo(dtype).smallest_normal
        scale = torch.tensor([smallest * 2**-10, smallest, smallest**0.5, 0.0, 1.0])
        values = values * scale.double()[torch.randint(len(scale), (count,), generator=rng)]
    if data == "extreme":  # infinities, NaN, and what overflows when squared
        largest = torch.finfo(dtype).max
        special = torch.tensor(
            [float("inf"), -float("inf"), float("nan"), largest, -largest, largest**0.5, 0.0, -0.0],
            dtype=torch.float64,
        )
        chosen = special[torch.randint(len(special), (count,), generator=rng)]
        values = torch.where(torch.rand(count, generator=rng) < 0.3, chosen, values)
    return values.to(dtype)


@lru_cache(maxsize=16)
def _pool(data: str, dtype: torch.dtype) -> Tensor:
    return _mixture(1 << 18, data, dtype, seed=1)


def draw(
    shape: Sequence[int], data: str = "normal", dtype: torch.dtype = torch.float32, seed: int = 0
) -> Tensor:
    """A fresh tensor of the given kind of data; the same arguments give the same values."""
    count = 1
    for extent in shape:
        count *= extent
    pool = _pool(data, dtype)
    assert count <= len(pool)
    start = (seed * 7919 + 13) % (len(pool) - count + 1)
    return pool[start : start + count].clone().reshape(tuple(shape))

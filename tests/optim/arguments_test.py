"""Calls and hyperparameters at the edge: served with torch's bits, or left to torch."""

from __future__ import annotations

import contextlib
import importlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import kwker.torch_ops as sto
from kwker._bits import same_bits

ADAM = importlib.import_module("torch.optim.adam")
SGD = importlib.import_module("torch.optim.sgd")


@pytest.fixture(autouse=True)
def nothing_installed() -> Iterator[None]:
    yield
    sto.uninstall()


def outcome(make: Callable[[list[Tensor]], torch.optim.Optimizer]) -> tuple[Any, ...]:
    """Parameters after three steps, the error and the warnings."""
    parameter = torch.tensor([-0.0, 0.0, -0.0, 1.0], requires_grad=True)
    parameter.grad = torch.tensor([1.0, -1.0, -1.0, 1.0])
    error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            optimizer = make([parameter])
            for _ in range(3):
                optimizer.step()
        except Exception as raised:
            error = (type(raised), str(raised))
    return parameter.detach(), error, sorted(str(w.message) for w in caught)


class Odd(float):
    def __neg__(self) -> float:
        return 5.0

    def __mul__(self, other: object) -> float:
        return 3.0


MAKERS: dict[str, Callable[[list[Tensor]], torch.optim.Optimizer]] = {
    "int 0 as lr": lambda p: torch.optim.SGD(p, lr=0),
    "int 0 as lr, momentum": lambda p: torch.optim.SGD(p, lr=0, momentum=0.9),
    "0.0 as lr": lambda p: torch.optim.SGD(p, lr=0.0),
    "int lr": lambda p: torch.optim.SGD(p, lr=1, momentum=1, dampening=1),
    "Adam, int 0 as lr": lambda p: torch.optim.AdamW(p, lr=0),
    "ints whose product is none of int64's": lambda p: torch.optim.AdamW(
        p, lr=2**40, weight_decay=2**40
    ),
    "float subclass": lambda p: torch.optim.SGD(p, lr=Odd(0.1)),
    "float subclass in AdamW": lambda p: torch.optim.AdamW(p, lr=Odd(0.1)),
    "numpy.float64": lambda p: torch.optim.AdamW(p, lr=np.float64(0.1)),
    "numpy.float64 that underflows": lambda p: torch.optim.AdamW(
        p,
        lr=np.float64(1e-200),
        weight_decay=np.float64(1e-200),
    ),
    "bool": lambda p: torch.optim.SGD(p, lr=True, weight_decay=True),
}


@pytest.mark.parametrize("name", MAKERS)
def test_hyperparameters(name: str) -> None:
    with np.errstate(all="warn"):
        theirs = outcome(MAKERS[name])
        sto.install()
        ours = outcome(MAKERS[name])
    assert same_bits(theirs[0], ours[0])
    assert theirs[1:] == ours[1:]


ADAM_ARGUMENTS: dict[str, Any] = {
    "amsgrad": False,
    "beta1": 0.9,
    "beta2": 0.9,
    "lr": 0.1,
    "weight_decay": 0.0,
    "eps": 1e-8,
    "maximize": False,
}


@pytest.mark.parametrize("missing", ADAM_ARGUMENTS)
def test_missing_arguments_are_torchs_error(missing: str) -> None:
    arguments = {k: v for k, v in ADAM_ARGUMENTS.items() if k != missing}

    def error() -> str:
        one = [[torch.ones(2)] for _ in range(4)]
        with pytest.raises(TypeError) as raised:
            ADAM.adam(*one, [], [torch.tensor(0.0)], **arguments)
        return str(raised.value)

    theirs = error()
    sto.install()
    assert error() == theirs


def test_lists_that_another_thread_empties() -> None:
    sto.install()
    for delay in (0.0, 0.0005, 0.002):
        lists: list[list[Tensor | None]] = [
            [torch.ones(500_000) for _ in range(4)],
            [torch.ones(500_000) for _ in range(4)],
            [None] * 4,
        ]

        def empty(delay: float = delay, lists: list[list[Tensor | None]] = lists) -> None:
            time.sleep(delay)
            for items in lists:
                items.clear()

        thread = threading.Thread(target=empty)
        thread.start()
        with contextlib.suppress(IndexError):  # as torch's own loop
            SGD.sgd(
                *lists,
                weight_decay=0.0,
                momentum=0.9,
                lr=0.1,
                dampening=0.0,
                nesterov=False,
                maximize=False,
            )
        thread.join()

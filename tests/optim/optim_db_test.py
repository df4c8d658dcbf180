"""Every optimizer input and every error that torch's own tests use."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing._internal.common_optimizers import (
    OptimizerInfo,
    _get_optim_inputs_including_global_cliquey_kwargs,
    optim_db,
)

from comparison import By, assert_same, with_state
from tables import draw

NAMES = (
    "Adam",
    "AdamW",
    "SGD",
    "RMSprop",
    "Adagrad",
    "NAdam",
    "RAdam",
    "Adamax",
    "Adadelta",
    "ASGD",
    "Rprop",
)
INFOS: list[OptimizerInfo] = [i for i in optim_db if i.name in NAMES]


def _inputs() -> list[Any]:
    found = []
    for info in INFOS:
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64):
            inputs = _get_optim_inputs_including_global_cliquey_kwargs("cpu", dtype, info)
            for number, entry in enumerate(inputs):
                if dtype.itemsize == 2 and entry.kwargs.get("fused") and "momentum" in entry.kwargs:
                    # torch's own steps differ from one another: in the narrow dtypes they read a
                    # momentum buffer that nobody has filled (2.13.0).
                    continue
                name = f"{info.name}-{dtype}-{number}-{entry.desc}"
                found.append(pytest.param(info, dtype, entry.kwargs, id=name))
    return found


def test_the_data_base_has_the_optimizers() -> None:
    assert {info.name for info in INFOS} == set(NAMES)


def _is_plain(name: str, kwargs: dict[str, Any], dtype: torch.dtype) -> bool:
    declined = ["fused", "capturable", "differentiable"]
    if name in ("NAdam", "RAdam", "Adamax", "ASGD"):
        declined.append("foreach")  # has other results
    return (
        dtype in (torch.float32, torch.float64)
        and not any(kwargs.get(name) for name in declined)
        and not any(isinstance(value, Tensor) for value in kwargs.values())
    )


@pytest.mark.parametrize(("info", "dtype", "kwargs"), _inputs())
def test_inputs(info: OptimizerInfo, dtype: torch.dtype, kwargs: dict[str, Any]) -> None:
    def scenario() -> object:
        leaf = not kwargs.get("differentiable")
        parameters = [
            draw(shape, seed=i).to(dtype).requires_grad_(leaf)
            for i, shape in enumerate([(10, 5), (10,), (), (3, 1, 7), (0,)])
        ]
        cls: Any = info.optim_cls
        optimizer = cls(parameters, **copy.deepcopy(kwargs))

        def run() -> None:
            for step in range(6):
                for i, parameter in enumerate(parameters):
                    gradient = draw(parameter.shape, seed=10 * step + i).to(dtype)
                    parameter.grad = None if (step, i) == (3, 1) else gradient
                optimizer.step()

        return with_state(run, optimizer)

    assert_same(scenario, By.KWKER if _is_plain(info.name, kwargs, dtype) else By.ANY)


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_errors(info: OptimizerInfo) -> None:
    cls: Any = info.optim_cls
    inputs = info.optim_error_inputs_func(device="cpu", dtype=torch.float32)
    assert len(inputs) >= 5
    for entry in inputs:
        given = entry.optimizer_error_input

        def scenario(given: Any = given) -> object:
            parameters = given.params or [draw((3, 2)).requires_grad_()]
            optimizer = cls(parameters, **given.kwargs)
            optimizer.step()
            return optimizer

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcome = assert_same(scenario, By.ANY)
        assert outcome.error is not None, given.desc

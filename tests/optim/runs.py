"""Training runs that the suites share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.optim import Optimizer

from tables import Case, draw


def train(
    case: Case,
    shapes: Sequence[tuple[int, ...]],
    data: str,
    dtype: torch.dtype,
    steps: int,
    new_rates: bool = True,
) -> Optimizer:
    """Some steps with new gradients, some of them None, and a learning rate that moves."""
    parameters = [
        draw(shape, data, dtype, seed=i).requires_grad_() for i, shape in enumerate(shapes)
    ]
    optimizer = case.make(parameters)
    for step in range(steps):
        for i, parameter in enumerate(parameters):
            absent = (i + step) % 11 == 5
            gradient = draw(parameter.shape, data, dtype, seed=1000 * (step + 1) + i)
            parameter.grad = None if absent else gradient
        if new_rates:
            for group in optimizer.param_groups:
                group["lr"] = group["lr"] * (1 - 0.1 * step / steps)
        optimizer.step()
    return optimizer

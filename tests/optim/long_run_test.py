"""A run of 1,000 steps as people train: two groups, a schedule, a checkpoint reloaded half-way."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import OneCycleLR

from comparison import assert_succeeds_same
from networks import network
from tables import Case, draw

STEPS = 1000
CASES = [
    Case(AdamW, {"lr": 3e-3}),
    Case(Adam, {"lr": 3e-3, "betas": (0.8, 0.95)}),
    Case(SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
]


def _groups(model: nn.Module) -> list[dict[str, Any]]:
    """Weights decay, biases do not."""
    named = list(model.named_parameters())
    return [
        {"params": [p for name, p in named if name.endswith("weight")], "weight_decay": 0.05},
        {"params": [p for name, p in named if name.endswith("bias")], "weight_decay": 0.0},
    ]


def _build(case: Case, seed: int) -> tuple[nn.Module, Optimizer, OneCycleLR]:
    model = network(seed)
    optimizer = case.cls(_groups(model), **case.options)
    schedule = OneCycleLR(optimizer, max_lr=case.options["lr"], total_steps=STEPS)
    return model, optimizer, schedule


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_thousand_steps_with_a_checkpoint(case: Case) -> None:
    def scenario() -> object:
        model, optimizer, schedule = _build(case, seed=0)
        losses: list[Tensor] = []
        for step in range(STEPS):
            if step == STEPS // 2:
                file = io.BytesIO()
                parts = (model, optimizer, schedule)
                torch.save([part.state_dict() for part in parts], file)
                file.seek(0)
                model, optimizer, schedule = _build(case, seed=1)
                saved = torch.load(file)
                model.load_state_dict(saved[0])
                optimizer.load_state_dict(saved[1])
                schedule.load_state_dict(saved[2])
            optimizer.zero_grad()
            inputs = draw((16, 7), seed=step)
            loss = (model(inputs) - inputs[:, :3].sin()).square().mean()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        assert losses[-1] < losses[0] / 4
        return losses, optimizer

    assert_succeeds_same(scenario)

"""What Accelerate does around a step: its loop is the user's own."""

from __future__ import annotations

from typing import Any

import torch
from accelerate import Accelerator
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer, lr_scheduler

import data
from side import Run, left_by


class Loop:
    """A network, its optimizer and schedule, as Accelerate has prepared them."""

    def __init__(self, make: Any, **options: Any) -> None:
        self.accelerator = Accelerator(cpu=True, **options)
        network = data.network()
        optimizer = make(network.parameters())
        schedule = lr_scheduler.CosineAnnealingLR(optimizer, 20)
        self.network, self.optimizer, self.loader, self.schedule = self.accelerator.prepare(
            network, optimizer, data.loader(), schedule
        )
        self.losses: list[float] = []

    def train(self, epochs: int = 1) -> None:
        for inputs, targets in (batch for _ in range(epochs) for batch in self.loader):
            with self.accelerator.accumulate(self.network):
                loss = nn.functional.mse_loss(self.network(inputs), targets)
                self.accelerator.backward(loss)
                if self.accelerator.sync_gradients:
                    self.accelerator.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimizer.step()
                self.schedule.step()
                self.optimizer.zero_grad()
            self.losses.append(loss.item())

    def left(self) -> object:
        optimizer: Optimizer = self.optimizer.optimizer
        return left_by(self.network, optimizer), self.schedule.state_dict(), self.losses


def adam_accumulated_resumed() -> object:
    def make() -> Loop:
        return Loop(lambda p: Adam(p, lr=0.01, weight_decay=0.1), gradient_accumulation_steps=2)

    straight = make()
    straight.train()
    straight.accelerator.save_state("middle", safe_serialization=False)
    straight.train()
    resumed = make()
    resumed.accelerator.load_state("middle")
    resumed.train()
    return straight.left(), torch.load("middle/optimizer.bin"), resumed.left()


def adamw_bf16() -> object:
    loop = Loop(lambda p: AdamW(p, lr=0.01), mixed_precision="bf16")
    loop.train(2)
    return loop.left()


def sgd() -> object:
    loop = Loop(lambda p: SGD(p, lr=0.1, momentum=0.9))
    loop.train(2)
    return loop.left()


def adamw_foreach() -> object:
    loop = Loop(lambda p: AdamW(p, lr=0.01, foreach=True))
    loop.train()
    return loop.left()


def fresh(run: Run) -> Run:
    """Accelerate keeps the options of its first use for the whole process."""

    def begin() -> object:
        from accelerate.state import AcceleratorState

        AcceleratorState._reset_state(reset_partial_state=True)
        return run()

    return begin


RUNS: dict[str, Run] = {
    run.__name__: fresh(run) for run in (adam_accumulated_resumed, adamw_bf16, sgd, adamw_foreach)
}

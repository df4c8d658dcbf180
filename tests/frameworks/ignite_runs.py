"""What Ignite's engines and handlers do around a step."""

from __future__ import annotations

from typing import Any

import torch
from ignite.engine import Engine, Events, create_supervised_trainer
from ignite.handlers import (
    Checkpoint,
    CosineAnnealingScheduler,
    DiskSaver,
    EMAHandler,
    LRScheduler,
    create_lr_scheduler_with_warmup,
)
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, lr_scheduler

import data
from side import Run, left_by


def losses_of(engine: Engine) -> list[float]:
    losses: list[float] = []
    engine.add_event_handler(
        Events.ITERATION_COMPLETED, lambda engine: losses.append(engine.state.output)
    )
    return losses


def sgd_accumulated_averaged() -> object:
    model = data.network()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    trainer = create_supervised_trainer(
        model, optimizer, nn.MSELoss(), gradient_accumulation_steps=2
    )
    losses = losses_of(trainer)
    schedule = CosineAnnealingScheduler(optimizer, "lr", 0.1, 0.01, cycle_size=2 * data.BATCHES)
    trainer.add_event_handler(Events.ITERATION_STARTED, schedule)
    average = EMAHandler(model, momentum=0.1)
    average.attach(trainer)
    trainer.run(data.loader(), max_epochs=2)
    return left_by(model, optimizer), left_by(average.ema_model), losses


def adamw_warmed_up() -> object:
    model = data.network()
    optimizer = AdamW(model.parameters(), lr=0.01)
    trainer = create_supervised_trainer(model, optimizer, nn.MSELoss())
    losses = losses_of(trainer)
    schedule = create_lr_scheduler_with_warmup(
        lr_scheduler.ExponentialLR(optimizer, 0.9), warmup_start_value=0.0, warmup_duration=4
    )
    trainer.add_event_handler(Events.ITERATION_STARTED, schedule)
    trainer.run(data.loader(), max_epochs=2)
    return left_by(model, optimizer), losses


class Clipped:
    """A step of the user's own, with a clipped gradient and all that a checkpoint keeps."""

    def __init__(self) -> None:
        self.model = data.network()
        self.optimizer = Adam(self.model.parameters(), lr=0.01, weight_decay=0.1)
        self.engine = Engine(self.step)
        schedule = LRScheduler(lr_scheduler.StepLR(self.optimizer, 3, 0.5))
        self.engine.add_event_handler(Events.ITERATION_COMPLETED, schedule)
        self.losses = losses_of(self.engine)
        self.kept: dict[str, Any] = {
            "model": self.model,
            "optimizer": self.optimizer,
            "schedule": schedule,
            "engine": self.engine,
        }

    def step(self, engine: Engine, batch: list[Tensor]) -> float:
        inputs, targets = batch
        self.model.train()
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(inputs), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.optimizer.step()
        return loss.item()

    def left(self) -> object:
        return left_by(self.model, self.optimizer), self.losses


def adam_clipped_resumed() -> object:
    """From a checkpoint in the middle of an epoch."""
    straight = Clipped()
    saving = Checkpoint(straight.kept, DiskSaver(".", require_empty=False), n_saved=None)
    straight.engine.add_event_handler(Events.ITERATION_COMPLETED(every=5), saving)
    straight.engine.run(data.loader(), max_epochs=2)
    saved = torch.load("checkpoint_5.pt")
    resumed = Clipped()
    Checkpoint.load_objects(resumed.kept, saved)
    resumed.engine.run(data.loader(), max_epochs=2)
    return straight.left(), saved, resumed.left()


def nesterov_foreach() -> object:
    model = data.network()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, foreach=True)
    create_supervised_trainer(model, optimizer, nn.MSELoss()).run(data.loader())
    return left_by(model, optimizer)


RUNS: dict[str, Run] = {
    run.__name__: run
    for run in (sgd_accumulated_averaged, adamw_warmed_up, adam_clipped_resumed, nesterov_foreach)
}

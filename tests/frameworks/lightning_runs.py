"""What PyTorch Lightning's Trainer does around a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EMAWeightAveraging, ModelCheckpoint
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD, Adam, AdamW, lr_scheduler

import data
from side import Run, left_by


class Module(pl.LightningModule):  # type: ignore[misc]
    """A network, trained as `configure` says, that keeps its losses."""

    def __init__(self, configure: Callable[[Iterable[nn.Parameter]], Any]) -> None:
        super().__init__()
        self.network = data.network()
        self.configure = configure
        self.losses: list[Tensor] = []

    def configure_optimizers(self) -> Any:
        return self.configure(self.parameters())

    def loss(self, batch: list[Tensor]) -> Tensor:
        inputs, targets = batch
        loss = functional.mse_loss(self.network(inputs.to(self.dtype)).float(), targets.float())
        self.losses.append(loss.detach())
        return loss

    def training_step(self, batch: list[Tensor], index: int) -> Tensor:
        return self.loss(batch)


class TwoOptimizers(Module):
    """Takes its steps itself, with two optimizers in turns."""

    def __init__(self, configure: Callable[[Iterable[nn.Parameter]], Any]) -> None:
        super().__init__(configure)
        self.automatic_optimization = False

    def training_step(self, batch: list[Tensor], index: int) -> None:  # type: ignore[override]
        optimizer = self.optimizers()[index % 2]
        loss = self.loss(batch)
        optimizer.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(optimizer, gradient_clip_val=0.1, gradient_clip_algorithm="value")
        optimizer.step()


def trainer(**options: Any) -> pl.Trainer:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    return pl.Trainer(
        **({"accelerator": "cpu", "max_epochs": 2, "enable_checkpointing": False} | quiet | options)
    )


def fit(module: Module, ckpt_path: str | None = None, **options: Any) -> object:
    fitting = trainer(**options)
    fitting.fit(module, data.loader(), ckpt_path=ckpt_path)
    return left_by(module, *fitting.optimizers), module.losses


def adamw(parameters: Iterable[nn.Parameter]) -> Any:
    optimizer = AdamW(parameters, lr=0.01)
    schedule = lr_scheduler.OneCycleLR(optimizer, 0.02, total_steps=4 * data.BATCHES)
    return [optimizer], [{"scheduler": schedule, "interval": "step"}]


def sgd(parameters: Iterable[nn.Parameter]) -> Any:
    optimizer = SGD(parameters, lr=0.1, momentum=0.9, nesterov=True)
    return [optimizer], [lr_scheduler.ExponentialLR(optimizer, 0.5)]


def adam(parameters: Iterable[nn.Parameter]) -> Adam:
    return Adam(parameters, lr=0.01, weight_decay=0.1)


def adamw_accumulated_clipped_averaged() -> object:
    """The average of the weights ends in the module, the last weights in the optimizer's state."""
    return fit(
        Module(adamw),
        accumulate_grad_batches=2,
        gradient_clip_val=0.5,
        callbacks=[EMAWeightAveraging(decay=0.9)],
    )


def sgd_clipped_by_value() -> object:
    return fit(Module(sgd), gradient_clip_val=0.1, gradient_clip_algorithm="value")


def adam_resumed() -> object:
    """From a checkpoint in the middle of an epoch."""
    saving = ModelCheckpoint(".", "{step}", every_n_train_steps=5, save_top_k=-1)
    straight = fit(Module(adam), callbacks=[saving], enable_checkpointing=True, max_epochs=1)
    saved = torch.load("step=5.ckpt", weights_only=False)
    kept = {name: saved[name] for name in ("global_step", "state_dict", "optimizer_states")}
    return straight, kept, fit(Module(adam), ckpt_path="step=5.ckpt")


def adam_and_sgd_in_turns() -> object:
    return fit(TwoOptimizers(lambda parameters: [adam(p := list(parameters)), SGD(p, lr=0.1)]))


def adamw_bf16_mixed() -> object:
    return fit(Module(adamw), precision="bf16-mixed")


def adamw_float64() -> object:
    return fit(Module(adamw), precision="64-true")


def adamw_bf16_true() -> object:
    return fit(Module(adamw), precision="bf16-true")


def adamw_fused() -> object:
    return fit(Module(lambda parameters: AdamW(parameters, lr=0.01, fused=True)))


RUNS: dict[str, Run] = {
    run.__name__: run
    for run in (
        adamw_accumulated_clipped_averaged,
        sgd_clipped_by_value,
        adam_resumed,
        adam_and_sgd_in_turns,
        adamw_bf16_mixed,
        adamw_float64,
        adamw_bf16_true,
        adamw_fused,
    )
}

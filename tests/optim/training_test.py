"""What training scripts do around a step: schedules, checkpoints, closures, hooks, scaling."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer, lr_scheduler
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from comparison import By, assert_same, assert_succeeds_same, with_state
from kwker import torch_ops
from networks import network, train_epoch
from tables import BRANCHES, Case, draw


def test_the_twenty_step_loop() -> None:
    """A small classifier trained with AdamW: all parameters equal, torch's own code afterwards."""
    adam_module = import_module("torch.optim.adam")
    steps = 20
    before = {name: getattr(adam_module, name) for name in ("adam", "_single_tensor_adam")}

    def train() -> nn.Sequential:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
        optimizer = AdamW(model.parameters(), lr=1e-3)
        inputs, labels = torch.randn(256, 64), torch.randint(0, 10, (256,))
        for _ in range(steps):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        return model

    reference = train()
    torch_ops.install()
    torch_ops.reset_stats()
    fast = train()
    stats = torch_ops.stats()["optim.adamw"]
    torch_ops.uninstall()
    assert all(
        torch.equal(a, b) for a, b in zip(reference.parameters(), fast.parameters(), strict=True)
    )
    assert (stats["calls"], stats["fallbacks"]) == (steps, {})
    assert stats["elements"] == steps * sum(p.numel() for p in fast.parameters())
    for name, function in before.items():
        assert getattr(adam_module, name) is function


SCHEDULES: dict[str, Callable[[Optimizer], Any]] = {
    "StepLR": lambda o: lr_scheduler.StepLR(o, 2, 0.5),
    "MultiStepLR": lambda o: lr_scheduler.MultiStepLR(o, [1, 3]),
    "ConstantLR": lambda o: lr_scheduler.ConstantLR(o, 0.3, 3),
    "LinearLR": lambda o: lr_scheduler.LinearLR(o, 0.1, total_iters=4),
    "ExponentialLR": lambda o: lr_scheduler.ExponentialLR(o, 0.7),
    "PolynomialLR": lambda o: lr_scheduler.PolynomialLR(o, 5, 2.0),
    "CosineAnnealingLR": lambda o: lr_scheduler.CosineAnnealingLR(o, 4),
    "CosineAnnealingWarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2),
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda o: lr_scheduler.MultiplicativeLR(o, lambda epoch: 0.8),
    "OneCycleLR": lambda o: lr_scheduler.OneCycleLR(o, 0.2, 12),  # moves momentum and betas too
    "CyclicLR": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 3, cycle_momentum=False),
    "ReduceLROnPlateau": lambda o: lr_scheduler.ReduceLROnPlateau(o, patience=0),
    "SequentialLR": lambda o: lr_scheduler.SequentialLR(
        o,
        [lr_scheduler.ConstantLR(o, 0.1, 2), lr_scheduler.ExponentialLR(o, 0.9)],
        milestones=[2],
    ),
    "ChainedScheduler": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o, 0.5, 2), lr_scheduler.ExponentialLR(o, 0.9)]
    ),
    "SWALR": lambda o: torch.optim.swa_utils.SWALR(o, 0.05, 3),
}


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize(
    "case",
    [
        Case(Adam, {"lr": 0.1, "weight_decay": 0.01}),
        Case(AdamW, {"lr": 0.1}),
        Case(SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ],
    ids=str,
)
def test_schedules(case: Case, name: str) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        schedule = SCHEDULES[name](optimizer)
        rates = []
        for epoch in range(6):
            loss = train_epoch(model, optimizer, 2, epoch)[-1]
            if name == "ReduceLROnPlateau":
                schedule.step(1.0)
            else:
                schedule.step()
            rates.append([loss, *(group["lr"] for group in optimizer.param_groups)])
        return optimizer, rates

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_closure(case: Case) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        recorded = []

        def closure() -> Any:
            recorded.append(torch.is_grad_enabled())
            optimizer.zero_grad()
            loss = model(draw((16, 7), seed=len(recorded))).square().mean()
            loss.backward()
            return loss

        return [optimizer.step(closure) for _ in range(4)], recorded, optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_closure_that_raises(case: Case) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        train_epoch(model, optimizer, 2)

        def closure() -> float:
            raise LookupError("no data")

        return with_state(lambda: optimizer.step(closure), optimizer)

    outcome = assert_same(scenario)
    assert outcome.error == ("LookupError", "no data")


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_hooks_of_one_optimizer_and_of_all(case: Case) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        seen: list[object] = []

        def halve(opt: Optimizer, args: Any, kwargs: Any) -> None:
            for group in opt.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        parameter.grad.mul_(0.5)
            seen.append("before")

        def look(opt: Optimizer, args: Any, kwargs: Any) -> None:
            seen.append(opt.param_groups[0]["params"][0].detach().clone())

        handles = [
            optimizer.register_step_pre_hook(halve),
            optimizer.register_step_post_hook(look),
            register_optimizer_step_pre_hook(halve),
            register_optimizer_step_post_hook(look),
        ]
        try:
            train_epoch(model, optimizer, 3)
        finally:
            for handle in handles:
                handle.remove()
        return optimizer, seen

    assert_succeeds_same(scenario)


def test_optimizer_in_backward() -> None:
    """A small optimizer for each parameter, stepped as soon as its gradient is there."""

    def scenario() -> object:
        model = network()
        optimizers = {p: AdamW([p], lr=0.01) for p in model.parameters()}

        def step(parameter: Tensor) -> None:
            optimizers[parameter].step()  # type: ignore[index]
            optimizers[parameter].zero_grad()  # type: ignore[index]

        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(step)
        for seed in range(4):
            model(draw((16, 7), seed=seed)).square().mean().backward()
        return list(optimizers.values())

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_groups_added_on_the_way(case: Case) -> None:
    def scenario() -> object:
        model, head = network(), network(seed=1)
        optimizer = case.make(list(model.parameters()))
        train_epoch(model, optimizer, 2)
        optimizer.add_param_group({"params": list(head.parameters()), "lr": 0.5})
        train_epoch(model, optimizer, 1, 1)
        for step in range(3):
            optimizer.zero_grad()
            (model(draw((16, 7), seed=step)) - head(draw((16, 7), seed=9))).norm().backward()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


class LoggingAdam(Adam):
    """A user's subclass that adds to the step."""

    def step(self, closure: Any = None) -> Any:
        result = super().step(closure)
        for group in self.param_groups:
            group["lr"] *= 0.9
        return result


class ClampingSGD(SGD):
    """A user's subclass that changes which gradients are used."""

    def _init_group(self, group: Any, params: Any, grads: Any, buffers: Any) -> Any:
        parent: Any = super()
        sparse = parent._init_group(group, params, grads, buffers)
        grads[:] = [gradient.clamp(-0.01, 0.01) for gradient in grads]
        return sparse


@pytest.mark.parametrize("cls", [LoggingAdam, ClampingSGD])
def test_subclasses_of_the_optimizers(cls: type[Optimizer]) -> None:
    def scenario() -> object:
        model = network()
        optimizer = cls(model.parameters(), lr=0.1)  # type: ignore[call-arg]
        train_epoch(model, optimizer, 4)
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("overflow", [False, True])
@pytest.mark.parametrize("unscale", [False, True])
@pytest.mark.parametrize("case", [*BRANCHES, Case(AdamW, {"fused": True})], ids=str)
def test_gradient_scaling(case: Case, unscale: bool, overflow: bool) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
        for step in range(5):
            optimizer.zero_grad()
            loss = model(draw((16, 7), seed=step)).square().mean()
            scaler.scale(loss * (float("inf") if overflow and step == 2 else 1.0)).backward()
            if unscale:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
        return optimizer, scaler.get_scale()

    assert_succeeds_same(scenario, By.TORCH if case.options.get("fused") else By.KWKER)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_autocast_training(case: Case) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        for step in range(4):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = model(draw((16, 7), seed=step)).square().mean()
            loss.backward()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_default_dtype_of_float64(case: Case) -> None:
    """`step` is then a double; and changes of the default in the middle."""

    def scenario() -> object:
        torch.set_default_dtype(torch.float64)
        try:
            model = network()
            optimizer = case.make(list(model.parameters()))
            for step in range(4):
                optimizer.zero_grad()
                model(draw((16, 7), dtype=torch.float64, seed=step)).square().mean().backward()
                optimizer.step()
                torch.set_default_dtype(torch.float32 if step == 2 else torch.float64)
        finally:
            torch.set_default_dtype(torch.float32)
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_channels_lastnetwork(case: Case) -> None:
    def scenario() -> object:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 1), nn.Flatten())
        model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        optimizer = case.make(list(model.parameters()))
        for step in range(4):
            optimizer.zero_grad()
            images = draw((2, 3, 9, 9), seed=step).to(memory_format=torch.channels_last)
            model(images).square().mean().backward()
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradients_accumulated_and_clipped(case: Case) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        for step in range(8):
            model(draw((16, 7), seed=step)).square().mean().backward()
            if step % 2:
                nn.utils.clip_grad_value_(model.parameters(), 0.1)
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
                optimizer.zero_grad(set_to_none=step % 4 == 1)
        return optimizer

    assert_succeeds_same(scenario)


def test_averaged_models() -> None:
    def scenario() -> object:
        model = network()
        averaged = torch.optim.swa_utils.AveragedModel(model)
        optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
        for epoch in range(4):
            train_epoch(model, optimizer, 2, epoch)
            averaged.update_parameters(model)
        return list(averaged.parameters()), optimizer

    assert_succeeds_same(scenario)


def test_parametrized_and_tied_weights() -> None:
    def scenario() -> object:
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            layer = nn.utils.parametrizations.weight_norm(nn.Linear(7, 7))
        model = nn.Sequential(layer, nn.Tanh(), layer, nn.Linear(7, 3))
        optimizer = AdamW(model.parameters(), lr=0.05)
        train_epoch(model, optimizer, 4)
        return optimizer

    assert_succeeds_same(scenario)

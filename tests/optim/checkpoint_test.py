"""Optimizers that are saved, copied and loaded, with Kwker on either side."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.optim import Adam

from comparison import assert_succeeds_same
from kwker import torch_ops
from networks import network, train_epoch
from tables import BRANCHES, Case


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_checkpoint_and_resume(case: Case) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        train_epoch(model, optimizer, 3)
        file = io.BytesIO()
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        straight = train_epoch(model, optimizer, 3, 1)

        file.seek(0)
        saved = torch.load(file)
        resumed = network(seed=1)
        resumed.load_state_dict(saved["model"])
        other = case.make(list(resumed.parameters()))
        other.load_state_dict(saved["optimizer"])
        again = train_epoch(resumed, other, 3, 1)
        assert all(torch.equal(a, b) for a, b in zip(straight, again, strict=True))
        return optimizer, other, straight

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("with_kwker_first", [False, True])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_resume_on_the_other_side(case: Case, with_kwker_first: bool) -> None:
    """A run that begins with Kwker and goes on without, or the other way round."""
    outcomes = []
    for sides in ([False, False], [with_kwker_first, not with_kwker_first]):
        model = network()
        optimizer = case.make(list(model.parameters()))
        for epoch, ours in enumerate(sides):
            if ours:
                torch_ops.install(verify=False)
            train_epoch(model, optimizer, 3, epoch)
            torch_ops.uninstall()
        outcomes.append([p.detach() for p in model.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*outcomes, strict=True))


def test_state_of_old_checkpoints() -> None:
    """`step` as a Python number and a group without the newer options."""

    def scenario() -> object:
        model = network()
        optimizer = Adam(model.parameters())
        train_epoch(model, optimizer, 2)
        saved = optimizer.state_dict()
        for state in saved["state"].values():
            state["step"] = int(state["step"])
        for group in saved["param_groups"]:
            for name in ("maximize", "foreach", "capturable", "differentiable", "fused"):
                del group[name]
        optimizer.load_state_dict(saved)
        train_epoch(model, optimizer, 3, 1)
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_copies_of_the_optimizer(case: Case, way: Callable[[Any], Any]) -> None:
    def scenario() -> object:
        model = network()
        optimizer = case.make(list(model.parameters()))
        train_epoch(model, optimizer, 2)
        other_model, other = way((model, optimizer))
        train_epoch(other_model, other, 3, 1)
        train_epoch(model, optimizer, 1, 2)
        return optimizer, other

    assert_succeeds_same(scenario)

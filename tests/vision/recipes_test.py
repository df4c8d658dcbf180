"""Whole recipes in data loaders: with Kwker and without, the same batches to the bit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from torch import nn
from torchvision.transforms import InterpolationMode

import kwker
import recipes
from kwker import torch_ops


def _assert_same(transform: nn.Module, workers: int = 0, start: str | None = None) -> None:
    torch_ops.reset_stats()
    expected, calls = recipes.load(transform, workers, start)
    assert calls == 0
    with torch_ops.installed(["vision"]):
        torch_ops.reset_stats()
        actual, calls = recipes.load(transform, workers, start)
    assert calls > 0, "nothing was served"
    assert actual == expected


@pytest.mark.parametrize("back_end", recipes.BACK_ENDS)
@pytest.mark.parametrize("policy", recipes.POLICIES)
@pytest.mark.parametrize("interpolation", recipes.FILTERS)
def test_training(policy: str, back_end: str, interpolation: InterpolationMode) -> None:
    _assert_same(recipes.training(back_end, policy, interpolation))


@pytest.mark.parametrize("back_end", recipes.BACK_ENDS)
@pytest.mark.parametrize("interpolation", recipes.FILTERS)
def test_evaluation(back_end: str, interpolation: InterpolationMode) -> None:
    _assert_same(recipes.evaluation(back_end, interpolation))


@pytest.mark.parametrize("back_end", recipes.BACK_ENDS)
@pytest.mark.parametrize("policy", ["RandAugment", "jitter"])
def test_forked_workers(policy: str, back_end: str) -> None:
    transform = recipes.training(back_end, policy, InterpolationMode.BILINEAR)
    _assert_same(transform, workers=2, start="fork")


@pytest.fixture
def _new_processes_start_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Does in processes that begin from now on what the wheel's kwker.pth does."""
    line = (Path(kwker.__path__[0]).parent / "kwker.pth").read_text()
    (tmp_path / "sitecustomize.py").write_text(line)
    folders = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))


@pytest.mark.usefixtures("_new_processes_start_up")
@pytest.mark.parametrize("back_end", ["PIL", "tensors"])
def test_spawned_workers(back_end: str) -> None:
    transform = recipes.training(back_end, "jitter", InterpolationMode.BILINEAR)
    _assert_same(transform, workers=1, start="spawn")

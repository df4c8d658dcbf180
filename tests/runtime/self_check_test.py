"""The self-check at install(): what differs from torch stays off, and results stay torch's."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import kwker.torch_ops as sto
from kwker._registry import FEATURES

SGD = importlib.import_module("torch.optim.sgd")


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    for feature in FEATURES.values():
        feature.difference = None
    yield
    sto.uninstall()
    for feature in FEATURES.values():
        feature.difference = None


def test_a_kernel_that_differs_stays_off(monkeypatch: pytest.MonkeyPatch) -> None:
    patch: Any = FEATURES["optim.sgd"].patch
    assert patch.prepare()
    right = patch.hook

    def wrong(params: Any, *args: Any, **kwargs: Any) -> None:
        right(params, *args, **kwargs)
        params[-1][-1].add_(1e-7)

    monkeypatch.setattr(patch, "hook", wrong)
    with pytest.warns(RuntimeWarning, match=r"optim.sgd differs from torch .*param\[.*stays off"):
        sto.install()
    states = {f.name: (f.state, f.detail) for f in sto.features()}
    assert states["optim.sgd"][0] == "failed self-check"
    assert states["optim.adam"] == ("on", "")
    assert SGD.sgd is patch.original
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    torch.optim.SGD([parameter], lr=0.5).step()
    assert parameter.tolist() == [0.5, 0.5, 0.5]


def test_a_kernel_that_raises_stays_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("on purpose")

    assert FEATURES["optim.adam"].patch.prepare()
    monkeypatch.setattr(FEATURES["optim.adam"].patch, "hook", broken)
    with pytest.warns(RuntimeWarning, match="RuntimeError: on purpose"):
        sto.install(["optim.adam"])
    assert sto.features()[0].state == "failed self-check"


def test_an_interrupted_check_leaves_nothing_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    patch: Any = FEATURES["optim.adam"].patch
    assert patch.prepare()
    with monkeypatch.context() as patched:
        patched.setattr(patch, "original", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sto.install()
    assert {f.state for f in sto.features()} == {"off"}
    sto.install()
    assert {f.state for f in sto.features()} <= {"on", "not yet imported"}


def test_verify_keeps_the_counters() -> None:
    sto.install(verify=False)
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    torch.optim.SGD([parameter], lr=0.5).step()
    assert sto.verify().equal
    assert sto.stats()["optim.sgd"]["calls"] == 1
    sto.reset_stats()


def test_runs_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    real = FEATURES["optim.sgd"].verify

    def counted() -> str:
        runs.append(1)
        return real()

    monkeypatch.setattr(FEATURES["optim.sgd"], "verify", counted)
    sto.install()
    sto.uninstall()
    sto.install()
    assert runs == [1]


def test_leaves_the_programs_random_state_modes_and_threads() -> None:
    torch.manual_seed(3)
    state = torch.get_rng_state()
    with torch.device("meta"), torch.inference_mode(), torch.autocast("cpu"):
        sto.install()
    assert torch.equal(torch.get_rng_state(), state)
    assert {f.state for f in sto.features()} <= {"on", "not yet imported"}
    assert [t.name for t in threading.enumerate() if "kwker" in t.name] == []


def test_under_another_default_dtype_and_flushed_denormals() -> None:
    torch.set_default_dtype(torch.float64)
    torch.set_flush_denormal(True)
    try:
        sto.install()
    finally:
        torch.set_flush_denormal(False)
        torch.set_default_dtype(torch.float32)
    assert {f.state for f in sto.features()} <= {"on", "not yet imported"}

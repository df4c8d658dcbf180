"""The self-check at install(): what differs from torch stays off, and results stay torch's."""

from __future__ import annotations

import importlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import kwker.torch_ops as sto
from kwker import _self_check
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
        patched.setattr(patch, "hook", interrupted)
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


def _step(kind: type[torch.optim.Optimizer]) -> list[float]:
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    kind([parameter], lr=0.5).step()  # type: ignore[call-arg]
    return list(parameter.tolist())


def test_some_are_checked_at_their_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    feature = FEATURES["optim.adamax"]
    real = feature.verify

    def counted() -> str:
        runs.append(1)
        return real()

    monkeypatch.setattr(feature, "verify", counted)
    theirs = _step(torch.optim.Adamax)
    sto.install()
    info = {f.name: (f.state, f.detail) for f in sto.features()}["optim.adamax"]
    assert info == ("on", "to be compared with torch at its first call")
    assert runs == []
    sto.reset_stats()
    assert _step(torch.optim.Adamax) == theirs
    assert _step(torch.optim.Adamax) == theirs
    assert runs == [1]
    assert sto.stats()["optim.adamax"]["calls"] == 2
    assert {f.name: f.detail for f in sto.features()}["optim.adamax"] == ""


def test_one_that_cannot_be_compared_yet_waits() -> None:
    theirs = _step(torch.optim.ASGD)
    sto.install()
    sto.reset_stats()
    torch.set_default_dtype(torch.bfloat16)
    try:
        _step(torch.optim.ASGD)
        assert sto.verify()["optim.asgd"].difference == "torch's default dtype is torch.bfloat16"
        assert {f.name: f.detail for f in sto.features()}["optim.asgd"] == (
            "to be compared with torch at its first call; "
            "which cannot be done as long as torch's default dtype is torch.bfloat16"
        )
    finally:
        torch.set_default_dtype(torch.float32)
    info = {f.name: f for f in sto.features()}["optim.asgd"]
    assert (info.state, info.calls) == ("on", 0)
    assert info.fallbacks == {"not compared with torch yet: features() says what for": 1}
    assert _step(torch.optim.ASGD) == theirs
    assert sto.stats()["optim.asgd"]["calls"] == 1


def test_one_that_differs_at_its_first_call_takes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = _step(torch.optim.Adamax)
    patch: Any = FEATURES["optim.adamax"].patch
    sto.install()
    sto.reset_stats()
    monkeypatch.setattr(FEATURES["optim.adamax"], "verify", lambda: "one bit, on purpose")
    with pytest.warns(RuntimeWarning, match=r"optim.adamax differs from torch .*on purpose"):
        assert _step(torch.optim.Adamax) == theirs
    assert FEATURES["optim.adamax"].state == "failed self-check"
    assert importlib.import_module("torch.optim.adamax").adamax is patch.original
    assert _step(torch.optim.Adamax) == theirs
    assert sto.stats()["optim.adamax"]["calls"] == 0


def test_what_a_signal_handler_raises_is_the_programs() -> None:
    class Timeout(Exception):
        pass

    def ring(*_: object) -> None:
        raise Timeout

    feature = FEATURES["optim.radam"]
    real = feature.verify

    def slow() -> str:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.2)
        return ""

    sto.install()
    before = signal.signal(signal.SIGALRM, ring)
    try:
        feature.verify = lambda: _self_check.undisturbed(feature.counters, slow)
        with pytest.raises(Timeout):
            _step(torch.optim.RAdam)
    finally:
        feature.verify = real
        signal.signal(signal.SIGALRM, before)
    assert feature.difference is None
    sto.reset_stats()
    _step(torch.optim.RAdam)
    assert sto.stats()["optim.radam"]["calls"] == 1


def test_the_check_is_in_nobodys_profile_and_needs_no_stack() -> None:
    sto.install()
    with torch.profiler.profile() as profile:
        _step(torch.optim.Rprop)
    assert len(profile.events()) < 100
    assert sto.stats()["optim.rprop"]["state"] == "on"


def test_hooks_on_all_modules_see_nothing_of_the_check() -> None:
    seen: list[str] = []
    model = torch.nn.Linear(2, 2)
    averaged = torch.optim.swa_utils.AveragedModel(model)
    sto.install()

    def hook(module: torch.nn.Module, name: str, parameter: object) -> None:
        seen.append(name)

    handle = torch.nn.modules.module.register_module_parameter_registration_hook(hook)
    try:
        averaged.update_parameters(model)
        model.zero_grad()
        assert seen == []
        detail = {f.name: f.detail for f in sto.features()}["optim.ema"]
        assert "hooks on the registration of all modules' members" in detail
    finally:
        handle.remove()
    sto.reset_stats()
    averaged.update_parameters(model)
    assert sto.stats()["optim.ema"]["calls"] == 1


@pytest.mark.filterwarnings("error")
def test_a_difference_at_the_first_call_is_no_error_of_the_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sto.install()
    monkeypatch.setattr(FEATURES["optim.adamax"], "verify", lambda: "one bit, on purpose")
    assert _step(torch.optim.Adamax) == [0.5, 0.5, 0.5]


def test_an_interrupt_during_the_check_at_the_first_call_is_the_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    sto.install()
    with monkeypatch.context() as patched:
        patched.setattr(FEATURES["optim.adamax"], "verify", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _step(torch.optim.Adamax)
    assert _step(torch.optim.Adamax) == [0.5, 0.5, 0.5]
    assert FEATURES["optim.adamax"].state == "on"


def test_while_another_thread_switches_the_first_call_is_torchs() -> None:
    from kwker import _switch

    sto.install()
    sto.reset_stats()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with _switch.lock:
            held.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        assert _step(torch.optim.Adamax) == [0.5, 0.5, 0.5]
    finally:
        done.set()
        holder.join()
    assert sto.stats()["optim.adamax"]["calls"] == 0
    assert FEATURES["optim.adamax"].counters.unchecked


def test_no_check_at_the_first_call_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FEATURES["optim.adamax"], "verify", lambda: "not to be asked")
    sto.install(verify=False)
    assert _step(torch.optim.Adamax) == [0.5, 0.5, 0.5]
    assert FEATURES["optim.adamax"].state == "on"

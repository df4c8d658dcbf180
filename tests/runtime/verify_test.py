"""verify(): the self-checks at length, what they cover, and what follows from a difference."""

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
    yield
    sto.uninstall()
    sto.reset_stats()
    for feature in FEATURES.values():
        feature.difference = None


@pytest.fixture
def only_sgd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kwker.torch_ops.FEATURES", {"optim.sgd": FEATURES["optim.sgd"]})


def state() -> str:
    return FEATURES["optim.sgd"].state


def test_all_features_are_equal_in_many_cases_on_one_thread_and_all() -> None:
    torch.set_num_threads(2)
    found = sto.verify()
    assert list(found) == [f.name for f in sto.features()]
    assert found.equal
    for name, verified in found.items():
        assert verified.feature == name
        if FEATURES[name].library:
            continue  # not imported here
        assert verified.equal and verified.difference == ""
        assert verified.threads == (1, 2)
        assert verified.capability == sto.capability()
        assert verified.cases > (40 if FEATURES[name].verify_at_length else 1)
        assert verified.seconds > 0


@pytest.mark.usefixtures("only_sgd")
def test_leaves_no_trace() -> None:
    sto.install(verify=False)
    torch.set_num_threads(2)
    torch.manual_seed(3)
    random = torch.get_rng_state()
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    optimizer.step()
    optimizer.param_groups[0]["foreach"] = True
    optimizer.step()
    before = sto.stats()
    with torch.inference_mode(), torch.autocast("cpu"):
        assert sto.verify().equal
    assert sto.stats() == before
    assert torch.equal(torch.get_rng_state(), random)
    assert torch.get_num_threads() == 2
    assert [t.name for t in threading.enumerate() if "kwker" in t.name] == []


@pytest.mark.usefixtures("only_sgd")
def test_a_difference_that_only_shows_at_length_switches_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch: Any = FEATURES["optim.sgd"].patch
    assert patch.prepare()
    right = patch.hook

    def wrong_from_a_thousand_on(params: Any, *args: Any, **kwargs: Any) -> None:
        right(params, *args, **kwargs)
        for p in params:
            p[1000:].add_(1e-3)

    monkeypatch.setattr(patch, "hook", wrong_from_a_thousand_on)
    sto.install()
    assert state() == "on" and SGD.sgd is wrong_from_a_thousand_on
    with pytest.warns(RuntimeWarning, match="optim.sgd differs from torch") as warned:
        found = sto.verify()
    assert len(warned) == 1 and warned[0].filename == __file__
    verified = found["optim.sgd"]
    assert not found.equal and not verified.equal
    assert verified.difference.startswith("float32 ")
    assert verified.difference.endswith(" differs, with 1 thread")
    assert verified.threads == (1,)
    assert state() == "failed self-check"
    assert SGD.sgd is patch.original
    with pytest.warns(RuntimeWarning, match="stays off"):
        sto.install()
    assert SGD.sgd is patch.original


@pytest.mark.usefixtures("only_sgd")
def test_a_check_that_raises_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[str]:
        yield ""
        raise OSError("on purpose")

    monkeypatch.setattr(FEATURES["optim.sgd"], "verify_at_length", broken)
    with pytest.warns(RuntimeWarning, match="OSError: on purpose"):
        assert not sto.verify().equal


@pytest.mark.usefixtures("only_sgd")
def test_a_feature_without_checks_at_length_has_its_short_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FEATURES["optim.sgd"], "verify_at_length", None)
    verified = sto.verify()["optim.sgd"]
    assert verified.equal and verified.cases == len(verified.threads)


@pytest.mark.usefixtures("only_sgd")
def test_nothing_is_compared_where_somebody_else_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FEATURES["optim.sgd"].patch, "prepare", lambda: False)
    found = sto.verify()
    assert (found["optim.sgd"].equal, found["optim.sgd"].threads) == (False, ())
    assert found["optim.sgd"].difference == "its place is taken by somebody else"
    assert found.equal  # nothing that was compared differs
    assert "not compared" in str(found)

"""Every state a feature can be in, and what is said about it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import kwker.torch_ops as sto
from processes import printed


@pytest.fixture(autouse=True)
def nothing_installed() -> Iterator[None]:
    yield
    sto.uninstall()


def states() -> list[str]:
    return [f.state for f in sto.features() if f.name in ("optim.adam", "optim.adamw", "optim.sgd")]


def test_left_out_by_name_is_not_the_same_as_not_asked_for() -> None:
    sto.uninstall()
    assert states() == ["off", "off", "off"]
    sto.install(["optim.adamw"])
    assert states() == ["off", "on", "off"]
    sto.install(exclude=["optim.sgd"])
    assert states() == ["on", "on", "off by user"]
    sto.disable("optim.adam")
    assert states() == ["off by user", "on", "off by user"]
    with sto.installed(["optim"], exclude=["optim.adamw"]):
        assert states() == ["on", "off by user", "on"]
    assert states() == ["off by user", "on", "off by user"]
    sto.enable("optim.sgd")
    assert states() == ["off by user", "on", "on"]
    sto.uninstall()
    assert states() == ["off", "off", "off"]


def test_the_environment_leaves_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.adam, optim.adamw")
    sto.install()
    assert states() == ["off by user", "off by user", "on"]
    sto.enable("optim.adam")  # the last word is the program's
    assert states() == ["on", "off by user", "on"]


NEEDS_AVX2 = """
import json
import kwker.torch_ops as sto
from kwker import _C
from kwker._registry import FEATURES, Feature, register
from kwker._verification import verify_at_length

class Untouched:
    def undo(self, stacklevel):
        pass

    def __getattr__(self, name):
        raise AssertionError(name)

class Switch(Untouched):
    enabled = False
    calls = elements = seconds = 0
    fallbacks = {}

register(Feature("sample.wide", "a sample", "2.13", Switch(), Untouched(), verify=Untouched(),
                 needs="avx2"))
sto.install()
found = verify_at_length(FEATURES["sample.wide"])
print(json.dumps([
    sto.capability(),
    {f.name: (f.state, f.detail) for f in sto.features()},
    (found.equal, found.cases, found.difference),
    sto.stats()["sample.wide"]["state"],
]))
"""


def test_kernels_that_need_more_than_torch_runs_on_here() -> None:
    answer = printed(NEEDS_AVX2, ATEN_CPU_CAPABILITY="default")
    capability, found, verified, counted = json.loads(answer)
    assert capability == "default"
    assert found.pop("sample.wide") == [
        "unsupported CPU",
        "needs avx2, torch runs on default",
    ]
    assert verified == [False, 0, "needs avx2, torch runs on default"]
    assert counted == "unsupported CPU"
    # The rest has kernels for any processor that torch itself runs on.
    assert {state for state, _ in found.values()} <= {"on", "not yet imported"}

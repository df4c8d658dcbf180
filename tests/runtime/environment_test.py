"""What processes are told that start while something is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import kwker
import kwker.torch_ops as sto
from processes import printed

VARIABLES = ("KWKER_INSTALL", "KWKER_FEATURES", "KWKER_DISABLE")


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    yield
    sto.uninstall()


def disabled() -> str | None:
    return os.environ.get("KWKER_DISABLE")


def test_what_is_enabled_all_the_same_is_disabled_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.sgd, vision")
    sto.install()
    assert disabled() == "optim.sgd, vision"  # nothing to say
    sto.enable("optim.sgd")
    vision = [f.name for f in sto.features() if f.name.startswith("vision.")]
    assert disabled() == ",".join(vision)
    sto.disable("optim.sgd")
    assert disabled() == "optim.sgd, vision"
    sto.enable("optim.sgd")
    sto.uninstall()
    assert disabled() == "optim.sgd, vision"


def test_what_it_says_holds_at_the_next_install_of_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.sgd")
    sto.enable("optim.sgd")
    assert disabled() == ""
    sto.install()
    assert "optim.sgd" not in [f.name for f in sto.features() if f.state == "on"]
    assert disabled() == "optim.sgd"


def test_what_the_program_sets_itself_meanwhile_holds_and_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.sgd")
    sto.enable("optim.sgd")
    monkeypatch.setenv("KWKER_DISABLE", "optim.adam")
    sto.install()
    states = {f.name: f.state for f in sto.features()}
    assert (states["optim.sgd"], states["optim.adam"]) == ("on", "off by user")
    sto.uninstall()
    assert disabled() == "optim.adam"


def test_a_wrong_name_says_which_variable_it_is_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.adam, optim.sdg")
    with pytest.raises(
        ValueError,
        match=r"^KWKER_DISABLE: no feature 'optim.sdg'; did you mean 'optim.sgd'\?$",
    ):
        sto.install()
    sto.enable("optim.sgd")  # whatever it says
    assert "optim.sgd" in [f.name for f in sto.features() if f.state == "on"]


PARENT = """
import subprocess, sys, torch
import kwker.torch_ops as sto
{choose}
def on():
    return [f.name for f in sto.features() if f.state == "on"]
print(on())
sys.stdout.flush()
child = '''
{pth}
import torch
import kwker.torch_ops as sto
print([f.name for f in sto.features() if f.state == "on"])
'''
subprocess.run([sys.executable, "-c", child], check=True)
"""


@pytest.mark.parametrize(
    ("choose", "disable"),
    [
        ("sto.install(['optim.adam']); sto.enable('optim.sgd')", "optim.sgd"),
        ("sto.enable('optim.sgd')", "optim,vision"),
        ("sto.enable('optim.sgd')", "no.such.feature"),
        ("sto.install(); sto.disable('optim.adamw')", "optim.sgd,vision"),
    ],
)
def test_children_have_on_what_their_parent_has(choose: str, disable: str) -> None:
    pth = (Path(kwker.__file__).parent.parent / "kwker.pth").read_text()
    code = PARENT.format(choose=choose, pth=pth)
    mine, childs = printed(code, KWKER_DISABLE=disable).splitlines()
    assert mine == childs and "optim" in mine

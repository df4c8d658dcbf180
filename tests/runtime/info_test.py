"""kwker._info: what `kwker info` has to show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwker import _info
from processes import printed

CODE = "from kwker import _info; _info.answer(_info.describe())"


def described(**environment: str) -> tuple[str, dict[str, str]]:
    """The self-check's outcome, and torch's features' states."""
    info: dict[str, Any] = json.loads(printed(CODE, **environment).splitlines()[-1])
    states = {f["name"]: f["state"] for f in info["features"] if f["name"].startswith("optim.")}
    return info["self_check"], states


def test_says_whether_anything_was_compared() -> None:
    check, states = described()
    assert (check, set(states.values())) == ("passed", {"on"})
    check, states = described(KWKER_VERIFY="0")
    assert (check, set(states.values())) == ("not run", {"on"})


def test_installs_what_the_environment_asks_for() -> None:
    check, states = described(KWKER_FEATURES="optim.sgd, optim.adam", KWKER_DISABLE="optim.adam")
    assert check == "passed"
    assert {name for name, state in states.items() if state == "on"} == {"optim.sgd"}
    assert states["optim.adam"] == "off by user"


@pytest.mark.parametrize(
    ("variable", "said"), [("KWKER_FEATURES", ""), ("KWKER_DISABLE", "KWKER_DISABLE: ")]
)
def test_says_what_is_wrong_with_the_environment(variable: str, said: str) -> None:
    check, states = described(**{variable: "sgd"})
    assert check == f"not run: {said}no feature 'sgd'; did you mean 'optim.sgd'?"
    assert set(states.values()) == {"off"}


def test_checks_names() -> None:
    assert _info.check_features("optim, vision.resize") == {"error": ""}
    assert _info.check_features(" ,") == {"error": "no feature is named"}
    assert _info.check_features("sgd")["error"].startswith("no feature 'sgd'; did you mean ")

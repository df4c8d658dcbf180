"""What the suites of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import Starter, child_of_audit, kwker


@pytest.fixture(params=["run", "audit", "audit without libpython"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Starter:
    """The three ways in which the program runs a script."""
    if request.param == "run":
        return lambda command: kwker("run", "--", *command)
    embedded = request.param == "audit"
    return lambda command: child_of_audit(tmp_path, command, embedded=embedded)[0]

"""`kwker audit --a SPEC --b SPEC`: any side against any other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kwker import audit as audit_door
from processes import PROGRAM, audit

# What it trains on its second argument's optimizer: "fused", or torch's default.
TRAINING = """
import sys, torch
torch.set_num_threads(1)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused="--fused" in sys.argv or None)
for _ in range(30):
    optimizer.zero_grad()
    model(torch.ones(4, 64)).square().mean().backward()
    optimizer.step()
"""

THREADS = """
import os, sys, torch
threads = torch.tensor([torch.get_num_threads(), len(sys.argv)])
assert os.environ["KWKER_INSTALL"] == os.environ.get("EXPECTED", "0")
"""


def test_another_argument(tmp_path: Path) -> None:
    """torch's fused AdamW has other bits than its default, which an audit finds out."""
    sides = ["--a", "kwker=off", "--b", "kwker=off,args:--fused"]
    ended, report = audit(tmp_path, TRAINING, *sides, "--require-equal")
    assert ended.status == 1, ended
    assert report["verdict"]["outputs"] == "different"
    assert report["outputs"]["first_difference"].startswith("backward[")
    assert "as B differs from the" in ended.out


def test_other_numbers_of_threads(tmp_path: Path) -> None:
    sides = ["--a", "threads:1", "--b", "threads:2,args:\"--x 'a b'\""]
    ended, report = audit(tmp_path, THREADS, *sides)
    assert ended.status == 0, ended
    assert report["outputs"]["first_difference"] == "globals.threads"
    assert [report["sides"][side]["spec"] for side in "ab"] == sides[1::2]
    threads = {run["side"]: run["torch"]["threads"] for run in report["runs"]}
    assert threads == {"a": 1, "b": 2}
    lines = ended.out.splitlines()
    assert any(line.startswith(f"A: {sides[1]} · torch ") for line in lines), ended.out
    assert any(line.startswith(f"B: {sides[3]} · torch ") for line in lines), ended.out
    # They are not called what they are not.
    assert "with Kwker" not in ended.out
    assert "without Kwker" not in ended.out


def test_another_environment(tmp_path: Path) -> None:
    code = "import os, kwker.audit\nkwker.audit.record('answer', os.environ['ANSWER'])\n"
    ended, report = audit(tmp_path, code, "--a", "env:ANSWER=41", "--b", "env:ANSWER=42")
    assert report["verdict"]["outputs"] == "different", ended
    ended, report = audit(tmp_path, code, "--a", "env:ANSWER=42", "--b", 'env:"ANSWER=42"')
    assert report["verdict"]["outputs"] == "equal", ended


def other_python(folder: Path) -> Path:
    """A second virtual environment with the very packages of this one."""
    assert sys.prefix != sys.base_prefix
    (folder / "bin").mkdir(parents=True)
    for name in ("lib", "lib64", "pyvenv.cfg"):
        if os.path.exists(os.path.join(sys.prefix, name)):
            (folder / name).symlink_to(os.path.join(sys.prefix, name))
    python = folder / "bin" / "python"
    python.symlink_to(os.path.realpath(sys.executable))
    return python


def test_another_python(tmp_path: Path) -> None:
    python = other_python(tmp_path / "other")
    code = "import os, sys\nassert sys.prefix == os.environ['EXPECTED'], sys.prefix\n"
    sides = [
        *("--a", f"env:EXPECTED={sys.prefix}"),
        *("--b", f"python:{python},env:EXPECTED={tmp_path / 'other'}"),
    ]
    ended, report = audit(tmp_path, code, *sides)
    assert ended.status == 0, ended
    assert report["sides"]["a"]["python"]["executable"] == sys.executable
    assert report["sides"]["b"]["python"]["executable"] == str(python)
    assert report["sides"]["b"]["python"]["torch_package"].startswith("2.")


@pytest.mark.parametrize("side", ["kwker=off", "kwker=optim.adamw,env:EXPECTED=1"])
def test_against_itself(tmp_path: Path, side: str) -> None:
    code = THREADS + TRAINING
    ended, report = audit(tmp_path, code, "--a", side, "--b", side, "--pairs", 1, "--require-equal")
    assert ended.status == 0, ended
    assert report["verdict"]["outputs"] == "equal"
    on = {f["name"] for f in report["features"] if f["state"] == "on"}
    assert on == ({"optim.adamw"} if "adamw" in side else set())


def test_a_side_that_fails(tmp_path: Path) -> None:
    code = "import sys\nassert len(sys.argv) == 2, 'one more'\n"
    ended, report = audit(tmp_path, code, "--b", "args:y")
    assert ended.status == 1
    assert report["ending"] == "kwker failed"
    assert "B FAILED: the script fails only as B: exit status 1" in ended.out
    assert "one more" in ended.out


def test_from_python() -> None:
    side = "kwker=off,env:X=1"
    result = audit_door.run(
        ["-c", "import os; assert os.environ['X'] == '1'"],
        pairs=1,
        warmup=0,
        a=side,
        b=side,
        program=PROGRAM,
    )
    assert result.exit_code == 0, result.text
    assert result.report["sides"]["b"]["spec"] == side

"""The examples for continuous integration: the audit runs as it stands and leaves its reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from processes import PROGRAM

EXAMPLES = Path(os.environ.get("CI_EXAMPLES", "audit/ci")).resolve()
SCRIPT = """
import torch
torch.manual_seed(0)
model = torch.nn.Linear(40, 30)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(20):
    model(torch.randn(8, 40)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def example(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text())


def github() -> str:
    steps = example("github-actions.yml")["jobs"]["audit"]["steps"]
    return "\n".join(s["run"] for s in steps if s.get("name") in ("audit", "summary"))


def gitlab() -> str:
    return "\n".join(example("gitlab-ci.yml")["kwker-audit"]["script"])


@pytest.mark.parametrize("script", [github, gitlab])
def test_runs_and_leaves_its_reports(script: Any, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "kwker").symlink_to(PROGRAM)
    command = script()
    assert "--max-time 900" in command
    done = subprocess.run(
        ["bash", "-ec", command.replace("--max-time 900", "--pairs 2")],
        cwd=tmp_path,
        env={
            **os.environ,
            "KWKER_PYTHON": sys.executable,
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    # With so few steps the speed may well be refused; the outputs may not.
    report = json.loads((tmp_path / "audit.json").read_text())
    assert report["verdict"]["outputs"] == "equal", done.stderr
    assert done.returncode in (0, 1, 4), done.stderr
    markdown = (tmp_path / "audit.md").read_text()
    assert "equal to the bit" in markdown
    assert (tmp_path / "audit.html").read_text().startswith("<!DOCTYPE html>")
    if script is github and done.returncode == 0:
        assert (tmp_path / "summary.md").read_text() == markdown


def test_what_the_examples_promise() -> None:
    job = example("github-actions.yml")["jobs"]["audit"]
    always = [s for s in job["steps"] if s.get("if") == "always()"]
    assert len(always) == 2  # the reports are kept, whatever the audit found
    assert example("gitlab-ci.yml")["kwker-audit"]["allow_failure"] == {"exit_codes": [4]}

"""`kwker audit` from outside: the report's figures, the verdicts, the exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from processes import Ended, audit, end_of, kwker

TRAINING = """
import sys, torch
torch.set_num_threads(1)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(5):
    optimizer.zero_grad()
    model(torch.ones(2, 8)).sum().backward()
    optimizer.step()
print(len(sys.argv))
"""


def test_a_training_script(tmp_path: Path) -> None:
    ended, report = audit(tmp_path, TRAINING, "--require-equal")
    assert ended.status == 0, ended
    assert "outputs equal to the bit" in ended.out
    assert report["schema"] == "kwker.audit/1"
    assert report["verdict"]["outputs"] == "equal"
    assert report["outputs"]["count"] > 10
    assert report["speedup"]["pairs"] == 2
    assert [run["side"] for run in report["runs"]] == ["a", "b", "b", "a"]
    assert all(run["exit_code"] == 0 for run in report["runs"])
    assert all(0 < run["wall_s"] < 60 for run in report["runs"])
    assert all(run["max_rss_bytes"] > 50_000_000 for run in report["runs"])
    adamw = next(f for f in report["features"] if f["name"] == "optim.adamw")
    assert adamw["state"] == "on"
    assert adamw["calls"] == 5


def test_json_on_stdout_is_alone_there(tmp_path: Path) -> None:
    ended = end_of(
        kwker("audit", "--pairs", 1, "--warmup", 0, "--json", "-", "--", "-c", "print('hello')")
    )
    assert json.loads(ended.out)["schema"] == "kwker.audit/1"
    assert "without" in ended.err


def test_only_some_features(tmp_path: Path) -> None:
    _, report = audit(tmp_path, TRAINING, "--features", "optim.sgd")
    states = {f["name"]: (f["state"], f["calls"]) for f in report["features"]}
    assert states["optim.sgd"] == ("on", 0)
    assert states["optim.adamw"] == ("off", 0)


def test_different_with_kwker(tmp_path: Path) -> None:
    code = "import os, torch\nt = torch.tensor(int(os.environ['KWKER_INSTALL']))\n"
    ended, report = audit(tmp_path, code, "--require-equal")
    assert ended.status == 1
    assert report["verdict"]["outputs"] == "different"


def test_a_run_that_is_odd_by_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two runs with Kwker one differs: that may be the script, and is no proof."""
    code = (
        "import os, torch\n"
        "with open(os.environ['COUNT'], 'a') as file:\n"
        "    file.write('x')\n"
        "t = torch.tensor(os.path.getsize(os.environ['COUNT']) == 2)\n"
    )
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    ended, report = audit(tmp_path, code, "--require-equal")
    assert ended.status == 4
    assert report["verdict"]["outputs"] == "unknown"
    assert report["outputs"]["deterministic"] is True
    assert report["outputs"]["deterministic_with"] is False
    assert "with Kwker runs differ among themselves" in report["outputs"]["reason"]
    assert len(report["runs"]) == 4


def test_what_the_environment_switches_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.sgd")
    ended, report = audit(tmp_path, TRAINING)
    assert report["script"]["kwker_environment"] == {"KWKER_DISABLE": "optim.sgd"}
    assert "KWKER_DISABLE=optim.sgd" in ended.out


def test_recorded_values_are_not_called_tensors(tmp_path: Path) -> None:
    ended, _ = audit(tmp_path, "import kwker.audit\nkwker.audit.record('answer', 42)\n")
    assert "outputs equal to the bit (1 value, " in ended.out


def test_the_report_while_running(tmp_path: Path) -> None:
    """The script looks at the report that the pairs before it left."""
    code = (
        "import json, os, shutil, sys\n"
        "if os.path.exists('report.json') and os.path.getsize('report.json'):\n"
        "    shutil.copy('report.json', 'early.json')\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    options = ["--pairs", 2, "--warmup", 0, "--require-equal", "--json", "report.json"]
    end_of(kwker("audit", *options, "--", script), cwd=tmp_path)
    early = json.loads((tmp_path / "early.json").read_text())
    assert early["ending"] == "running"
    assert early["exit_code"] is None
    assert [gate["state"] for gate in early["gates"]] == ["undecided"]


def test_fails_only_with_kwker(tmp_path: Path) -> None:
    code = "import os\nassert os.environ['KWKER_INSTALL'] == '0', 'only with it'\n"
    ended, _ = audit(tmp_path, code)
    assert ended.status == 1
    assert "only with it" in ended.out


@pytest.mark.parametrize(("ratio", "status"), [(1e-6, 0), (1e6, 1)])
def test_min_speedup(tmp_path: Path, ratio: float, status: int) -> None:
    ended, _ = audit(tmp_path, "import time\ntime.sleep(0.1)\n", "--min-speedup", ratio)
    assert ended.status == status


def adaptive(*options: object) -> tuple[Ended, dict[str, Any]]:
    """An audit of almost nothing, as JSON, without --pairs."""
    ended = end_of(
        kwker("audit", "--warmup", 0, "--json", "-", *options, "--", "-c", "sum(range(300_000))")
    )
    return ended, json.loads(ended.out)


def test_as_many_pairs_as_the_width_needs() -> None:
    _, report = adaptive("--width", 100_000)
    assert report["stopped_by"] == "width"
    assert report["speedup"]["pairs"] == 5
    assert report["options"]["max_pairs"] == 20
    assert report["options"]["width"] == 1000
    assert report["speedup"]["high"] / report["speedup"]["low"] < 1001
    assert all(0 <= run["machine"]["other_load"] <= 1 for run in report["runs"])
    _, report = adaptive("--width", 1e-6, "--max-pairs", 6)
    assert report["stopped_by"] == "max pairs"
    assert report["speedup"]["pairs"] == 6
    assert any("--max-pairs" in warning for warning in report["warnings"])


def test_as_many_pairs_as_the_time_allows() -> None:
    ended, report = adaptive("--width", 1e-6, "--max-time", 0.001)
    assert ended.status == 0
    assert report["stopped_by"] == "max time"
    assert report["speedup"]["pairs"] == 1
    assert report["verdict"]["speed"] == "inconclusive"


def test_show_output(tmp_path: Path) -> None:
    code = "import sys\nprint('to stdout')\nsys.stderr.write('to stderr\\n')\n"
    ended, _ = audit(tmp_path, code, "--show-output")
    assert ended.err.count("to stdout") == ended.err.count("to stderr") == 4
    assert "to stdout" not in ended.out
    ended, _ = audit(tmp_path, code)
    assert "to stdout" not in ended.err

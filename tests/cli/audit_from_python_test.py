"""`kwker.audit.run`: the program's audits as Python objects."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kwker import audit
from processes import PROGRAM

RECORDING = "import kwker.audit\nkwker.audit.record('x', 42)\n"


def test_result(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RECORDING)
    result = audit.run(
        ["script.py"],
        pairs=2,
        warmup=0,
        require_equal=True,
        html=tmp_path / "page.html",
        cwd=tmp_path,
        program=PROGRAM,
    )
    assert isinstance(result, audit.AuditResult)
    assert (result.outputs, result.ending, result.exit_code) == ("equal", "completed", 0)
    assert result.ok
    assert result.first_difference is None
    assert result.speedup.pairs == 2
    assert result.speedup.low is not None
    assert result.speedup.high is not None
    assert result.speedup.estimate is not None
    assert result.speedup.low < result.speedup.estimate < result.speedup.high
    assert [run.side for run in result.runs] == ["a", "b", "b", "a"]
    assert all(run.wall_s is not None and run.exit_code == 0 for run in result.runs)
    assert result.report["schema"] == "kwker.audit/1"
    assert "outputs equal to the bit" in str(result)
    assert (tmp_path / "page.html").exists()


def test_a_script_that_fails_is_no_exception() -> None:
    result = audit.run(["-c", "raise ValueError('no data')"], pairs=1, program=PROGRAM)
    assert (result.ending, result.exit_code, result.ok) == ("script failed", 3, False)
    assert "no data" in result.text


def test_environment_and_features() -> None:
    env = {**os.environ, "ANSWER": "42"}
    code = "import os, torch\nassert os.environ['ANSWER'] == '42'\n"
    features = ["optim.sgd"]
    result = audit.run(["-c", code], pairs=1, warmup=0, features=features, env=env, program=PROGRAM)
    assert result.ending == "completed", result.text
    assert {f.name for f in result.features if f.state == "on"} == {"optim.sgd"}


def test_no_report() -> None:
    with pytest.raises(audit.AuditError, match=r"^no such script: /no/such\.py$"):
        audit.run(["/no/such.py"], program=PROGRAM)
    with pytest.raises(audit.AuditError, match="--pairs"):
        audit.run(["-c", "pass"], pairs=0, program=PROGRAM)
    with pytest.raises(FileNotFoundError):
        audit.run(["-c", "pass"], program="/no/such/kwker")
    with pytest.raises(TypeError, match="list of words"):
        audit.run("train.py", program=PROGRAM)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        audit.nothing  # noqa: B018


def test_interrupted(tmp_path: Path) -> None:
    """Nothing is left running."""
    pid = tmp_path / "pid"
    script = f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    code = f"from kwker import audit\naudit.run(['-c', {script!r}], program={PROGRAM!r})\n"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 120
        while not (pid.exists() and pid.read_text()):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert not os.path.exists(f"/proc/{pid.read_text()}")

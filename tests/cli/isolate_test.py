"""`kwker audit --isolate`: no run sees what another wrote. And scripts whose runs differ anyway."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from kwker import audit as audit_door
from processes import PROGRAM, Ended, assert_one_line, audit, end_of, kwker

# Goes on from where an earlier run stopped.
RESUMES = """
import os, pathlib, torch
file = pathlib.Path("state/steps")
done = int(file.read_text()) if file.exists() else 0
steps = torch.tensor(done + 1)
file.parent.mkdir(exist_ok=True)
file.write_text(str(done + 1))
print(os.getcwd())
"""


def audit_in(folder: Path, code: str, *options: object) -> tuple[Ended, dict[str, Any]]:
    """An audit that is called in the script's folder."""
    (folder / "script.py").write_text(code)
    words = kwker("audit", "--pairs", 2, "--warmup", 0, "--json", "-", *options, "--", "script.py")
    ended = end_of(words, cwd=folder)
    document: dict[str, Any] = json.loads(ended.out)
    return ended, document


def test_a_script_that_resumes(tmp_path: Path) -> None:
    ended, report = audit_in(tmp_path, RESUMES, "--require-equal")
    assert ended.status == 4
    assert report["verdict"]["outputs"] == "unknown"
    assert report["outputs"]["first_difference"] == "globals.steps"
    assert "--isolate" in ended.err
    (tmp_path / "state" / "steps").unlink()
    (tmp_path / "state").rmdir()
    ended, report = audit_in(tmp_path, RESUMES, "--require-equal", "--isolate")
    assert ended.status == 0, ended
    assert report["verdict"]["outputs"] == "equal"
    assert report["verdict"]["printed"] == "equal"  # the copies are at the same place
    assert report["options"]["isolate"] is True
    assert "each run in its own copy of the folder" in ended.err
    assert os.listdir(tmp_path) == ["script.py"]


def test_a_script_that_stumbles(tmp_path: Path) -> None:
    code = "import os\nos.mkdir('out')\n"
    ended, report = audit_in(tmp_path, code)
    assert ended.status == 3
    assert any("--isolate" in warning for warning in report["warnings"])
    (tmp_path / "out").rmdir()
    ended, report = audit_in(tmp_path, code, "--isolate")
    assert ended.status == 0, ended
    assert not (tmp_path / "out").exists()


def test_what_is_in_the_folder_is_there(tmp_path: Path) -> None:
    """Modules beside the script too, and -m."""
    (tmp_path / "helper.py").write_text("ANSWER = 42\n")
    code = "import helper, kwker.audit\nkwker.audit.record('answer', helper.ANSWER)\n"
    _, report = audit_in(tmp_path, code, "--isolate")
    assert report["verdict"]["outputs"] == "equal"
    words = kwker("audit", "--pairs", 1, "--warmup", 0, "--isolate", "--", "-m", "helper")
    assert end_of(words, cwd=tmp_path).status == 0


def test_nothing_is_left(tmp_path: Path) -> None:
    """Not where the copies lie in the folder itself, nor with a relative TMPDIR."""
    (tmp_path / "tmp").mkdir()
    code = "import os\nassert os.listdir('tmp') == []\nassert os.environ['PWD'] == os.getcwd()\n"
    (tmp_path / "script.py").write_text(code)
    for folder in ("tmp", str(tmp_path / "tmp")):
        words = kwker("audit", "--pairs", 1, "--warmup", 0, "--isolate", "--", "script.py")
        ended = end_of(words, cwd=tmp_path, env={"TMPDIR": folder})
        assert ended.status == 0, ended
        assert os.listdir(tmp_path / "tmp") == []


def test_the_folder_of_everything() -> None:
    ended = end_of(kwker("audit", "--isolate", "--", "-c", "pass"), cwd="/")
    assert_one_line(ended, "--isolate", "script's folder")


def test_from_python(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RESUMES)
    result = audit_door.run(
        ["script.py"], pairs=2, warmup=0, isolate=True, cwd=tmp_path, program=PROGRAM
    )
    assert result.outputs == "equal", result.text


def test_not_deterministic(tmp_path: Path) -> None:
    """Runs without Kwker are held against each other first."""
    code = "import torch\nsame = torch.ones(2)\nother = torch.rand(3)\n"
    ended, report = audit(tmp_path, code, "--require-equal")
    assert ended.status == 4
    assert report["verdict"]["outputs"] == "unknown"
    assert report["outputs"]["deterministic"] is False
    assert report["outputs"]["first_difference"] == "globals.other"
    assert report["outputs"]["difference"] == "bits"
    assert "--seed" in ended.out
    assert "not deterministic" in report["outputs"]["reason"]
    ended, report = audit(tmp_path, code, "--require-equal", "--seed", 3)
    assert ended.status == 0
    assert report["verdict"]["outputs"] == "equal"

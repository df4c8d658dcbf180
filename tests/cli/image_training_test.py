"""`kwker audit` of a script that trains on JPEG files: equal, by Kwker's kernels for images."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import kwker as package
from processes import end_of, kwker

SCRIPT = Path(os.environ.get("SCRIPTS", "testdata")).resolve() / "image_training.py"
SMALL = ("--images", 12, "--size", 64, "--batch", 4)


def _audit(folder: Path, *options: object) -> dict[str, Any]:
    report = folder / "report.json"
    gates = ("--pairs", 1, "--warmup", 0, "--require-equal", "--json", report)
    files = folder / "files"  # made by the first run
    ended = end_of(kwker("audit", *gates, "--", SCRIPT, *SMALL, "--data", files, *options))
    assert ended.status == 0, ended
    document: dict[str, Any] = json.loads(report.read_text())
    assert document["verdict"]["outputs"] == "equal"
    return {f["name"]: f["calls"] for f in document["features"]}


@pytest.fixture
def _new_processes_start_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Does in processes that begin from now on what the wheel's kwker.pth does."""
    line = (Path(package.__path__[0]).parent / "kwker.pth").read_text()
    (tmp_path / "sitecustomize.py").write_text(line)
    folders = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))


@pytest.mark.usefixtures("_new_processes_start_up")
@pytest.mark.parametrize("start", ["none", "fork", "spawn"])
def test_images_are_kwkers_wherever_they_are_made(tmp_path: Path, start: str) -> None:
    """In this process, or in a worker: that its calls are counted, too."""
    workers = ("--workers", 0) if start == "none" else ("--workers", 1, "--start-method", start)
    calls = _audit(tmp_path, *workers)
    for name in ("vision.resize", "vision.color", "vision.to_dtype_normalize"):
        assert calls[name] >= 12
    assert calls["optim.sgd"] == 3

"""The package as users get it: the wheel, installed into an environment of its own."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from conftest import Run

TESTDATA = Path("testdata").absolute()


def test_its_name_tells_the_torch_release(wheel: Path) -> None:
    assert "+torch2.13-cp311-cp311-linux_x86_64" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(archive.read(n).decode() for n in names if n.endswith("/METADATA"))
    assert "Requires-Dist: torch==2.13.*" in metadata
    assert {"kwker.pth", "kwker/py.typed", "kwker/_C.pyi", "kwker/torch_ops.py"} <= set(names)
    assert not [n for n in names if "test" in n or "__pycache__" in n]


def test_imports_and_installs(environment: Path, run: Run) -> None:
    code = (
        "import kwker.torch_ops as sto; sto.install();"
        " print({f.state for f in sto.features() if f.name.startswith('optim.')})"
    )
    done = run(environment / "bin/python", "-c", code)
    assert (done.stdout, done.stderr) == ("{'on'}\n", "")


@pytest.mark.parametrize("how", ["program", "module"])
def test_audits_a_script(environment: Path, run: Run, tmp_path: Path, how: str) -> None:
    kwker: list[str | Path] = [environment / "bin/kwker"]
    if how == "module":
        kwker = [environment / "bin/python", "-m", "kwker"]
    report = tmp_path / "out.json"
    script = TESTDATA / "seed_loop.py"
    options: list[str | Path] = ["--pairs", "2", "--json", report]
    done = run(*kwker, "audit", *options, "--", script, "--steps", "50", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "outputs equal to the bit" in done.stdout
    document = json.loads(report.read_text())
    assert document["schema"] == "kwker.audit/1"
    assert document["verdict"]["outputs"] == "equal"
    calls = {f["name"]: f["calls"] for f in document["features"]}
    assert calls["optim.adamw"] > 0


def test_info(environment: Path, run: Run) -> None:
    done = run(environment / "bin/kwker", "info", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    states = {f["name"]: f["state"] for f in document["features"]}
    # Features of libraries wait for the program to import them.
    assert {state for name, state in states.items() if name.startswith("optim.")} == {"on"}
    assert {"optim.adam", "vision.resize"} <= set(states)

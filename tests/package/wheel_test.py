"""The package as users get it: the wheel, installed into an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

WHEEL = Path(os.environ["KWKER_WHEEL"]).absolute()
TESTDATA = Path("testdata").absolute()


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and with this one's torch by way of a .pth file."""
    root = tmp_path_factory.mktemp("environment")
    venv.create(root, with_pip=True, symlinks=True)
    python = root / "bin" / "python"
    install: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        WHEEL,
    ]
    subprocess.run(install, check=True, timeout=120)
    site = root / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    (site / "torch_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return root


def run(
    *command: str | Path, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("KWKER", "PYTHON", "BUILD_"))}
    return subprocess.run(
        [str(c) for c in command],
        capture_output=True,
        text=True,
        env=clean | variables,
        cwd=cwd,
        timeout=300,
    )


def test_its_name_tells_the_torch_release() -> None:
    assert "+torch2.13-cp311-cp311-linux_x86_64" in WHEEL.name
    with zipfile.ZipFile(WHEEL) as archive:
        names = archive.namelist()
        metadata = next(archive.read(n).decode() for n in names if n.endswith("/METADATA"))
    assert "Requires-Dist: torch==2.13.*" in metadata
    assert {"kwker.pth", "kwker/py.typed", "kwker/_C.pyi", "kwker/torch_ops.py"} <= set(names)
    assert not [n for n in names if "test" in n or "__pycache__" in n]


def test_imports_and_installs(environment: Path) -> None:
    code = "import kwker.torch_ops as sto; sto.install(); print([f.state for f in sto.features()])"
    done = run(environment / "bin/python", "-c", code)
    assert (done.stdout, done.stderr) == ("['on', 'on', 'on']\n", "")


def test_the_environment_variable_reaches_spawned_workers(environment: Path) -> None:
    code = """
import multiprocessing, sys, torch

def state(_):
    import torch
    return "kwker.torch_ops" in sys.modules

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(state(0), pool.map(state, [0]))
"""
    script = environment / "workers.py"
    script.write_text(code)
    python = environment / "bin/python"
    assert run(python, script, KWKER_INSTALL="1").stdout == "True [True]\n"
    assert run(python, script).stdout == "False [False]\n"


@pytest.mark.parametrize("how", ["program", "module"])
def test_audits_a_script(environment: Path, tmp_path: Path, how: str) -> None:
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


def test_info(environment: Path) -> None:
    done = run(environment / "bin/kwker", "info", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    states = {f["name"]: f["state"] for f in document["features"]}
    assert states == {"optim.adam": "on", "optim.adamw": "on", "optim.sgd": "on"}

"""An environment with the wheel installed, shared by the tests of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def wheel() -> Path:
    return Path(os.environ["KWKER_WHEEL"]).absolute()


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """A virtual environment with the wheel, and with this one's torch by way of a .pth file."""
    root = tmp_path_factory.mktemp("environment")
    venv.create(root, with_pip=True, symlinks=True)
    install: list[str | Path] = [root / "bin/python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", wheel], check=True, timeout=120)
    site = root / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    (site / "torch_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return root


def clean_environ(**variables: str) -> dict[str, str]:
    """This test's environment with no trace of its own Kwker."""
    hidden = ("KWKER", "PYTHON", "BUILD_")
    return {k: v for k, v in os.environ.items() if not k.startswith(hidden)} | variables


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a command in such an environment."""

    def run(
        *command: str | Path, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(c) for c in command],
            capture_output=True,
            text=True,
            env=clean_environ(**variables),
            cwd=cwd,
            timeout=300,
        )

    return run

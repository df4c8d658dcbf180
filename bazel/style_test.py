"""Every source has the project's form; nothing here is about what it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Tests run in Bazel's forest of links; this file's own link leads to the tree.
ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def tracked(*patterns: str) -> list[str]:
    """The tree's files of these patterns, committed or about to be."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    files = [line for line in listed.stdout.splitlines() if (ROOT / line).exists()]
    assert files, patterns
    return files


def run(tool: str, *args: str) -> None:
    """Fails with all that the tool says."""
    done = subprocess.run([BIN / tool, *args], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_clang_format() -> None:
    run("clang-format", "--dry-run", "-Werror", *tracked("*.cc", "*.h"))


def test_ruff_check() -> None:
    run("ruff", "check", *tracked("*.py", "*.pyi"))


def test_ruff_format() -> None:
    run("ruff", "format", "--check", *tracked("*.py", "*.pyi"))


@pytest.mark.parametrize(
    "folder",
    [
        "bazel",
        "pyext/kwker",
        "testdata",
        "tests",
        "tests/benchmarks",
        "tests/benchmarks/optim",
        "tests/benchmarks/vision",
        "tests/cli",
        "tests/distributed",
        "tests/frameworks",
        "tests/optim",
        "tests/package",
        "tests/runtime",
        "tests/vision",
    ],
)
def test_mypy(folder: str) -> None:
    # Folder by folder: files of the same name in two of them are two modules.
    files = [f for f in tracked(f"{folder}/*.py") if str(Path(f).parent) == folder]
    run("mypy", "--config-file", "pyproject.toml", *files)


def test_no_file_is_too_long_to_read() -> None:
    lengths = {f: len((ROOT / f).read_text().splitlines()) for f in tracked("*.py", "*.cc", "*.h")}
    assert {f: n for f, n in lengths.items() if n > 400} == {}

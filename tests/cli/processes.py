"""The program and plain Python as processes, as the tests in this folder start them."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = os.path.abspath(os.environ.get("KWKER", os.path.join(sys.prefix, "bin", "kwker")))
Starter = Callable[[list[str]], list[str]]  # from what follows "python" to a command line

SCRIPTS = Path(os.environ.get("FIDELITY", "testdata/fidelity")).resolve()


@dataclass(frozen=True)
class Ended:
    """How a process ended: its status as `subprocess` gives it, and what it printed."""

    status: int
    out: str
    err: str


def end_of(
    command: list[str], *, cwd: str | Path | None = None, env: dict[str, str] | None = None
) -> Ended:
    """Runs a command to its end, with nothing on stdin and `env` added to the environment."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=900,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return Ended(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )


def without_addresses(ended: Ended) -> Ended:
    """Memory addresses differ from one process to the next."""
    return Ended(
        ended.status,
        re.sub(r"0x[0-9a-f]+", "0x", ended.out),
        re.sub(r"0x[0-9a-f]+", "0x", ended.err),
    )


def same_as_python(start: Starter, command: list[str], **options: Any) -> Ended:
    """How the command ends and what it prints: to the byte as under plain Python."""
    ours = without_addresses(end_of(start(command), **options))
    theirs = without_addresses(end_of([sys.executable, *command], **options))
    assert ours == theirs
    return ours


def kwker(*args: object) -> list[str]:
    """`kwker ARG...` with this Python."""
    command, *rest = [str(arg) for arg in args]
    return [PROGRAM, command, "--python", sys.executable, *rest]


def audit(folder: Path, code: str, *options: object) -> tuple[Ended, dict[str, Any]]:
    """How an audit of two pairs ended, of a script with this code and the argument x; its report.

    `options` may ask for another number of pairs.
    """
    script = folder / "script.py"
    script.write_text(code)
    report = folder / "report.json"
    usual = ["--warmup", 0, "--json", report]
    if "--pairs" not in options:
        usual += ["--pairs", 2]
    ended = end_of(kwker("audit", *usual, *options, "--", script, "x"))
    document: dict[str, Any] = json.loads(report.read_text())
    return ended, document


@functools.cache
def libpython() -> str:
    """This Python's shared library; empty: it has none."""
    info = json.loads(end_of(kwker("info", "--json")).out)
    return info["python"]["libpython"] or ""


def child_of_audit(
    folder: Path, command: list[str], *, embedded: bool = True, **request: Any
) -> tuple[list[str], Path]:
    """The command of one run of an audit, and where its RESULT.json will be."""
    result = folder / "RESULT.json"
    document = {
        "protocol": 1,
        "command": command,
        "install": False,
        "features": None,
        "seed": None,
        "record": True,
        "result": str(result),
        **request,
    }
    path = folder / "REQUEST.json"
    path.write_text(json.dumps(document))
    return [PROGRAM, "_child", str(path), sys.executable, libpython() if embedded else ""], result


def assert_one_line(ended: Ended, *parts: str) -> None:
    """Usage errors: exit code 2, nothing on stdout, one line on stderr that names the matter."""
    assert ended.status == 2, ended
    assert ended.out == ""
    lines = ended.err.splitlines()
    assert len(lines) == 1, ended.err
    assert lines[0].startswith("kwker: ")
    for part in parts:
        assert part in lines[0]


def python_that_says(folder: Path, **facts: str | bool) -> Path:
    """A program that answers the program's question as a Python with these facts would."""
    document = {"executable": sys.executable, "version": "3.11.7", "kwker": "/kwker", **facts}
    path = folder / "python"
    path.write_text(f"#!/bin/sh\necho\necho '{json.dumps(document)}'\n")
    path.chmod(0o755)
    return path

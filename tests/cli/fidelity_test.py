"""A script does the same under `kwker run` and in an audit as under plain Python."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import processes
from processes import SCRIPTS, Starter, end_of, kwker, same_as_python


def _ways_to_end() -> list[str]:
    spec = importlib.util.spec_from_file_location("end", SCRIPTS / "end.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.atexit.unregister(print)
    return list(module.WAYS)


@pytest.mark.parametrize("way", _ways_to_end())
def test_ends_as_under_python(start: Starter, way: str, request: pytest.FixtureRequest) -> None:
    if way == "deep" and "without libpython" in request.node.name:
        pytest.skip("a few frames of ours lie below the script there")
    same_as_python(start, [str(SCRIPTS / "end.py"), way])


@pytest.mark.parametrize(
    "command",
    [
        [str(SCRIPTS / "show.py"), "--lr", "0.1", "--", "x", "-m", "ü", ""],
        ["-c", (SCRIPTS / "show.py").read_text(), "a", "-b"],
        [os.path.relpath(SCRIPTS / "show.py")],
    ],
    ids=["script", "code", "relative"],
)
@pytest.mark.parametrize(
    "env",
    [
        {},
        {"PYTHONUNBUFFERED": "1", "PYTHONOPTIMIZE": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        {"PYTHONUTF8": "1", "LC_ALL": "C"},
        {"PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "latin-1:replace"},
        {"PYTHONDEVMODE": "1"},
    ],
    ids=["plain", "options", "utf8", "safe path", "devmode"],
)
def test_sees_what_python_would_show_it(
    start: Starter, command: list[str], env: dict[str, str]
) -> None:
    ours = end_of(start(command), env=env)
    theirs = end_of([sys.executable, *command], env=env)
    assert ours.status == theirs.status == 0, ours.err
    assert ours.err == theirs.err
    seen, expected = json.loads(ours.out), json.loads(theirs.out)
    for environ in (seen["environ"], expected["environ"]):
        environ.pop("_", None)  # set by shells
    assert seen == expected


@pytest.mark.parametrize("args", [[], ["a", "-m"], ["fail"]], ids=["", "args", "fails"])
def test_module(start: Starter, args: list[str]) -> None:
    same_as_python(start, ["-m", "tool", *args], cwd=SCRIPTS / "package")


def test_missing_module(start: Starter) -> None:
    ended = same_as_python(start, ["-m", "no_module_of_this_name"])
    assert ended.status == 1


def test_folder(start: Starter) -> None:
    same_as_python(start, [str(SCRIPTS / "folder"), "x"])


def test_modules_beside_the_script(start: Starter) -> None:
    """Of names that the standard library has too, and that Kwker itself uses."""
    ended = same_as_python(start, [str(SCRIPTS / "shadows" / "script.py")])
    assert ended.out.startswith("json the script's own\nresource the script's own\n"), ended


@pytest.mark.parametrize("name", ["types", "enum", "threading", "random", "struct", "warnings"])
def test_one_module_beside_the_script(start: Starter, name: str, tmp_path: Path) -> None:
    """Whatever that does to the script, such as failing in an import of the standard library's."""
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / f"{name}.py").write_text("WHO = 'me'\n")
    (folder / "script.py").write_text(
        f"import {name}\nprint(hasattr({name}, 'WHO'))\nimport tempfile, dataclasses\nprint('end')"
    )
    same_as_python(start, [str(folder / "script.py")])


def test_syntax_error(start: Starter, tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("x = (1,\ny = 2\n")
    assert "SyntaxError" in same_as_python(start, [str(script)]).err


def test_code_that_fails(start: Starter) -> None:
    same_as_python(start, ["-c", "def f():\n  1/0\nf()"])


def test_worker_processes(start: Starter) -> None:
    ended = same_as_python(start, [str(SCRIPTS / "workers.py")])
    assert ended.status == 0, ended.err


def test_errors_inside_torch(start: Starter) -> None:
    """No frame of the recorder's is in their tracebacks."""
    ended = same_as_python(start, [str(SCRIPTS / "torch_errors.py")])
    assert "kwker" not in ended.out.replace(str(SCRIPTS), "")


@pytest.mark.parametrize("how", ["wait", "cleanup"])
@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals(start: Starter, how: str, signal_name: str) -> None:
    import signal

    ends = []
    for command in (
        start([str(SCRIPTS / "wait.py"), how]),
        [sys.executable, str(SCRIPTS / "wait.py"), how],
    ):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.1)  # into its sleep, where the traceback points
        process.send_signal(signal.Signals[signal_name])
        out, err = process.communicate(timeout=30)
        ends.append(processes.Ended(process.returncode, out, err))
    assert ends[0] == ends[1]


def test_ctrl_c_in_a_terminal() -> None:
    pid, terminal = os.forkpty()
    command = kwker("run", "--", SCRIPTS / "wait.py", "cleanup")
    if pid == 0:
        os.execv(command[0], command)
    seen = b""
    while b"waiting" not in seen:
        seen += os.read(terminal, 1000)
    time.sleep(0.2)
    os.write(terminal, b"\x03")
    try:
        while chunk := os.read(terminal, 1000):
            seen += chunk
    except OSError:  # the other end is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
    assert seen.count(b"interrupted") == 1

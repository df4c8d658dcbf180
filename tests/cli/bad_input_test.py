"""What is wrong is said in one line, with the exit code for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import (
    PROGRAM,
    SCRIPTS,
    Ended,
    assert_one_line,
    child_of_audit,
    end_of,
    kwker,
    python_that_says,
)

END = str(SCRIPTS / "end.py")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["audit"], ["no script", "kwker audit [options] -- SCRIPT"]),
        (["audit", "--"], ["no script"]),
        (["run", "--"], ["no script", "kwker run"]),
        (["audit", "x.py"], ["put -- before the script: kwker audit"]),
        (["run", "--features", "", "-c", "pass"], ["put -- before the script: kwker run"]),
        (["run", "--standalone", "--", END], ["not expected: --standalone"]),
        (["info", "x.py"], ["not expected: x.py"]),
        (["audit", "--pairs", "2", "x.py", "--epochs", "1"], ["put -- before"]),
        (["audit", "--", "/no/such.py"], ["no such script: /no/such.py"]),
        (["run", "--", "/no/such.py"], ["no such script: /no/such.py"]),
        (["audit", "--", "-u", "x.py"], ["'-u' where the script should be"]),
        (["audit", "--", "-m"], ["-m needs a module"]),
        (["audit", "--", "-c"], ["-c needs"]),
        (["audit", "--pairs", "0", "--", END], ["--pairs", "'0'"]),
        (["audit", "--pairs", "two", "--", END], ["--pairs", "'two'"]),
        (["audit", "--pairs", "2.5", "--", END], ["--pairs", "'2.5'"]),
        (["audit", "--pairs", "-1", "--", END], ["--pairs"]),
        (["audit", "--pairs", "2", "--max-pairs", "9", "--", END], ["--pairs", "--max-pairs"]),
        (["audit", "--width", "1", "--pairs", "2", "--", END], ["--pairs", "--width"]),
        (["audit", "--max-pairs", "0", "--", END], ["--max-pairs", "'0'"]),
        (["audit", "--width", "0", "--", END], ["--width", "'0'"]),
        (["audit", "--max-time", "soon", "--", END], ["--max-time", "'soon'"]),
        (["audit", "--warmup", "-1", "--", END], ["--warmup"]),
        (["audit", "--seed", "x", "--", END], ["--seed", "'x'"]),
        (["audit", "--seed", "-1", "--", END], ["--seed"]),
        (["audit", "--timeout", "0", "--", END], ["--timeout", "'0'"]),
        (["audit", "--timeout", "nan", "--", END], ["--timeout", "'nan'"]),
        (["audit", "--min-speedup", "fast", "--", END], ["--min-speedup", "'fast'"]),
        (["audit", "--min-speedup", "inf", "--", END], ["--min-speedup"]),
        (["audit", "--pairs"], ["--pairs"]),
        (["audit", "--json", "/no/such/folder/out.json", "--", END], ["/no/such/folder"]),
        (["audit", "--json", "/", "--", END], ["/"]),
        (["audit", "--json", "", "--", END], ["--json", "name a file"]),
        (["audit", "--json=", "--", END], ["--json"]),
        (["audit", "--a", "kwker=maybe", "--", END], ["--a", "maybe"]),
        (["audit", "--b", "thread:2", "--", END], ["--b 'thread:2'", "threads:N"]),
        (["audit", "--b", "python:/no/python", "--", END], ["cannot run /no/python"]),
        (["audit", "--features", "optim.adamm", "--", END], ["optim.adamm", "optim.adam"]),
        (["audit", "--features", ",", "--", END], ["--features"]),
        (["info", "--", "x"], ["info takes no script"]),
        (["run", "--features", "optim.adamm", "--", END], ["optim.adamm", "optim.adam"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(words: list[str], parts: list[str]) -> None:
    assert_one_line(end_of(kwker(*words)), *parts)


@pytest.mark.parametrize(
    ("words", "part"),
    [([], "subcommand"), (["adit"], "--"), (["audit", "--no-such-option", "--", END], "--")],
    ids=["nothing", "no such subcommand", "no such option"],
)
def test_not_a_command(words: list[str], part: str) -> None:
    assert_one_line(end_of([PROGRAM, *words]), part)


@pytest.mark.parametrize(
    "words", [["--help"], ["audit", "--help"], ["run", "-h"], ["compare", "-h"]]
)
def test_help(words: list[str]) -> None:
    ended = end_of([PROGRAM, *words])
    assert ended.status == 0
    assert ended.err == ""
    assert len(ended.out.splitlines()) > 5


def test_version() -> None:
    import kwker as package

    ended = end_of([PROGRAM, "--version"])
    assert ended == Ended(0, f"kwker {package.__version__}\n", "")


@pytest.mark.parametrize("command", ["audit", "run", "info"])
class TestPythons:
    """Every subcommand says the same of a Python that will not do."""

    def complaint(self, command: str, python: object, env: dict[str, str] | None = None) -> Ended:
        script = [] if command == "info" else ["--", END, "ok"]
        return end_of([PROGRAM, command, "--python", str(python), *script], env=env)

    def test_missing(self, command: str) -> None:
        assert_one_line(self.complaint(command, "/no/python"), "cannot run /no/python", "--python")

    def test_not_on_path(self, command: str) -> None:
        assert_one_line(self.complaint(command, "no-such-python"), "'no-such-python' on PATH")

    def test_not_a_python(self, command: str) -> None:
        assert_one_line(self.complaint(command, "/bin/true"), "does not work as a Python")

    def test_modules_of_this_folder_are_not_its_own(self, command: str, tmp_path: Path) -> None:
        ran = tmp_path / "ran"
        for name in ["json", "re", "os", "sysconfig", "importlib", "torch", "kwker"]:
            (tmp_path / f"{name}.py").write_text(f"open({str(ran)!r}, 'w')\nraise SystemExit(1)\n")
        # The bare environment is asked, and no more than that.
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True
        )
        python = tmp_path / "bare" / "bin" / "python"
        script = [] if command == "info" else ["--", END, "ok"]
        ended = end_of(
            [PROGRAM, command, "--python", str(python), *script],
            cwd=tmp_path,
            env={"PYTHONPATH": ""},
        )
        assert_one_line(ended, "no torch in")
        assert not ran.exists()

    def test_without_torch(self, command: str, tmp_path: Path) -> None:
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True
        )
        # Out of reach of this environment's packages.
        ended = self.complaint(command, tmp_path / "bare" / "bin" / "python", {"PYTHONPATH": ""})
        assert_one_line(ended, "no torch in")

    def test_without_kwker(self, command: str, tmp_path: Path) -> None:
        python = python_that_says(tmp_path, torch="2.13.0", kwker="")
        assert_one_line(self.complaint(command, python), "Kwker is not installed")

    def test_torch_of_another_release(self, command: str, tmp_path: Path) -> None:
        python = python_that_says(tmp_path, torch="2.9.1+cpu", kwker_torch_release="2.13")
        assert_one_line(self.complaint(command, python), "torch 2.9.1+cpu", "torch 2.13")


def audit(*words: object, pairs: int = 1) -> list[str]:
    return kwker("audit", "--pairs", pairs, "--warmup", 0, *words)


def test_script_raises() -> None:
    ended = end_of(audit("--", END, "fail"))
    assert ended.status == 3
    assert "ValueError: failed on purpose" in ended.out + ended.err


def test_script_exits_with_3() -> None:
    ended = end_of(audit("--", "-c", "import sys; sys.exit(3)"))
    assert ended.status == 3
    assert "exit status 3" in ended.out


def test_script_killed_by_a_signal() -> None:
    ended = end_of(audit("--", END, "kill"))
    assert ended.status == 3
    assert "signal 9 (SIGKILL)" in ended.out


def test_script_too_slow() -> None:
    start = time.monotonic()
    ended = end_of(audit("--timeout", "1.5", "--", SCRIPTS / "wait.py", "wait"))
    assert ended.status == 3
    assert "takes longer than --timeout 1.5 s" in ended.out
    assert time.monotonic() - start < 30


def test_script_without_a_result() -> None:
    """os._exit leaves no time to look at the outputs: unknown, not equal."""
    ended = end_of(audit("--json", "-", "--", "-c", "import os; os._exit(0)"))
    assert ended.status == 0
    assert json.loads(ended.out)["verdict"]["outputs"] == "unknown"


def test_python_without_libpython(tmp_path: Path) -> None:
    """The script runs in that Python as a program, and the report says so."""
    facts = {"torch": "2.13.0", "kwker_torch_release": "2.13", "kwker_version": "0.1.0"}
    python = python_that_says(tmp_path, **facts)
    report = tmp_path / "report.json"
    command = [PROGRAM, "audit", "--python", str(python), "--pairs", "1", "--warmup", "0"]
    ended = end_of([*command, "--json", str(report), "--", END, "ok"])
    assert ended.status == 0, ended
    assert '"embedded": false' in report.read_text()


def test_json_known_to_fail_before_the_first_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w')"
    end_of(audit("--json", "/no/such/folder/x.json", "--", "-c", code))
    assert not ran.exists()


@pytest.mark.parametrize("how", ["wait", "cleanup"])
@pytest.mark.parametrize(
    "sent",
    [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT],
    ids=lambda sent: sent.name,
)
def test_interrupted(tmp_path: Path, sent: signal.Signals, how: str) -> None:
    """After two finished runs; those are reported, and no child is left."""
    pids, report = tmp_path / "pids", tmp_path / "report.json"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    script = tmp_path / "script.py"
    script.write_text(
        f"import os, runpy, sys\n"
        f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        f"if len(open({str(pids)!r}).readlines()) > 2:\n"
        f"    if os.fork() == 0:\n"
        f"        os.setsid()\n"
        f"    sys.argv[1:] = [{how!r}, {str(pids)!r}]\n"
        f"    runpy.run_path({str(SCRIPTS / 'wait.py')!r})\n"
    )
    process = subprocess.Popen(
        audit("--json", report, "--", script, pairs=3),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    while not pids.exists() or len(pids.read_text().splitlines()) < 5:
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, (out, err)
    for pid in pids.read_text().split():
        assert not _is_running(int(pid))
    ends = [run["exit_code"] for run in json.loads(report.read_text())["runs"]]
    assert ends[:2] == [0, 0]
    assert "nterrupt" in out
    assert os.listdir(temporary) == []


def _is_running(pid: int) -> bool:
    for _ in range(100):  # a killed orphan is there until init has reaped it
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return False
        except FileNotFoundError:
            return False
        time.sleep(0.02)
    return True


def test_nothing_of_ours_is_left_in_tmp(tmp_path: Path) -> None:
    end_of(audit("--", END, "ok"), env={"TMPDIR": str(tmp_path)})
    end_of(audit("--", END, "fail"), env={"TMPDIR": str(tmp_path)})
    assert os.listdir(tmp_path) == []


def test_no_room_for_temporary_files() -> None:
    ended = end_of(audit("--", END, "ok"), env={"TMPDIR": "/proc"})
    assert ended.status == 2
    assert "TMPDIR" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.stdout.write('x' * 1_000_000); sys.stdout.flush()",
        "import kwker.audit\nfor i in range(9999): kwker.audit.record(f'value {i}', i)",
    ],
    ids=["its output", "its results"],
)
def test_full_disk_is_not_the_scripts_fault(small_disk: Path, code: str) -> None:
    ended = end_of(audit("--", "-c", code), env={"TMPDIR": str(small_disk)})
    assert ended.status == 4
    said = f"the disk that holds TMPDIR ({small_disk}) is full"
    assert "".join(said.split()) in "".join(ended.out.split())  # it is folded
    assert os.listdir(small_disk) == []


@pytest.mark.parametrize("gate", [[], ["--min-speedup", "1e6"]], ids=["no gate", "a gate"])
def test_report_that_cannot_be_written(gate: list[str]) -> None:
    """One line, and a status of its own unless the audit has one."""
    command = audit(*gate, "--json", "/dev/full", "--", "-c", "pass", pairs=2)
    ended = end_of(command)
    assert ended.status in ((1, 4) if gate else (1,))
    assert "cannot write /dev/full" in ended.err
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            audit("--", "-c", "pass"), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"cannot write the report to stdout" in done.stderr


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_info_that_cannot_be_written(options: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            kwker("info", *options), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"kwker: cannot write to stdout")


def test_run_without_libpython_imports_nothing_from_this_folder(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    ran = tmp_path / "ran"
    for name in ["json", "os", "atexit", "random", "kwker", "runpy", "torch"]:
        (here / f"{name}.py").write_text(f"open({str(ran)!r}, 'w')\nraise SystemExit(1)\n")
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint(sys.argv)\n")
    command, result = child_of_audit(tmp_path, [str(script), "x"], embedded=False)
    ended = end_of(command, cwd=here)
    assert ended == Ended(0, f"{[str(script), 'x']}\n", "")
    assert result.exists()
    assert not ran.exists()


def test_script_failure_is_kept_when_the_report_cannot_be_written() -> None:
    assert end_of(audit("--json", "/dev/full", "--", END, "fail")).status == 3


def test_reader_of_the_report_is_gone(tmp_path: Path) -> None:
    command = audit("--show-output", "--", "-c", "print('x' * 100_000)")
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path: Path, closed: str) -> None:
    report = tmp_path / "report.json"
    command = audit("--json", report, "--", "-c", "print('hello')")
    ended = end_of(["bash", "-c", f'"$@" {closed}', "bash", *command])
    assert ended.status == 0, ended
    assert json.loads(report.read_text())["ending"] == "completed"
    ended = end_of(["bash", "-c", '"$@" >&-', "bash", *audit("--json", "-", "--", "-c", "pass")])
    assert_one_line(ended, "--json -", "stdout is closed")


@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "time.sleep(60)"])
def test_other_sessions_are_ended_with_the_run(tmp_path: Path, end: str) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '300'], start_new_session=True)\n"
        f"open({str(pids)!r}, 'a').write(f'{{child.pid}}\\n')\n"
        f"{end}\n"
    )
    limit = ["--timeout", "3"] if "sleep(60)" in end else []
    end_of(audit(*limit, "--", "-c", code))
    assert pids.read_text().split()
    for pid in pids.read_text().split():
        assert not os.path.exists(f"/proc/{pid}")

"""`kwker audit` called from Python: its options as arguments, its JSON report as objects."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kwker.__main__ import find_program


class AuditError(RuntimeError):
    """There is no report; the message is one line that says why."""


@dataclass(frozen=True)
class Ratio:
    """A ratio of times, without Kwker over with it: above 1 is faster with Kwker."""

    estimate: float | None  # None: no pair of runs has these times
    low: float | None  # the 95% interval; None: fewer than two pairs
    high: float | None
    pairs: int
    method: str | None


@dataclass(frozen=True)
class FeatureUse:
    """What one feature did in the last run with Kwker."""

    name: str
    state: str
    calls: int  # served by Kwker
    fallbacks: dict[str, int]  # reason: calls that went to torch's code


@dataclass(frozen=True)
class AuditRun:
    """One run of the script; times in seconds, None where it left no result."""

    side: Literal["a", "b"]  # without Kwker, with it
    order: int
    pair: int | None
    warm_up: bool
    exit_code: int | None
    wall_s: float | None
    cpu_user_s: float | None
    cpu_sys_s: float | None
    max_rss_bytes: int


@dataclass(frozen=True)
class AuditResult:
    """What an audit found. All that its report holds is in `report`, as in audit/1's schema."""

    speed: Literal["faster", "slower", "no difference", "inconclusive"]
    outputs: Literal["equal", "different", "unknown"]
    speedup: Ratio
    cpu_speedup: Ratio
    memory_ratio: float | None  # peak with Kwker over that without
    first_difference: str | None  # the output's name
    reason: str | None  # of the verdict on outputs, unless they are equal
    causes: tuple[str, ...]  # features without which the outputs are equal, where they are not
    ending: str  # "completed", "script failed", "kwker failed", "interrupted", "cannot run"
    exit_code: int  # of the program: 0 where all that was asked for holds
    features: tuple[FeatureUse, ...]
    runs: tuple[AuditRun, ...]
    warnings: tuple[str, ...]
    text: str  # the report for people
    report: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether the audit came to its end and all that was asked for holds."""
        return self.exit_code == 0

    def __str__(self) -> str:
        return self.text


def run_audit(
    command: Sequence[str | os.PathLike[str]],
    options: Mapping[str, object],
    *,
    progress: bool,
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    program: str | os.PathLike[str] | None,
) -> AuditResult:
    """`options` by their names in Python; those that are None or False are left out."""
    if isinstance(command, (str, bytes)):
        raise TypeError('the command is a list of words: ["train.py", "--epochs", "1"]')
    own = find_program() if program is None else os.fspath(program)
    if own is None:
        raise AuditError(
            f"the program kwker is not installed for {sys.executable}: "
            "install the Kwker wheel there once more, with pip"
        )
    words = [own, "audit", *_option_words({"python": sys.executable, **options})]
    with tempfile.TemporaryDirectory(prefix="kwker-") as folder:
        path = os.path.join(folder, "report.json")
        words += ["--json", path, "--", *[os.fspath(word) for word in command]]
        status, text, errors = _run(words, progress=progress, cwd=cwd, env=env)
        try:
            with open(path, encoding="utf-8") as file:
                report: dict[str, Any] = json.load(file)
        except (OSError, ValueError):
            lines = errors.strip().splitlines() or [f"kwker audit ended with status {status}"]
            raise AuditError(lines[-1].removeprefix("kwker: ")) from None
    return _result(report, text, status)


def _option_words(options: Mapping[str, object]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [option, ",".join(map(str, value))]
        elif isinstance(value, os.PathLike):
            words += [option, os.fspath(value)]
        else:
            words += [option, str(value)]
    return words


def _run(
    words: list[str],
    *,
    progress: bool,
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
) -> tuple[int, str, str]:
    """Exit status, stdout, stderr; this is empty where `progress` lets it through."""
    # A process group of its own: Ctrl-C reaches it once, from here.
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if progress else subprocess.PIPE,
        cwd=cwd,
        env=None if env is None else dict(env),
        process_group=0,
    ) as process:
        try:
            out, errors = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()  # it ends the run in progress and all that this has started
            raise
    return (
        process.returncode,
        out.decode(errors="replace"),
        (errors or b"").decode(errors="replace"),
    )


def _result(report: dict[str, Any], text: str, status: int) -> AuditResult:
    verdict, outputs = report["verdict"], report["outputs"]
    return AuditResult(
        speed=verdict["speed"],
        outputs=verdict["outputs"],
        speedup=_ratio(report["speedup"]),
        cpu_speedup=_ratio(report["cpu_speedup"]),
        memory_ratio=report["memory_ratio"],
        first_difference=outputs["first_difference"],
        reason=outputs["reason"],
        causes=_causes(report),
        ending=report["ending"],
        exit_code=status,
        features=tuple(
            FeatureUse(f["name"], f["state"], f["calls"], f["fallbacks"])
            for f in report["features"]
        ),
        runs=tuple(_audit_run(run) for run in report["runs"]),
        warnings=tuple(report["warnings"]),
        text=text,
        report=report,
    )


def _causes(report: dict[str, Any]) -> tuple[str, ...]:
    cause = (report["explanation"] or {}).get("cause")
    return tuple(cause["features"]) if cause and cause["found"] == "features" else ()


def _ratio(ratio: dict[str, Any]) -> Ratio:
    return Ratio(ratio["estimate"], ratio["low"], ratio["high"], ratio["pairs"], ratio["method"])


def _audit_run(run: dict[str, Any]) -> AuditRun:
    return AuditRun(
        run["side"],
        run["order"],
        run["pair"],
        run["warm_up"],
        run["exit_code"],
        run["wall_s"],
        run["cpu_user_s"],
        run["cpu_sys_s"],
        run["max_rss_bytes"],
    )

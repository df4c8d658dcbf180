"""For scripts that want something of theirs compared when `kwker audit` runs them; and audits
started from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from kwker._audit_run import AuditError as AuditError
    from kwker._audit_run import AuditResult as AuditResult
    from kwker._audit_run import AuditRun as AuditRun
    from kwker._audit_run import FeatureUse as FeatureUse
    from kwker._audit_run import Ratio as Ratio
    from kwker._record import Recorder

_recorder: Recorder | None = None  # set by kwker._child in a run of an audit

_OF_RUNS = ("AuditError", "AuditResult", "AuditRun", "FeatureUse", "Ratio")


def record(name: str, value: object) -> None:
    """Adds `value` to the outputs that an audit compares between its runs.

    `value` is a tensor, a NumPy array or scalar, a number, text, bytes, None, or a container or
    object that holds such. Its bits at the time of the call count. A name may be used again and
    again: the values are compared in order, as `name[0]`, `name[1]`, ... Where nothing of the kind
    is found in a value, the audit says so and does not call the runs equal.

    Outside an audit it does nothing.
    """
    if _recorder is not None:
        _recorder.record(name, value)


def run(
    command: Sequence[str | os.PathLike[str]],
    *,
    pairs: int | None = None,
    max_pairs: int | None = None,
    width: float | None = None,
    max_time: float | None = None,
    warmup: int | None = None,
    seed: int | None = None,
    timeout: float | None = None,
    features: Sequence[str] | None = None,
    a: str | None = None,
    b: str | None = None,
    isolate: bool = False,
    require_equal: bool = False,
    min_speedup: float | None = None,
    max_memory_ratio: float | None = None,
    markdown: str | os.PathLike[str] | None = None,
    html: str | os.PathLike[str] | None = None,
    python: str | os.PathLike[str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    progress: bool = False,
    program: str | os.PathLike[str] | None = None,
) -> AuditResult:
    """Audits a script: `kwker audit -- COMMAND`, and returns what it found.

        kwker.audit.run(["train.py", "--epochs", "1"], pairs=5).speedup.estimate

    `command` is what follows "python": a script, or -m and a module, or -c and code, with its
    arguments. Options are those of the program (`kwker audit --help`) with its defaults; times are
    in seconds, `width` in percent. The script runs under `python`, by default this interpreter,
    in `cwd` and with the environment `env`. `progress` shows on stderr how far the audit is;
    `program` is the program kwker, by default the installed one.

    A script that fails and gates that do not hold make no exception, see the result's `ending` and
    `exit_code`. AuditError: there is no report, for a wrong option or a missing script. Ctrl-C ends
    the audit and all of its processes, and then raises KeyboardInterrupt.
    """
    from kwker._audit_run import run_audit

    options = {
        "pairs": pairs,
        "max_pairs": max_pairs,
        "width": width,
        "max_time": max_time,
        "warmup": warmup,
        "seed": seed,
        "timeout": timeout,
        "features": None if features is None else list(features),
        "a": a,
        "b": b,
        "isolate": isolate,
        "require_equal": require_equal,
        "min_speedup": min_speedup,
        "max_memory_ratio": max_memory_ratio,
        "markdown": markdown,
        "html": html,
    }
    if python is not None:
        options["python"] = python
    return run_audit(command, options, progress=progress, cwd=cwd, env=env, program=program)


def __getattr__(name: str) -> object:
    # Not at import: a script that only records pays nothing for them.
    if name in _OF_RUNS:
        from kwker import _audit_run

        return getattr(_audit_run, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

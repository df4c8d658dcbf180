"""What features do in the worker processes of an audited script.

Each worker that multiprocessing starts writes its counts when it ends, to a file of its own in a
folder that the environment names; the audit's run adds them up. Those of a worker that is killed
are lost.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from kwker import _import_hook

_VARIABLE = "KWKER_WORKER_COUNTS"

# By feature: calls served, and calls left to torch by reason.
Counts = dict[str, tuple[int, dict[str, int]]]


_collects = False  # this process is the one that adds up


def collect(folder: str) -> None:
    """Has the workers that begin from now on write there."""
    global _collects
    os.mkdir(folder)
    os.environ[_VARIABLE] = folder
    _collects = True
    _import_hook.when_imported("multiprocessing.util", _look_out_for_forks)


def watch() -> None:
    """Has this process write, where it was started by one that collects."""
    if os.environ.get(_VARIABLE) and not _collects:
        _import_hook.when_imported("multiprocessing.util", _write_at_end)


def added_up(folder: str) -> Counts:
    """What was written there."""
    total: Counts = {}
    for name, calls, fallbacks in _written(folder):
        calls_before, reasons = total.setdefault(name, (0, {}))
        for reason, count in fallbacks.items():
            reasons[reason] = reasons.get(reason, 0) + count
        total[name] = (calls_before + calls, reasons)
    return total


def _written(folder: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                entries = json.load(file)
        except ValueError:  # half of it: the worker was killed while it wrote
            continue
        yield from entries


def _look_out_for_forks(util: ModuleType) -> None:
    if hasattr(util, "register_after_fork"):  # and is not the script's own
        # What it is registered with must live on.
        util.register_after_fork(_begin, _begin)


def _write_at_end(util: ModuleType) -> None:
    _look_out_for_forks(util)
    if hasattr(util, "Finalize"):
        util.Finalize(None, _write, exitpriority=0)


def _begin(_: object) -> None:
    """In a fork, before its work: what its parent has counted, and would do at its end, is gone."""
    torch_ops = sys.modules.get("kwker.torch_ops")
    if torch_ops is not None:
        torch_ops.reset_stats()
    util: Any = sys.modules["multiprocessing.util"]
    util.Finalize(None, _write, exitpriority=0)


def _write() -> None:
    torch_ops = sys.modules.get("kwker.torch_ops")
    folder = os.environ.get(_VARIABLE)
    if torch_ops is None or not folder:
        return
    entries = [
        (name, counts["calls"], dict(counts["fallbacks"]))
        for name, counts in torch_ops.stats().items()
        if counts["calls"] or counts["fallbacks"]
    ]
    try:
        with open(f"{folder}/{os.getpid()}-{time.time_ns()}", "w", encoding="utf-8") as file:
            json.dump(entries, file)
    except OSError:  # the run has ended, and the folder is gone
        return

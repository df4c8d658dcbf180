"""Timing contenders against each other in one process, and saying where that was.

Contenders take turns in an order that rotates from round to round, so that whatever else the
machine does hits all of them. A busy machine makes code with many passes over memory look worse
than it is, so a ratio is quoted as the smaller of two: the median of the ratios within rounds, and
the ratio of the 10th percentiles, which stand for the quiet moments.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

import kwker
from kwker import torch_ops


@dataclass(frozen=True)
class Contender:
    """One way to do the work."""

    name: str
    run: Callable[[], object]
    prepare: Callable[[], object] = lambda: None  # before each turn, not timed


@dataclass
class Times:
    """Seconds a call, one entry a round, by contender."""

    wall: dict[str, list[float]] = field(default_factory=dict)

    def median(self, name: str) -> float:
        return float(np.median(self.wall[name]))

    def ratio(self, slow: str, fast: str) -> float:
        """How many times faster `fast` is than `slow`, quoted with care (see above)."""
        paired = np.median(np.array(self.wall[slow]) / np.array(self.wall[fast]))
        quiet = np.percentile(self.wall[slow], 10) / np.percentile(self.wall[fast], 10)
        return float(min(paired, quiet))

    def summary(self) -> dict[str, dict[str, float]]:
        return {
            name: {
                "median_s": float(np.median(wall)),
                "p10_s": float(np.percentile(wall, 10)),
                "rounds": len(wall),
            }
            for name, wall in self.wall.items()
        }


def race(
    contenders: Sequence[Contender],
    seconds: float,
    turn: float = 5e-4,
    rounds: tuple[int, int] = (5, 400),
) -> Times:
    """Lets contenders take turns for about `seconds` in all.

    Args:
        turn: how long a turn should last at least; short work is repeated within it.
        rounds: the least and the largest number of rounds, whatever the time.
    """
    repeats: dict[str, int] = {}
    for contender in contenders:  # also the warm-up
        contender.prepare()
        contender.run()
        start = time.perf_counter()
        contender.run()
        once = time.perf_counter() - start
        repeats[contender.name] = max(1, int(turn / max(once, 1e-7)))

    times = Times({contender.name: [] for contender in contenders})
    deadline = time.perf_counter() + seconds
    for number in range(rounds[1]):
        if number >= rounds[0] and time.perf_counter() > deadline:
            break
        first = number % len(contenders)
        for contender in [*contenders[first:], *contenders[:first]]:
            contender.prepare()
            contender.run()  # fills the caches and wakes the threads
            count = repeats[contender.name]
            start = time.perf_counter()
            for _ in range(count):
                contender.run()
            times.wall[contender.name].append((time.perf_counter() - start) / count)
    return times


def available_bytes() -> int:
    """Memory that can be taken without swapping."""
    for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def machine() -> dict[str, Any]:
    """What a reader must know to judge the figures."""
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "capability": torch_ops.capability(),
        "load": os.getloadavg()[0],
        "omp_wait_policy": os.environ.get("OMP_WAIT_POLICY") or "as built",
        "torch": torch.__version__,
        "kwker": kwker.__version__,
        "python": platform.python_version(),
    }


def describe(facts: dict[str, Any]) -> str:
    return (
        f"{facts['cpu']}, {facts['cores']} cores, capability {facts['capability']},"
        f" load {facts['load']:.1f}, OpenMP waits {facts['omp_wait_policy']};"
        f" torch {facts['torch']}, kwker {facts['kwker']},"
        f" Python {facts['python']}"
    )


def duration(seconds: float) -> str:
    """With three significant digits and a unit that suits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        value = seconds * factor
        if value >= 1 or unit == "us":
            digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
            return f"{value:.{digits}f} {unit}"
    raise AssertionError


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they must be; the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(c.rjust(w) for c, w in others)]).rstrip()

    return "\n".join([line(head), line(["-" * w for w in widths]), *map(line, rows)])


W = TypeVar("W")
K = TypeVar("K")


def tabulate(
    doc: str,
    head: Sequence[str],
    work: Sequence[tuple[str, W]],
    kinds: Mapping[str, K],
    line: Callable[[str, W, str, K, int, float], Sequence[str]],
    notes: Sequence[str] = (),
) -> None:
    """The command of a benchmark that measures kinds of calls on kinds of work, as a table.

    Args:
        doc: of the benchmark; the first line is shown by --help.
        line: a row of the table, from the work and the kind, both with their names, torch's
            number of threads (which is set) and the seconds to spend.
        notes: printed below the table.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="some minutes")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (default 1,2)")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only lines that match")
    args = parser.parse_args()
    print(describe(machine()), flush=True)
    lines = []
    for (what, shapes), (name, kind) in itertools.product(work, kinds.items()):
        if not re.search(args.rows, f"{what}, {name}"):
            continue
        for threads in map(int, args.threads.split(",")):
            torch.set_num_threads(threads)
            lines.append(line(what, shapes, name, kind, threads, 0.8 if args.quick else 4.0))
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(table(head, lines))
    for note in notes:
        print(note)
    print(f"load at the end {machine()['load']:.1f}")

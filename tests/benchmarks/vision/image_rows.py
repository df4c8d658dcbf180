"""What the vision benchmarks share: rows of a table, torchvision beside Kwker."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torchvision

sys.path.append(str(Path(__file__).resolve().parent.parent))
from harness import Contender, describe, duration, machine, race, table
from kwker import torch_ops


@dataclass(frozen=True)
class Row:
    """Work that is done alike by torchvision and, with Kwker installed, by Kwker."""

    work: str
    run: Callable[[], Any]


def main(rows: Sequence[Row], description: str) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rows", default="", metavar="REGEX", help="only work that it finds")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (1,2)")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each row (4)")
    options = parser.parse_args()
    print(describe(machine()), f"torchvision {torchvision.__version__}", sep="; ")
    chosen = [row for row in rows if re.search(options.rows, row.work)]
    lines = []
    for threads in map(int, options.threads.split(",")):
        torch.set_num_threads(threads)
        for row in chosen:
            lines.append([row.work, str(threads), *_times(row, options.seconds)])
    print(table(["work", "threads", "torchvision", "Kwker", "ratio"], lines))


def _times(row: Row, seconds: float) -> list[str]:
    # Each turn begins with the switch, which is not timed.
    contenders = [
        Contender("torchvision", row.run, torch_ops.uninstall),
        Contender("Kwker", row.run, lambda: torch_ops.install(["vision"], verify=False)),
    ]
    times = race(contenders, seconds)
    torch_ops.uninstall()
    both = (times.median("torchvision"), times.median("Kwker"))
    return [*map(duration, both), f"{times.ratio('torchvision', 'Kwker'):.1f}x"]

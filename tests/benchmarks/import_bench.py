"""What Kwker adds to the start of a program: imports, install(), the self-check.

Every line is timed in fresh processes, the kinds in turns, by the process itself: a process with
`import torch` costs seconds of its own, which are not Kwker's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys

from harness import describe, duration, machine, table

# What is there before, what is timed, and the most it should take on a quiet machine.
ROWS: dict[str, tuple[str, str, float | None]] = {
    "import kwker, without torch": ("import sys", "import kwker", 0.020),
    "the wheel's start-up line": (
        "import sys",
        "from kwker import _startup; _startup.install_if_asked()",
        0.020,
    ),
    "import kwker.torch_ops and install()": (
        "import torch",
        "import kwker.torch_ops as sto; sto.install()",
        0.150,
    ),
    "  of which import kwker.torch_ops": ("import torch", "import kwker.torch_ops", None),
    "  of which the self-check": (
        "import torch, kwker.torch_ops as sto; from kwker._registry import FEATURES\n"
        "[f.patch.prepare() for f in FEATURES.values() if f.is_imported]",
        "[f.check() for f in FEATURES.values() if f.is_imported]",
        0.100,
    ),
    "  of which install() without it": (
        "import torch, kwker.torch_ops as sto",
        "sto.install(verify=False)",
        None,
    ),
    "install() once more": (
        "import torch, kwker.torch_ops as sto; sto.install(); sto.uninstall()",
        "sto.install()",
        None,
    ),
    "verify(), at length": ("import torch, kwker.torch_ops as sto", "sto.verify()", None),
}

TIMED = """
import time
{before}
start, cpu = time.perf_counter(), time.process_time()
{code}
print(time.perf_counter() - start, time.process_time() - cpu)
"""


def once(before: str, code: str) -> tuple[float, float]:
    """Wall and CPU seconds of `code` in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KWKER_")}
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(before=before, code=code)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=7, help="for each line (7)")
    parser.add_argument("--json", metavar="FILE", help="write all single times")
    options = parser.parse_args()

    facts = machine()
    print(describe(facts))
    print(f"medians of {options.processes} processes each\n")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ROWS}
    for before, code, _ in ROWS.values():  # brings files into memory
        once(before, code)
    for _ in range(options.processes):
        for name, (before, code, _) in ROWS.items():
            times[name].append(once(before, code))

    rows = []
    for name, (_, _, most) in ROWS.items():
        wall, cpu = zip(*times[name], strict=True)
        rows.append(
            [
                name,
                duration(statistics.median(wall)),
                duration(min(wall)),
                duration(statistics.median(cpu)),
                duration(most) if most else "",
            ]
        )
    print(table(["", "wall", "least", "CPU", "should be below"], rows))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": facts, "seconds": times}, file, indent=2)


if __name__ == "__main__":
    main()

"""Memory that a step takes beside parameters, gradients and state: torch's paths and Kwker.

    python memory_bench.py

Each contender steps in a process of its own. Counted is by how much the process's resident memory
peaks above what it was before the step, the kernel's VmHWM over VmRSS of proc(5); of several steps
the largest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
CONTENDERS = ("default", "foreach", "fused", "kwker")
OPTIMIZERS = ("SGD", "AdamW", "RMSprop", "Adagrad", "NAdam", "RAdam", "Adamax", "Adadelta", "ASGD")
STEPS = 5


def _status(key: str) -> int:
    """A line of /proc/self/status, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def step_in_this_process(contender: str, name: str, numel: int, tensors: int) -> int:
    """The peak above the memory held before, in bytes."""
    import torch

    from kwker import torch_ops

    parameters = [torch.ones(numel // tensors).requires_grad_() for _ in range(tensors)]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    flags = {contender: True} if contender in ("foreach", "fused") else {}
    options = {"lr": 1e-3} | ({"momentum": 0.9} if name == "SGD" else {})
    optimizer = getattr(torch.optim, name)(parameters, **options, **flags)
    if contender == "kwker":
        torch_ops.install()
    peaks = []
    optimizer.step()  # makes the state
    optimizer.step()  # and this the threads and what they keep
    for _ in range(STEPS):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is forgotten
        before = _status("VmRSS")
        optimizer.step()
        peaks.append(_status("VmHWM") - before)
    return max(peaks)


def measure(contender: str, name: str, numel: int, tensors: int) -> int | None:
    """The same in a process of its own; None where torch has no such path."""
    arguments = ["--one", contender, name, str(numel), str(tensors)]
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"MALLOC_TRIM_THRESHOLD_": "0"},  # what is freed is given back
    )
    return int(done.stdout) if done.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        contender, name, numel, tensors = args.one
        print(step_in_this_process(contender, name, int(numel), int(tensors)))
        return
    from harness import table

    lines = []
    for numel, tensors in ((10_000_000, 1), (10_000_000, 100)):
        for name in OPTIMIZERS:
            peaks = [measure(contender, name, numel, tensors) for contender in CONTENDERS]
            cells = ["-" if peak is None else f"{peak / 1e6:.1f}" for peak in peaks]
            lines.append([name, f"{numel:,} in {tensors}", *cells])
    print("MB a step takes beside parameters, gradients and state")
    print(table(["optimizer", "parameters", *CONTENDERS], lines))


if __name__ == "__main__":
    main()

"""Steps of the optimizers beside Adam and SGD: torch's paths beside Kwker.

    python optim_more_bench.py --quick

Contenders step the same parameters. Columns and notes are those of optim_bench.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch.optim import ASGD, Adadelta, Adagrad, Adamax, NAdam, Optimizer, RAdam, RMSprop, Rprop

sys.path.append(str(Path(__file__).resolve().parent.parent))
from optim_bench import Kind, Row, Shapes, transformer_shapes

from harness import Contender, Times, duration, race, tabulate
from kwker import torch_ops

KINDS = [
    Kind("RMSprop", lambda p: RMSprop(p, lr=1e-4), 1),
    Kind(
        "RMSprop centered, momentum",
        lambda p: RMSprop(p, lr=1e-4, momentum=0.9, centered=True),
        3,
    ),
    Kind("Adagrad", lambda p: Adagrad(p, lr=1e-4), 1),
    Kind("NAdam", lambda p: NAdam(p, lr=1e-4), 2),
    Kind("RAdam", lambda p: RAdam(p, lr=1e-4), 2),
    Kind("Adamax", lambda p: Adamax(p, lr=1e-4), 2),
    Kind("Adadelta", lambda p: Adadelta(p, lr=1e-4), 2),
    Kind("ASGD", lambda p: ASGD(p, lr=1e-4), 1),
    Kind("Rprop", lambda p: Rprop(p, lr=1e-4), 2),
]
WORK: list[tuple[str, Shapes]] = [
    ("4 tensors of 50", [(50,)] * 4),
    ("400 tensors of 64", [(64,)] * 400),
    ("1.3M in 52 tensors", transformer_shapes(4, 160, 256, 128)),
    ("1 tensor of 10,000,000", [(10_000_000,)]),
]


def make(row: Row) -> Optimizer:
    """With a gradient everywhere, and state: RAdam's past the steps that it takes otherwise."""
    rng = torch.Generator().manual_seed(0)
    parameters = [torch.randn(shape, generator=rng).requires_grad_() for shape in row.shapes]
    for parameter in parameters:
        parameter.grad = torch.randn(parameter.shape, generator=rng).mul_(0.01)
    optimizer = row.kind.make(parameters)
    for _ in range(6):
        optimizer.step()
    return optimizer


def measure(row: Row, seconds: float) -> Times:
    optimizer = make(row)
    group = optimizer.param_groups[0]

    def choose(kwker: bool, **flags: bool) -> Callable[[], None]:
        def prepare() -> None:
            if kwker:
                torch_ops.install(verify=False)
            else:
                torch_ops.uninstall()
            group.update(dict.fromkeys(paths) | flags)

        return prepare

    paths = [name for name in ("foreach", "fused") if name in group]
    contenders = [
        Contender("default", optimizer.step, choose(False)),
        *(Contender(name, optimizer.step, choose(False, **{name: True})) for name in paths),
        Contender("kwker", optimizer.step, choose(True)),
    ]
    with torch_ops.installed(verify=False):
        torch_ops.reset_stats()
        optimizer.step()
        if sum(feature["calls"] for feature in torch_ops.stats().values()) != 1:
            sys.exit(f"Kwker does not take {row.kind.name}: {torch_ops.stats()}")
    times = race(contenders, seconds, rounds=(5, 400))
    torch_ops.uninstall()
    return times


HEAD = [
    "work", "optimizer", "threads", "default", "foreach", "fused", "kwker",
    "x default", "x foreach", "x fused", "GB/s",
]  # fmt: skip


def line(work: str, shapes: Shapes, _: str, kind: Kind, threads: int, seconds: float) -> list[str]:
    row = Row(work, kind, shapes)
    times = measure(row, seconds)
    names = ("default", "foreach", "fused", "kwker")
    moved = row.moved / times.median("kwker") / 1e9
    return [
        work,
        kind.name,
        str(threads),
        *(duration(times.median(n)) if n in times.wall else "-" for n in names),
        *(f"{times.ratio(n, 'kwker'):.2f}" if n in times.wall else "-" for n in names[:3]),
        f"{moved:.1f}" if row.numel >= 1000 else "-",
    ]


if __name__ == "__main__":
    tabulate(__doc__, HEAD, WORK, {kind.name: kind for kind in KINDS}, line)

"""Optimizer steps: torch's default, foreach=True and fused=True, Kwker, and the machine's limit.

    python optim_bench.py --quick
    python optim_bench.py --json optim.json

All contenders step the same parameters, so they share memory and caches. "limit" is the time in
which Kwker's own loop without arithmetic reads and writes the very same arrays, with the same
threads: gradients read, parameters and state read and written. GB/s counts these bytes.

On a busy machine the threads of torch's OpenMP spin for each other; OMP_WAIT_POLICY=passive in the
environment makes figures for two threads steadier.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer

sys.path.append(str(Path(__file__).resolve().parent.parent))
from harness import Contender, Times, available_bytes, describe, duration, machine, race, table
from kwker import _C, torch_ops

Shapes = list[tuple[int, ...]]


@dataclass(frozen=True)
class Kind:
    """An optimizer as users set it up, and the arrays it keeps for each parameter."""

    name: str
    make: Callable[[list[Tensor]], Optimizer]
    states: int
    first_step: bool = False  # without the state of earlier ones


ADAMW = Kind("AdamW", lambda p: AdamW(p, lr=1e-4, weight_decay=0.01), 2)
ADAM = Kind("Adam", lambda p: Adam(p, lr=1e-4), 2)
ADAM_BETA1_ZERO = Kind("Adam beta1=0", lambda p: Adam(p, lr=1e-4, betas=(0.0, 0.99)), 2)
AMSGRAD = Kind("AdamW amsgrad", lambda p: AdamW(p, lr=1e-4, amsgrad=True), 3)
SGD_PLAIN = Kind("SGD", lambda p: SGD(p, lr=1e-4), 0)
SGD_MOMENTUM = Kind(
    "SGD momentum, decay", lambda p: SGD(p, lr=1e-4, momentum=0.9, weight_decay=5e-4), 1
)
SGD_FIRST = Kind("SGD momentum, first", lambda p: SGD(p, lr=1e-4, momentum=0.9), 1, first_step=True)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    kind: Kind
    shapes: Shapes
    dtype: torch.dtype = torch.float32

    @property
    def numel(self) -> int:
        return sum(_product(shape) for shape in self.shapes)

    @property
    def footprint(self) -> int:
        """Bytes of parameters, gradients and state."""
        return self.dtype.itemsize * self.numel * (2 + self.kind.states)

    @property
    def moved(self) -> int:
        """Bytes that a step in one pass reads and writes."""
        return self.dtype.itemsize * self.numel * (3 + 2 * self.kind.states)


def _product(shape: Sequence[int]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def transformer_shapes(layers: int, width: int, vocabulary: int, context: int) -> Shapes:
    """GPT-2's parameters, the head tied to the embedding: 12 tensors a layer and 4 more."""
    layer: Shapes = [
        (width,), (width,), (width, 3 * width), (3 * width,), (width, width), (width,),
        (width,), (width,), (width, 4 * width), (4 * width,), (4 * width, width), (width,),
    ]  # fmt: skip
    return [(vocabulary, width), (context, width), *layers * layer, (width,), (width,)]


def resnet18_shapes() -> Shapes:
    """torchvision's resnet18: 62 tensors, 11,689,512 parameters."""
    shapes: Shapes = [(64, 3, 7, 7), (64,), (64,)]
    inputs = 64
    for stage, width in enumerate((64, 128, 256, 512)):
        for block in range(2):
            for k in (inputs, width):
                shapes += [(width, k, 3, 3), (width,), (width,)]
            if block == 0 and stage > 0:
                shapes += [(width, inputs, 1, 1), (width,), (width,)]
            inputs = width
    return [*shapes, (1000, 512), (1000,)]


def rows(quick: bool) -> Iterator[Row]:
    yield Row("1.3M in 52 tensors", ADAMW, transformer_shapes(4, 160, 256, 128))
    yield Row("400 tensors of 64", ADAMW, [(64,)] * 400)
    yield Row("212 in 4 tensors", ADAMW, [(14, 12), (14,), (2, 14), (2,)])
    yield Row("ResNet-18, 11.7M in 62", SGD_MOMENTUM, resnet18_shapes())
    yield Row("GPT-2 small, 124M in 148", ADAMW, transformer_shapes(12, 768, 50257, 1024))
    transformer = transformer_shapes(4, 160, 256, 128)
    yield Row("1.3M in 52, float64", ADAMW, transformer, torch.float64)
    yield Row("1.3M in 52 tensors", ADAM_BETA1_ZERO, transformer)
    yield Row("1.3M in 52 tensors", AMSGRAD, transformer)
    yield Row("ResNet-18, 11.7M in 62", SGD_FIRST, resnet18_shapes())
    yield Row("ResNet-18, float64", SGD_MOMENTUM, resnet18_shapes(), torch.float64)
    largest = 6 if quick else 8
    for kind in (SGD_PLAIN, SGD_MOMENTUM, ADAM, ADAMW):
        for power in range(0, largest + 1, 2 if quick else 1):
            yield Row(f"1 tensor of {10**power:,}", kind, [(10**power,)])


def _make(row: Row) -> Optimizer:
    rng = torch.Generator().manual_seed(0)
    parameters = [
        torch.randn(shape, generator=rng, dtype=row.dtype).requires_grad_() for shape in row.shapes
    ]
    for parameter in parameters:
        parameter.grad = torch.randn(parameter.shape, generator=rng, dtype=row.dtype).mul_(0.01)
    optimizer = row.kind.make(parameters)
    optimizer.step()  # makes the state
    return optimizer


def _arrays(optimizer: Optimizer) -> tuple[list[Tensor], list[list[Tensor]]]:
    """The gradients, and what a step reads and writes back: parameters and state."""
    parameters = optimizer.param_groups[0]["params"]
    states = [
        [
            value
            for name, value in optimizer.state[p].items()
            if name != "step" and value is not None
        ]
        for p in parameters
    ]
    updated = [[p.detach() for p in parameters], *map(list, zip(*states, strict=True))]
    return [p.grad for p in parameters], updated


def measure(row: Row, seconds: float, least_rounds: int) -> Times:
    optimizer = _make(row)
    group = optimizer.param_groups[0]
    grads, updated = _arrays(optimizer)

    def choose(kwker: bool, **flags: bool | None) -> Callable[[], None]:
        def prepare() -> None:
            if kwker:
                torch_ops.install(verify=False)
            else:
                torch_ops.uninstall()
            group.update({"foreach": None, "fused": None} | flags)

        return prepare

    def first_step() -> None:
        optimizer.state.clear()
        optimizer.step()

    step = first_step if row.kind.first_step else optimizer.step
    contenders = [
        Contender("default", step, choose(False)),
        Contender("foreach", step, choose(False, foreach=True)),
        Contender("fused", step, choose(False, fused=True)),
        Contender("kwker", step, choose(True)),
        Contender("limit", lambda: _C.optim_traffic(grads, updated)),
    ]
    times = race(contenders, seconds, rounds=(least_rounds, 400))
    torch_ops.uninstall()
    return times


HEAD = [
    "work", "optimizer", "threads", "default", "foreach", "fused", "kwker", "limit",
    "x default", "x foreach", "x fused", "% limit", "GB/s",
]  # fmt: skip


def cells(row: Row, threads: int, times: Times) -> list[str]:
    kwker = times.median("kwker")
    return [
        row.work,
        row.kind.name,
        str(threads),
        *(duration(times.median(n)) for n in ("default", "foreach", "fused", "kwker", "limit")),
        *(f"{times.ratio(n, 'kwker'):.2f}" for n in ("default", "foreach", "fused")),
        f"{100 * times.ratio('limit', 'kwker'):.0f}" if row.numel >= 100_000 else "-",
        f"{row.moved / kwker / 1e9:.1f}" if row.numel >= 1000 else "-",
    ]


def check_that_kwker_steps(row: Row) -> None:
    """A benchmark of torch against itself would be embarrassing."""
    optimizer = _make(Row(row.work, row.kind, [(3,)], row.dtype))
    with torch_ops.installed(verify=False):
        torch_ops.reset_stats()
        optimizer.step()
        calls = sum(feature["calls"] for feature in torch_ops.stats().values())
    if calls != 1:
        sys.exit(f"Kwker does not take {row.kind.name}: {torch_ops.stats()}")


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="about two minutes, without 10^8")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (default 1,2)")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only lines that match")
    parser.add_argument("--seconds", type=float, help="time for a line (default 0.8 or 4)")
    return parser.parse_args()


def main() -> None:
    args = parse_args()
    seconds = args.seconds or (0.8 if args.quick else 4.0)
    facts = machine()
    print(describe(facts), flush=True)
    lines: list[list[str]] = []
    records: list[dict[str, Any]] = []
    slower: list[str] = []
    for row in rows(args.quick):
        name = f"{row.work}, {row.kind.name}"
        if args.rows and not re.search(args.rows, name):
            continue
        if available_bytes() < 3 * row.footprint:
            print(f"left out, too little memory: {name}")
            continue
        check_that_kwker_steps(row)
        for threads in map(int, args.threads.split(",")):
            torch.set_num_threads(threads)
            times = measure(row, seconds, least_rounds=3 if args.quick else 7)
            lines.append(cells(row, threads, times))
            best = min(times.ratio(n, "kwker") for n in ("default", "foreach", "fused"))
            if best < 1:
                slower.append(f"{name}, {threads} threads: {best:.2f}")
            records.append(
                {
                    "work": row.work,
                    "optimizer": row.kind.name,
                    "threads": threads,
                    "parameters": row.numel,
                    "tensors": len(row.shapes),
                    "moved_bytes": row.moved,
                    "times": times.summary(),
                    "ratios": {n: times.ratio(n, "kwker") for n in times.wall if n != "kwker"},
                }
            )
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(table(HEAD, lines))
    print(f"load at the end {machine()['load']:.1f}")
    print("slower than the best of torch's three: " + ("; ".join(slower) or "nowhere"))
    if args.json:
        document = {"machine": facts, "load_at_end": machine()["load"], "rows": records}
        args.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What training loops call beside step(): torch's code beside Kwker.

    python loop_bench.py --quick

Averaged models by each of torch's averaging functions, gradients reset to zero and to None,
and gradient norms, with a factor that changes the gradients and without.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD, swa_utils
from torch.optim.swa_utils import AveragedModel

sys.path.append(str(Path(__file__).resolve().parent.parent))
from optim_bench import Shapes, transformer_shapes

from harness import Contender, duration, race, tabulate
from kwker import torch_ops

WORK: list[tuple[str, Shapes]] = [
    ("4 tensors of 50", [(50,)] * 4),
    ("400 tensors of 64", [(64,)] * 400),
    ("1.3M in 52 tensors", transformer_shapes(4, 160, 256, 128)),
    ("1 tensor of 10,000,000", [(10_000_000,)]),
]


@dataclass
class Loop:
    """A model with gradients."""

    model: nn.Module
    parameters: list[nn.Parameter]
    gradients: list[Tensor]

    @staticmethod
    def of(shapes: Shapes) -> Loop:
        rng = torch.Generator().manual_seed(0)
        parameters = [nn.Parameter(torch.randn(shape, generator=rng)) for shape in shapes]
        gradients = [torch.randn(shape, generator=rng).mul_(0.01) for shape in shapes]
        # In pairs, as weights and biases are.
        model = nn.Sequential()
        for i in range(0, len(parameters), 2):
            model.append(nn.ParameterList(parameters[i : i + 2]))
        loop = Loop(model, parameters, gradients)
        loop.put()
        return loop

    def put(self) -> None:
        """Gives the parameters their gradients."""
        for parameter, gradient in zip(self.parameters, self.gradients, strict=True):
            parameter.grad = gradient


def average(**rule: Any) -> Callable[[Loop], Callable[[], object]]:
    def make(loop: Loop) -> Callable[[], object]:
        averaged = AveragedModel(loop.model, **rule)
        averaged.update_parameters(loop.model)
        return lambda: averaged.update_parameters(loop.model)

    return make


def zero(loop: Loop) -> Callable[[], object]:
    optimizer = SGD(loop.parameters, lr=0.1)
    return lambda: optimizer.zero_grad(set_to_none=False)


def zero_module(loop: Loop) -> Callable[[], object]:
    return lambda: loop.model.zero_grad(set_to_none=False)


def drop(loop: Loop) -> Callable[[], object]:
    optimizer = SGD(loop.parameters, lr=0.1)

    def run() -> None:
        loop.put()
        optimizer.zero_grad()

    return run


def drop_module(loop: Loop) -> Callable[[], object]:
    def run() -> None:
        loop.put()
        loop.model.zero_grad()

    return run


def clip(max_norm: float) -> Callable[[Loop], Callable[[], object]]:
    return lambda loop: lambda: clip_grad_norm_(loop.parameters, max_norm)


KINDS: dict[str, Callable[[Loop], Callable[[], object]]] = {
    "average, default": average(),
    "average, EMA": average(avg_fn=swa_utils.get_ema_avg_fn()),
    "average, EMA multi": average(multi_avg_fn=swa_utils.get_ema_multi_avg_fn()),
    "average, SWA multi": average(multi_avg_fn=swa_utils.get_swa_multi_avg_fn()),
    "zero_grad(False)": zero,
    "zero_grad(False), module": zero_module,
    "zero_grad() *": drop,
    "zero_grad() *, module": drop_module,
    "clip, below the norm": clip(0.5),
    "clip, norm alone": clip(float("inf")),
}


def line(
    work: str,
    shapes: Shapes,
    name: str,
    run: Callable[[Loop], Callable[[], object]],
    threads: int,
    seconds: float,
) -> list[str]:
    """Medians of torch's time and Kwker's, and their ratio."""
    call = run(Loop.of(shapes))
    times = race(
        [
            Contender("torch", call, torch_ops.uninstall),
            Contender("kwker", call, lambda: torch_ops.install(verify=False)),
        ],
        seconds,
        rounds=(5, 400),
    )
    torch_ops.uninstall()
    before, after = times.median("torch"), times.median("kwker")
    ratio = times.ratio("torch", "kwker")
    return [work, name, str(threads), duration(before), duration(after), f"{ratio:.2f}"]


if __name__ == "__main__":
    tabulate(
        __doc__,
        ["work", "call", "threads", "torch", "kwker", "x"],
        WORK,
        KINDS,
        line,
        ["* with the gradients given back before each call, which is measured with it"],
    )

"""What would be accelerated of an optimizer, a module or a function, and why the rest not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import nn

from kwker._registry import FEATURES


class Explanation(NamedTuple):
    """One part of what was asked about."""

    part: str  # "AdamW.step(), group 0: 52 tensors, 1,306,600 elements"
    feature: str  # "" where no feature covers it
    served: bool  # whether a call now would be Kwker's
    reason: str  # why not

    def __str__(self) -> str:
        if self.served:
            return f"{self.part}: accelerated by {self.feature}"
        by = f" ({self.feature})" if self.feature else ""
        return f"{self.part}: torch's own code{by}: {self.reason}"


def explain(target: object) -> list[Explanation]:
    """See `kwker.torch_ops.explain`."""
    if isinstance(target, torch.optim.Optimizer):
        return list(_optimizer(target))
    if isinstance(target, nn.Module):
        return [Explanation(type(target).__name__, "", False, "no feature covers modules yet")]
    if callable(target):
        return list(_function(target))
    raise TypeError(f"explain() takes an optimizer, a module or a function, not {target!r:.80}")


def _function(function: object) -> Iterator[Explanation]:
    name = getattr(function, "__qualname__", repr(function))
    found = False
    for feature in FEATURES.values():
        if feature.is_imported and feature.patch.stands_for(function):
            found = True
            on = feature.state == "on"
            yield Explanation(name, feature.name, on, "" if on else f"it is {feature.state}")
    if not found:
        yield Explanation(name, "", False, "no feature stands for it")


def _optimizer(optimizer: torch.optim.Optimizer) -> Iterator[Explanation]:
    from kwker import _explain_optim

    optimizer = _explain_optim.unwrapped(optimizer)
    kind = type(optimizer).__name__
    for i, group in enumerate(optimizer.param_groups):
        params = group["params"]
        elements = sum(p.numel() for p in params)
        part = f"{kind}.step(), group {i}: {len(params)} tensors, {elements:,} elements"
        name, reason = _explain_optim.reason(optimizer, group)
        if name and not reason and FEATURES[name].state != "on":
            reason = f"it is {FEATURES[name].state}"
        yield Explanation(part, name, not reason, reason)

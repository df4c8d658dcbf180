"""What would be accelerated of an optimizer, a module or a function, and why the rest not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import nn

from kwker._coverage import (
    Container,
    Covered,
    changed_method,
    container_of,
    covered_of,
    leading_of,
)
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
    if isinstance(target, nn.Module) or container_of(target) or covered_of(target):
        return list(_module(target))
    if callable(target):
        return list(_function(target))
    raise TypeError(f"explain() takes an optimizer, a module or a function, not {target!r:.80}")


# They do nothing but call or hold their children.
_HOLDERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)


def _module(target: object) -> Iterator[Explanation]:
    """What is known of, part by part; then the kinds of modules that no feature covers."""
    others: Counter[str] = Counter()
    explained = list(_parts(target, "", others))
    yield from explained
    if not explained and not others:  # an empty container
        others[type(target).__name__] = 1
    for kind, number in others.items():
        part = kind if number == 1 else f"{kind} ({number} of them)"
        yield Explanation(part, "", False, "no feature covers it")


def _parts(target: object, place: str, others: Counter[str]) -> Iterator[Explanation]:
    """Explains what can be; counts the kinds of all other modules."""
    name = type(target).__name__
    container, covered = container_of(target), covered_of(target)
    if container is not None:
        yield from _steps(target, container, f"{place}{name}", others)
    elif covered is not None and not covered.method:
        yield _served(target, covered, f"{place}{name}")
    elif place:
        yield Explanation(f"{place}{_called(target)}", "", False, "no feature covers it")
    elif isinstance(target, nn.Module):
        children = list(target.children())
        if covered is not None:
            yield _served(target, covered, f"{name}.{covered.method}()")
        elif not (children and _only_holds(target)) and type(target) not in _HOLDERS:
            others[name] += 1
        for child in children:
            yield from _parts(child, "", others)


def _only_holds(module: nn.Module) -> bool:
    """Whether there is nothing to say of the module itself: its children do torch's work."""
    return not type(module).__module__.startswith("torch.")


def _steps(
    target: object, container: Container, place: str, others: Counter[str]
) -> Iterator[Explanation]:
    parts = list(container.parts(target))
    numbers = [1] * len(parts)
    if container.fused is not None and _state(container.feature) == "on":
        numbers = list(container.fused(target))
    first = 0
    for number in numbers:
        here = parts[first : first + number]
        if number == 1:
            yield from _parts(here[0], f"{place}, step {first}: ", others)
        else:
            names = ", ".join(_called(part) for part in here)
            steps = f"{place}, steps {first} to {first + number - 1} at one go: {names}"
            yield Explanation(steps, container.feature, True, "")
        first += number


def _served(part: object, covered: Covered, place: str) -> Explanation:
    reason = ""
    cls = covered.of.cls
    assert cls is not None
    changed = changed_method(part, cls, covered.methods)
    if changed:
        reason = f"{type(part).__name__} has a {changed}() of its own"
    else:
        reason = covered.why_not(part)
    reason = reason or _why_off(covered.feature)
    described = place if reason else f"{place} of {covered.inputs}"
    return Explanation(described, covered.feature, not reason, reason)


def _state(feature: str) -> str:
    return FEATURES[feature].state


def _why_off(name: str) -> str:
    """Why no call is served, whatever it is given; "" if calls are."""
    feature = FEATURES[name]
    if feature.state != "on":
        return f"it is {feature.state}"
    obstacle = feature.obstacle() if feature.counters.unchecked else ""
    return f"it cannot be compared with torch as long as {obstacle}" if obstacle else ""


def _called(part: object) -> str:
    """What people call it: its class, or a function's own name."""
    return getattr(part, "__qualname__", type(part).__name__)


def _function(function: object) -> Iterator[Explanation]:
    name = getattr(function, "__qualname__", repr(function))
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.optim.Optimizer) and getattr(function, "__name__", "") == "step":
        yield from _optimizer(owner)
        return
    function = getattr(function, "__func__", function)  # of a method
    found = False
    for feature in FEATURES.values():
        if feature.is_imported and feature.patch.stands_for(function):
            found = True
            reason = _why_off(feature.name)
            yield Explanation(name, feature.name, not reason, reason)
    for leading in leading_of(function):
        found = True
        reason = leading.why_not() or _why_off(leading.feature)
        described = name if reason else f"{name} of {leading.inputs}"
        yield Explanation(described, leading.feature, not reason, reason)
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
        if name and not reason:
            reason = _why_off(name)
        yield Explanation(part, name, not reason, reason)

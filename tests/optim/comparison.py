"""Runs a scenario without and with Kwker and compares everything it returns.

A scenario is a function without arguments that builds its tensors from fixed seeds, does
something with an optimizer and returns what is to be compared: tensors, numbers, strings, and
lists, tuples and dicts of them. An exception is an outcome like any other: type and text must
agree, and `Outcome.during` tells what had been changed by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from bits import Picture
from kwker import torch_ops

Scenario = Callable[[], object]


class By(Enum):
    """Whose code is to do the steps when Kwker is installed."""

    KWKER = "each by Kwker"
    KWKER_LATER = "each by Kwker, perhaps but the first"
    TORCH = "each by torch, because Kwker declined"
    UNSEEN = "each by torch, without Kwker being asked"
    MIXED = "some by each"
    ANY = "whoever"


@dataclass
class Count:
    """How much has been compared in this process."""

    scenarios: int = 0
    tensors: int = 0
    elements: int = 0
    calls: int = 0
    fallbacks: int = 0


COUNT = Count()


@dataclass
class Outcome:
    """What a scenario left behind."""

    result: dict[str, object]
    error: tuple[str, str] | None


# Features of the group "optim" that do no steps.
BESIDE_STEPS = ("optim.clip_grad_norm", "optim.ema", "optim.zero_grad")


@dataclass
class Steps:
    """What Kwker's counters say about the optimizers' steps, or another feature's calls."""

    calls: int = 0
    fallbacks: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def counted(of: str | None = None) -> Steps:
        steps = Steps()
        for name, feature in torch_ops.stats().items():
            is_step = name.startswith("optim.") and name not in BESIDE_STEPS
            if name == of or (of is None and is_step):
                steps.calls += feature["calls"]
                for reason, number in feature["fallbacks"].items():
                    steps.fallbacks[reason] = steps.fallbacks.get(reason, 0) + number
        return steps

    def check(self, by: By) -> None:
        declined = sum(self.fallbacks.values())
        allowed = {
            By.KWKER: self.calls > 0 and declined == 0,
            By.KWKER_LATER: self.calls > 0 and declined <= 1,
            By.TORCH: self.calls == 0 and declined > 0,
            By.UNSEEN: self.calls == 0 and declined == 0,
            By.MIXED: self.calls > 0 and declined > 0,
            By.ANY: True,
        }
        assert allowed[by], f"it should be done {by.value}, but: {self}"


def optimizer_state(optimizer: Optimizer) -> dict[str, object]:
    """Parameters, gradients, state and options of an optimizer, in order."""
    found: dict[str, object] = {}
    for g, group in enumerate(optimizer.param_groups):
        found[f"group{g}"] = {k: v for k, v in group.items() if k != "params"}
        for i, parameter in enumerate(group["params"]):
            name = f"group{g}.param{i}"
            found[name] = parameter
            found[f"{name}.grad"] = parameter.grad
            # get: the state is a defaultdict, and looking must not change it
            found[f"{name}.state"] = dict(optimizer.state.get(parameter, {}))
    found["states"] = len(optimizer.state)
    return found


def _flatten(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Tensor):
        yield path, Picture.of(value)
    elif isinstance(value, Optimizer):
        yield from _flatten(optimizer_state(value), path)
    elif isinstance(value, Mapping):
        yield f"{path}:keys", [str(key) for key in value]
        for key, item in value.items():
            yield from _flatten(item, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        yield f"{path}:length", len(value)
        for i, item in enumerate(value):
            yield from _flatten(item, f"{path}[{i}]")
    else:
        yield path, repr(value)


class Interrupted(Exception):
    """Raised by `with_state` around an error, to carry what it left behind."""

    def __init__(self, cause: Exception, left: object) -> None:
        super().__init__(str(cause))
        self.cause, self.left = cause, left


def with_state(action: Callable[[], Any], *left: object) -> object:
    """Does the action; whether it raises or not, `left` is compared afterwards."""
    try:
        return action(), left
    except Exception as error:
        raise Interrupted(error, left) from error


def observe(scenario: Scenario) -> Outcome:
    error: tuple[str, str] | None = None
    result: object = None
    try:
        result = scenario()
    except Interrupted as interrupted:
        cause = interrupted.cause
        error, result = (type(cause).__name__, str(cause)), interrupted.left
    except Exception as cause:
        error = (type(cause).__name__, str(cause))
    return Outcome(dict(_flatten(result, "result")), error)


def differences_of(expected: Outcome, actual: Outcome) -> list[str]:
    """One line for each place where Kwker's outcome is not torch's."""
    differences: list[str] = []
    if expected.error != actual.error:
        differences.append(f"torch raised {expected.error}, Kwker {actual.error}")
    if list(expected.result) != list(actual.result):
        differences.append("other names are left behind")
    for name, value in expected.result.items():
        other = actual.result.get(name)
        if isinstance(value, Picture) and isinstance(other, Picture):
            COUNT.tensors += 1
            COUNT.elements += len(value.bits)
            difference = value.difference(other)
            if difference:
                differences.append(f"{name}: {difference}")
        elif value != other:
            differences.append(f"{name}: {value!r} != {other!r}")
    return differences


def assert_same(scenario: Scenario, by: By = By.KWKER, of: str | None = None) -> Outcome:
    """Runs the scenario both ways; returns the outcome that both have.

    Raises AssertionError if anything differs, or if the steps (the calls of the feature `of`, if
    that is given) were not done as `by` says.
    """
    expected = observe(scenario)
    with torch_ops.installed(verify=False):
        torch_ops.reset_stats()
        actual = observe(scenario)
        steps = Steps.counted(of)

    differences = differences_of(expected, actual)
    shown = "\n  ".join(differences[:20])
    assert not differences, f"{len(differences)} differences (torch != Kwker)\n  {shown}"

    steps.check(by)
    COUNT.scenarios += 1
    COUNT.calls += steps.calls
    COUNT.fallbacks += sum(steps.fallbacks.values())
    return expected


def assert_succeeds_same(scenario: Scenario, by: By = By.KWKER, of: str | None = None) -> Outcome:
    """As assert_same, for scenarios that are not meant to raise."""
    outcome = assert_same(scenario, by, of)
    assert outcome.error is None, f"the scenario itself failed: {outcome.error}"
    return outcome


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)

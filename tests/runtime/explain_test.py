"""explain(): what it says is what a step then does."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

import kwker.torch_ops as sto

FUSED = "fused=True was asked for; without it a float32 step by Kwker is as fast or faster"


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    sto.install()
    sto.reset_stats()
    yield
    sto.uninstall()


CASES: list[tuple[type[torch.optim.Optimizer], dict[str, Any], str, str]] = [
    (torch.optim.AdamW, {}, "optim.adamw", ""),
    (torch.optim.Adam, {"weight_decay": 0.1}, "optim.adam", ""),
    (torch.optim.Adam, {"amsgrad": True}, "optim.adam", ""),
    (torch.optim.Adam, {"betas": (0.0, 0.9)}, "optim.adam", ""),
    (torch.optim.AdamW, {"fused": True}, "optim.adamw", FUSED),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}, "optim.sgd", ""),
    (torch.optim.SGD, {"lr": 0.1, "fused": True}, "optim.sgd", FUSED),
    (
        torch.optim.SGD,
        {"lr": torch.tensor(0.1)},
        "optim.sgd",
        "a hyperparameter is not a plain number",
    ),
]


@pytest.mark.parametrize(("kind", "options", "feature", "reason"), CASES)
@pytest.mark.parametrize("stepped", [False, True])
def test_says_what_a_step_does(
    kind: Any, options: dict[str, Any], feature: str, reason: str, stepped: bool
) -> None:
    model = nn.Linear(3, 4)
    optimizer = kind(model.parameters(), **options)
    model(torch.ones(2, 3)).sum().backward()
    if stepped:
        optimizer.step()
        sto.reset_stats()
    before = [p.detach().clone() for p in model.parameters()]
    (said,) = sto.explain(optimizer)
    assert (said.feature, said.served, said.reason) == (feature, not reason, reason)
    assert "group 0: 2 tensors, 16 elements" in said.part
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    assert sto.stats()[feature]["fallbacks"] == {}
    optimizer.step()
    counts = sto.stats()[feature]
    assert counts["calls"] == int(not reason)
    assert list(counts["fallbacks"]) == ([reason] if reason else [])


def test_before_there_are_gradients_and_group_by_group() -> None:
    model = nn.Linear(3, 4)
    groups: list[dict[str, Any]] = [
        {"params": [model.weight]},
        {"params": [model.bias], "fused": True},
    ]
    first, second = sto.explain(torch.optim.AdamW(groups))
    assert str(first) == "AdamW.step(), group 0: 1 tensors, 12 elements: accelerated by optim.adamw"
    assert str(second) == (
        f"AdamW.step(), group 1: 1 tensors, 4 elements: torch's own code (optim.adamw): {FUSED}"
    )


@pytest.mark.parametrize("name", ["optimizer", "optim"])
@pytest.mark.parametrize("base", [torch.optim.Optimizer, torch.optim.AdamW])
def test_looks_into_the_wrappers_of_frameworks(
    name: str, base: type[torch.optim.Optimizer]
) -> None:
    """Accelerate's, Lightning's, ZeRO's: optimizers too, some even of the inner one's type."""

    class Wrapper(base):  # type: ignore[misc, valid-type]
        def __init__(self, inner: torch.optim.Optimizer) -> None:
            self.__dict__.update({name: inner, "param_groups": inner.param_groups})

        def step(self, closure: Any = None) -> Any:
            return getattr(self, name).step(closure)

    inner = torch.optim.AdamW([torch.ones(2, requires_grad=True)])
    (said,) = sto.explain(Wrapper(Wrapper(inner)))
    assert str(said) == ("AdamW.step(), group 0: 1 tensors, 2 elements: accelerated by optim.adamw")


def test_says_that_a_feature_is_off() -> None:
    sto.disable("optim.sgd")
    (said,) = sto.explain(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1))
    assert (said.feature, said.reason) == ("optim.sgd", "it is off by user")


def test_other_optimizers_subclasses_modules_and_functions() -> None:
    class Own(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            return super().step(closure)

    parameter = torch.ones(1, requires_grad=True)
    assert sto.explain(torch.optim.LBFGS([parameter]))[0].reason == (
        "no feature covers this optimizer"
    )
    assert sto.explain(Own([parameter], lr=0.1))[0].reason == "Own has a step() of its own"
    assert not sto.explain(nn.Linear(1, 1))[0].served
    function = importlib.import_module("torch.optim.sgd").sgd
    assert sto.explain(function)[0].feature == "optim.sgd"
    assert sto.explain(torch.add)[0].reason == "no feature stands for it"
    with pytest.raises(TypeError, match="explain"):
        sto.explain(3)


def test_functions_that_lead_to_what_is_replaced_and_methods() -> None:
    model = nn.Linear(3, 4)
    optimizer = torch.optim.SGD(model.parameters())
    for target, expected in (
        (
            nn.utils.clip_grad_norm_,
            "clip_grad_norm_ of float32 gradients, by their Euclidean norm: "
            "accelerated by optim.clip_grad_norm",
        ),
        (optimizer.zero_grad, "Optimizer.zero_grad: accelerated by optim.zero_grad"),
        (model.zero_grad, "Module.zero_grad: accelerated by optim.zero_grad"),
    ):
        (said,) = sto.explain(target)
        assert str(said) == expected
    sto.disable("optim.clip_grad_norm")
    (said,) = sto.explain(nn.utils.clip_grad_norm_)
    assert not said.served and said.reason == "it is off by user"


def test_step_itself() -> None:
    optimizer = torch.optim.AdamW(nn.Linear(3, 4).parameters())
    assert sto.explain(optimizer.step) == sto.explain(optimizer)
    (said,) = sto.explain(torch.optim.RMSprop.step)
    assert said.served and said.feature == "optim.rmsprop"


def test_averaged_models() -> None:
    averaged = torch.optim.swa_utils.AveragedModel(nn.Linear(3, 4))
    first, second = sto.explain(averaged)
    assert str(first) == (
        "AveragedModel.update_parameters() of float32 and float64 parameters: "
        "accelerated by optim.ema"
    )
    assert second.part == "Linear" and not second.served
    averaged = torch.optim.swa_utils.AveragedModel(nn.Linear(3, 4), avg_fn=lambda a, b, n: a)
    assert sto.explain(averaged)[0].reason == "an averaging function that is not torch's own"

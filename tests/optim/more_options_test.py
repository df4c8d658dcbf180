"""The optimizers beside Adam and SGD: options, state and calls at the edge."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch.optim import ASGD, Adadelta, Adagrad, Adamax, NAdam, Optimizer, RAdam, RMSprop, Rprop

from comparison import By, assert_same, assert_succeeds_same, with_state
from kwker import torch_ops
from kwker._registry import FEATURES
from more_tables import BRANCHES
from tables import Case, draw

CLASSES: list[type[Optimizer]] = [
    RMSprop,
    Adagrad,
    NAdam,
    RAdam,
    Adamax,
    Adadelta,
    ASGD,
    Rprop,
]

# foreach=True has the loop's results to the bit.
FOREACH_IS_EQUAL = (RMSprop, Adagrad, Adadelta, Rprop)


def _train(
    case: Case,
    steps: int = 4,
    after: Callable[[Optimizer], object] = lambda optimizer: None,
) -> object:
    parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40, 1001)]
    optimizer = case.make(parameters)

    def run() -> None:
        for step in range(steps):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, seed=step + 1)
            optimizer.step()
            after(optimizer)

    return with_state(run, optimizer)


@pytest.mark.parametrize(
    "case",
    [Case(cls, {"foreach": True}) for cls in CLASSES if cls not in FOREACH_IS_EQUAL]
    + [Case(cls, {"lr": torch.tensor(0.01)}) for cls in CLASSES if cls is not Rprop]
    + [Case(Adagrad, {"fused": True})]
    + [Case(Adagrad, {"lr_decay": torch.tensor(0.1)}), Case(RMSprop, {"eps": torch.tensor(0.1)})],
    ids=str,
)
def test_torchs_other_paths(case: Case) -> None:
    assert_succeeds_same(lambda: _train(case), By.TORCH)


@pytest.mark.parametrize(
    "case",
    [Case(cls, {"foreach": False}) for cls in CLASSES]
    + [Case(Adagrad, {"foreach": False, "fused": False})]
    + [Case(c.cls, c.options | {"foreach": True}) for c in BRANCHES if c.cls in FOREACH_IS_EQUAL],
    ids=str,
)
def test_paths_with_the_same_results(case: Case) -> None:
    assert_succeeds_same(lambda: _train(case))


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("lr", [0, 0.0])
@pytest.mark.parametrize("cls", CLASSES)
def test_signs_of_zero_at_learning_rate_zero(cls: Any, lr: float, foreach: bool) -> None:
    """torch's paths negate at different places, and the int 0 has no sign."""

    def scenario() -> object:
        parameter = torch.tensor([-0.0, -0.0, 0.0, 0.0, 1.0]).requires_grad_()
        optimizer = cls([parameter], lr=lr, foreach=foreach)
        for sign in (1.0, -1.0):
            parameter.grad = sign * torch.tensor([1.0, -1.0, 1.0, -1.0, 2.0])
            optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.ANY)


@pytest.mark.parametrize("cls", CLASSES)
def test_a_group_without_gradients_is_not_counted(cls: type[Optimizer]) -> None:
    def scenario() -> object:
        optimizer = cls([draw((5,)).requires_grad_()])  # type: ignore[call-arg]
        optimizer.step()
        return optimizer

    assert_succeeds_same(scenario, By.UNSEEN)


NUMBERS = [np.float64(0.013), np.float32(0.013), np.int64(1), True, 1, 0, 1e39, 1e300, 1e-320]
NAMES: dict[type[Optimizer], tuple[str, ...]] = {
    RMSprop: ("lr", "weight_decay", "alpha", "eps", "momentum"),
    Adagrad: ("lr", "weight_decay", "lr_decay", "initial_accumulator_value", "eps"),
    NAdam: ("lr", "weight_decay", "momentum_decay", "eps"),
    RAdam: ("lr", "weight_decay", "eps"),
    Adamax: ("lr", "weight_decay", "eps"),
    Adadelta: ("lr", "weight_decay", "rho", "eps"),
    ASGD: ("lr", "weight_decay", "lambd", "alpha", "t0"),
    Rprop: ("lr",),
}


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize(
    ("cls", "name"),
    [(cls, name) for cls in CLASSES for name in NAMES[cls]],
)
def test_numbers(cls: type[Optimizer], name: str, number: Any) -> None:
    with np.errstate(all="raise"):
        assert_same(lambda: _train(Case(cls, {name: number})), By.ANY)


@pytest.mark.parametrize(
    "change",
    [
        {"lr": -0.1},
        {"lr": None},
        {"lr": float("nan")},
        {"lr": 1j},
        {"weight_decay": -0.1},
        {"weight_decay": float("inf")},
        {"eps": -0.0},
        {"eps": -1.0},
        {"maximize": True},
        {"maximize": 1},
        {"differentiable": True},
        {"foreach": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("cls", CLASSES)
def test_options_changed_between_steps(cls: type[Optimizer], change: dict[str, Any]) -> None:
    assert_same(
        lambda: _train(Case(cls, {}), after=lambda o: o.param_groups[0].update(change)), By.ANY
    )


@pytest.mark.parametrize(
    ("cls", "change"),
    [
        (RMSprop, {"momentum": 0.9}),  # without the state that it needs
        (RMSprop, {"centered": True}),
        (RMSprop, {"momentum": -0.9}),
        (RMSprop, {"alpha": 2.0}),
        (Adagrad, {"lr_decay": -1.0}),
        (Adagrad, {"lr_decay": -0.5}),  # divides by zero at the third step
        (Adagrad, {"fused": True}),
        *((cls, {"betas": betas}) for cls in (NAdam, RAdam, Adamax) for betas in [
            (1.0, 0.9), (0.9, 1.0), (-0.5, 0.9), (0.9, -0.5), (2.0, 0.9), (0.9, 1 - 1e-17),
            (0.9, 1.5), [0.8, 0.9], (None, 0.9),
        ]),
        (ASGD, {"lambd": -10.0}),
        (ASGD, {"alpha": -1.0}),
        (ASGD, {"alpha": 1e4}),
        (ASGD, {"t0": -1}),
        (NAdam, {"momentum_decay": -1e6}),
        (NAdam, {"momentum_decay": 1e300}),
        (RAdam, {"capturable": True}),
        (NAdam, {"decoupled_weight_decay": 1, "weight_decay": 0.1}),
        *((Rprop, {"etas": etas}) for etas in [
            (0.5, 0.5), (1.5, 0.5), (0.0, 1.2), (-0.5, 1.2), (1, 2), [0.4, 2], (None, 1.2),
            (0.5, float("inf")), (0.5, 1e300), (np.float64(0.5), np.float64(1.2)),
        ]),
        *((Rprop, {"step_sizes": sizes}) for sizes in [
            (0, float("inf")), (-0.0, 0.0), (0.0, -0.0), (1e300, 1e301), (float("nan"), 1.0),
            (1.0, float("nan")), (np.float32(0.1), 1.0), (torch.tensor(0.1), 1.0), (None, 1.0),
        ]),
    ],
    ids=str,
)  # fmt: skip
def test_special_options_changed(cls: type[Optimizer], change: dict[str, Any]) -> None:
    assert_same(
        lambda: _train(Case(cls, {}), after=lambda o: o.param_groups[0].update(change)), By.ANY
    )


def _set_state(key: str, value: float) -> Callable[[Optimizer], None]:
    def change(optimizer: Optimizer) -> None:
        for state in optimizer.state.values():
            if key in state:
                state[key].fill_(value)

    return change


@pytest.mark.parametrize("value", [-2.0, -1.0, 0.0, 0.5, 5.0, 2.0**24, float("inf"), float("nan")])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_step_counters_changed(case: Case, value: float) -> None:
    assert_same(lambda: _train(case, after=_set_state("step", value)), By.ANY)


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, float("inf"), float("nan")])
@pytest.mark.parametrize(
    ("cls", "key"), [(NAdam, "mu_product"), (ASGD, "mu"), (ASGD, "eta")], ids=str
)
def test_state_of_one_element_changed(cls: type[Optimizer], key: str, value: float) -> None:
    assert_same(lambda: _train(Case(cls, {}), after=_set_state(key, value)), By.ANY)


@pytest.mark.parametrize("size", [1, 31, 32, 33, 1001, 70_001])
def test_maximum_of_two_zeros(size: int, threads: int) -> None:
    """Which of them torch takes depends on where its vector code ends."""

    def scenario() -> Optimizer:
        parameter = draw((size,)).requires_grad_()
        optimizer = Case(Adamax, {"eps": 0.0}).make([parameter])
        for _ in range(3):
            parameter.grad = torch.zeros(size)
            optimizer.step()
            optimizer.state[parameter]["exp_inf"].fill_(-0.0)
        return optimizer

    assert_succeeds_same(scenario)


def test_counters_that_differ() -> None:
    def spread(optimizer: Optimizer) -> None:
        for i, state in enumerate(optimizer.state.values()):
            state["step"] += i

    for cls in CLASSES:
        assert_succeeds_same(partial(_train, Case(cls, {}), steps=6, after=spread))


@pytest.mark.parametrize("case", BRANCHES, ids=str)
@pytest.mark.parametrize("way", ["state_dict", "file", "pickle", "deepcopy"])
def test_state_round_trips(case: Case, way: str) -> None:
    def scenario() -> object:
        parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40, 1001)]
        optimizer = case.make(parameters)
        for step in range(6):
            for parameter in optimizer.param_groups[0]["params"]:
                parameter.grad = draw(parameter.shape, seed=step + 1)
            optimizer.step()
            if step != 2:
                continue
            if way == "deepcopy":
                optimizer = copy.deepcopy(optimizer)
            elif way == "pickle":
                optimizer = pickle.loads(pickle.dumps(optimizer))
            else:
                saved: Any = optimizer.state_dict()
                if way == "file":
                    buffer = io.BytesIO()
                    torch.save(saved, buffer)
                    buffer.seek(0)
                    saved = torch.load(buffer, weights_only=True)
                optimizer = case.make(parameters)
                optimizer.load_state_dict(saved)
        return optimizer

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_memory_shared(case: Case) -> None:
    def scenario() -> object:
        buffer = draw((100,))
        parameters = [buffer[:40].requires_grad_(), buffer[20:60].requires_grad_()]
        optimizer = case.make(parameters)
        for step in range(4):
            for i, parameter in enumerate(parameters):
                parameter.grad = draw((40,), seed=10 * step + i)
            optimizer.step()
        return optimizer, buffer

    assert_succeeds_same(scenario, By.TORCH)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_gradient_is_the_parameter(case: Case) -> None:
    def grad_is_parameter(optimizer: Optimizer) -> None:
        for parameter in optimizer.param_groups[0]["params"]:
            parameter.grad = parameter.detach()
        optimizer.step()

    assert_same(lambda: _train(case, after=grad_is_parameter), By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
@pytest.mark.parametrize("layout", ["channels_last", "transposed", "expanded", "mixed"])
def test_layouts(case: Case, layout: str) -> None:
    def lay(x: torch.Tensor) -> torch.Tensor:
        if layout == "channels_last":
            return x.contiguous(memory_format=torch.channels_last)
        return x.transpose(0, 1).contiguous().transpose(0, 1) if layout == "transposed" else x

    def scenario() -> Optimizer:
        parameter = lay(draw((3, 5, 2, 7))).requires_grad_()
        optimizer = case.make([parameter])
        for step in range(7):
            parameter.grad = lay(draw((3, 5, 2, 7), seed=step))
            if layout == "expanded":
                parameter.grad = draw((5, 2, 7), seed=step).expand(3, 5, 2, 7)
            if layout == "mixed":
                parameter.grad = parameter.grad.contiguous(memory_format=torch.channels_last)
            optimizer.step()
        return optimizer

    ours = layout in ("channels_last", "transposed")
    assert_succeeds_same(scenario, By.KWKER if ours else By.TORCH)


def test_sparse_gradients() -> None:
    def scenario(cls: type[Optimizer]) -> object:
        embedding = torch.nn.Embedding(10, 4, sparse=True)
        embedding.weight.data = draw((10, 4))
        optimizer = Case(cls, {}).make(list(embedding.parameters()))
        embedding(torch.tensor([1, 3, 3])).square().sum().backward()
        return with_state(optimizer.step, optimizer.param_groups[0]["params"][0].detach())

    for cls in CLASSES:
        assert_same(partial(scenario, cls), By.ANY)


def test_counted_and_explained() -> None:
    for cls in CLASSES:
        name = f"optim.{cls.__name__.lower()}"
        parameters = [draw(shape).requires_grad_() for shape in ((1,), (40,))]
        optimizer = Case(cls, {}).make(parameters)
        with torch_ops.installed(verify=False):
            torch_ops.reset_stats()
            for explained in range(2):
                (explanation,) = torch_ops.explain(optimizer)
                assert (explanation.feature, explanation.served) == (name, True), explained
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape)
                optimizer.step()
            stats = torch_ops.stats()[name]
            assert (stats["calls"], stats["elements"], stats["fallbacks"]) == (2, 82, {})
            optimizer.param_groups[0]["differentiable"] = True
            (explanation,) = torch_ops.explain(optimizer)
            assert explanation.reason == "differentiable=True"
        (explanation,) = torch_ops.explain(optimizer)
        assert not explanation.served


def test_self_checks() -> None:
    for cls in CLASSES:
        assert FEATURES[f"optim.{cls.__name__.lower()}"].verify() == ""

"""AveragedModel.update_parameters: the averages are torch's, whichever function makes them."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.optim import swa_utils
from torch.optim.swa_utils import AveragedModel

from averages import RULES, SHAPES, SOME_RULES, change, everything, model_of, updates
from comparison import By, Outcome, assert_same, assert_succeeds_same, with_state
from examples import examples
from kwker import torch_ops
from tables import DATA, DTYPES, draw

SWA_UTILS = import_module("torch.optim.swa_utils")
same = partial(assert_same, of="optim.ema")
succeeds_same = partial(assert_succeeds_same, of="optim.ema")


LARGE: list[tuple[int, ...]] = [(32769,), (70001,), (3,)]


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_small(rule: str, dtype: torch.dtype, data: str, use_buffers: bool) -> None:
    def scenario() -> object:
        model = model_of(SHAPES, data, dtype)
        averaged = AveragedModel(model, use_buffers=use_buffers, **RULES[rule]())
        return updates(averaged, model, data=data)

    # torch's foreach function cannot average integers so
    same(scenario, By.ANY if use_buffers and rule == "swa_multi" else By.KWKER)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rule", SOME_RULES)
def test_large(rule: str, dtype: torch.dtype, threads: int) -> None:
    def scenario() -> object:
        model = model_of(LARGE, "extreme", dtype)
        return updates(AveragedModel(model, **RULES[rule]()), model, data="extreme")

    succeeds_same(scenario)


@pytest.mark.parametrize("default", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rule", SOME_RULES)
def test_default_dtype(rule: str, default: torch.dtype) -> None:
    def scenario() -> object:
        torch.set_default_dtype(default)
        try:
            model = model_of(SHAPES)
            return updates(
                AveragedModel(model, use_buffers=rule[:3] != "swa", **RULES[rule]()), model
            )
        finally:
            torch.set_default_dtype(torch.float32)

    succeeds_same(scenario, By.KWKER if default == torch.float64 else By.ANY)


@pytest.mark.parametrize("number", [0, 1, 5, -1, -3, 2**24, 2**40])
@pytest.mark.parametrize("rule", SOME_RULES)
def test_any_number_averaged_before(rule: str, number: int) -> None:
    def scenario() -> object:
        model = model_of(SHAPES)
        averaged = AveragedModel(model, **RULES[rule]())
        averaged.n_averaged.fill_(number)
        return updates(averaged, model)

    same(scenario, By.ANY if number < 0 else By.KWKER)


@pytest.mark.parametrize(
    "rule",
    [
        {"avg_fn": lambda average, new, number: average + new},
        {"multi_avg_fn": lambda averages, new, number: torch._foreach_add_(averages, new)},
        {"avg_fn": nn.Identity()},
        {"avg_fn": torch.no_grad()(lambda average, new, number: new)},
    ],
    ids=str,
)
def test_averaging_functions_of_the_program(rule: dict[str, Any]) -> None:
    def scenario() -> object:
        model = model_of(SHAPES[1:])
        return updates(AveragedModel(model, **rule), model)

    same(scenario, By.TORCH)


def test_functions_set_later() -> None:
    def scenario(names: Sequence[str], make: Callable[[], Any]) -> object:
        model = model_of(SHAPES)
        averaged = AveragedModel(model)
        for name in names:
            setattr(averaged, name, make())
        return updates(averaged, model)

    for make in (swa_utils.get_ema_avg_fn, swa_utils.get_ema_multi_avg_fn, lambda: 0):
        for names in (["avg_fn"], ["multi_avg_fn"], ["avg_fn", "multi_avg_fn"]):
            same(partial(scenario, names, make), By.ANY)


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "state_dict", "file"])
def test_round_trips(way: str) -> None:
    def scenario() -> object:
        model = model_of(SHAPES)
        averaged = AveragedModel(model)
        left = [updates(averaged, model)]
        if way == "deepcopy":
            averaged = copy.deepcopy(averaged)
        elif way == "pickle":
            averaged = pickle.loads(pickle.dumps(averaged))
        else:
            saved: Any = averaged.state_dict()
            if way == "file":
                buffer = io.BytesIO()
                torch.save(saved, buffer)
                buffer.seek(0)
                saved = torch.load(buffer, weights_only=True)
            averaged = AveragedModel(model)
            averaged.load_state_dict(saved)
        return [*left, updates(averaged, model)]

    succeeds_same(scenario)


def test_batch_norm_and_update_bn() -> None:
    def scenario() -> object:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(7, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
        averages = [AveragedModel(model), AveragedModel(model, use_buffers=True)]
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(5):
            model(draw((16, 7), seed=step)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            for averaged in averages:
                averaged.update_parameters(model)
        swa_utils.update_bn([draw((16, 7), seed=9)], averages[0])
        return [everything(averaged) for averaged in averages]

    succeeds_same(scenario)


def test_modes() -> None:
    def scenario(mode: Callable[[], Any]) -> object:
        model = model_of([(3,), (40,)])
        averaged = AveragedModel(model)
        with mode():
            return updates(averaged, model)

    modes: list[tuple[Callable[[], Any], By]] = [
        (torch.no_grad, By.KWKER),
        (torch.enable_grad, By.KWKER),
        (torch.inference_mode, By.TORCH),
        (partial(torch.autocast, "cpu"), By.ANY),
        (partial(torch.device, "cpu"), By.TORCH),
    ]
    for mode, by in modes:
        same(partial(scenario, mode), by)


def test_calls_that_fail() -> None:
    def scenario(*args: Any, **kwargs: Any) -> object:
        averaged = AveragedModel(model_of([(3,)]))
        return with_state(lambda: averaged.update_parameters(*args, **kwargs), averaged.n_averaged)

    model = model_of([(3,)])
    for args, kwargs in [((), {}), ((model, model), {}), ((None,), {}), ((), {"modell": model})]:
        assert same(partial(scenario, *args, **kwargs), By.ANY).error is not None
    assert same(partial(scenario, model=model), By.KWKER).error is None


def test_a_hook_on_buffers_sees_the_count() -> None:
    def scenario() -> object:
        seen: list[tuple[str, Tensor]] = []
        model = model_of([(3,)])
        averaged = AveragedModel(model)
        hook = nn.modules.module.register_module_buffer_registration_hook(
            lambda module, name, buffer: seen.append((name, buffer.clone()))
        )
        try:
            left = updates(averaged, model)
        finally:
            hook.remove()
        return left, seen

    succeeds_same(scenario)


@pytest.mark.parametrize("name", ["get_swa_avg_fn", "_group_tensors_by_device_and_dtype"])
@pytest.mark.parametrize("before", [False, True])
def test_a_users_patch_is_called(name: str, before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(SWA_UTILS, name)
    calls: list[str] = []

    def patched(*args: Any) -> Any:
        calls.append(name)
        return original(*args)

    if before:
        monkeypatch.setattr(SWA_UTILS, name, patched)
    with torch_ops.installed("optim.ema", verify=False):
        monkeypatch.setattr(SWA_UTILS, name, patched)
        model = model_of([(3,)])
        updates(AveragedModel(model), model)
    assert calls
    assert "update_parameters" in vars(AveragedModel)


def test_uninstall_puts_the_very_function_back() -> None:
    before = vars(AveragedModel)["update_parameters"]
    with torch_ops.installed(verify=False):
        assert vars(AveragedModel)["update_parameters"] is not before
    assert vars(AveragedModel)["update_parameters"] is before


def test_torch_compile_takes_torchs_code() -> None:
    def scenario() -> object:
        model = model_of([(3,), (40,)])
        averaged = AveragedModel(model)
        averaged.update_parameters(model)
        change(model, 1)
        compiled = torch.compile(averaged.update_parameters, backend="eager")
        compiled(model)
        return everything(averaged)

    succeeds_same(scenario, By.ANY)


@given(
    decay=st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)),
    rule=st.sampled_from(["default", "swa_multi", "ema", "ema_multi"]),
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=8),
    large=st.sampled_from([0, 1000, 70_000]),
    dtype=st.sampled_from(DTYPES),
    data=st.sampled_from(DATA),
    threads=st.sampled_from([1, 2]),
)
@examples(60)
def test_any_decay_and_sizes(
    decay: float,
    rule: str,
    sizes: list[int],
    large: int,
    dtype: torch.dtype,
    data: str,
    threads: int,
) -> None:
    torch.set_num_threads(threads)

    def scenario() -> object:
        model = model_of([(n,) for n in [*sizes, large]], data, dtype)
        options = RULES[rule]() if rule in RULES else {}
        if rule == "ema":
            options = {"avg_fn": swa_utils.get_ema_avg_fn(decay)}
        if rule == "ema_multi":
            options = {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(decay)}
        return updates(AveragedModel(model, **options), model, data=data)

    outcome: Outcome = succeeds_same(scenario)
    assert outcome.result

"""Steps under torch's modes, tracers and threads: as if Kwker were not there."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from comparison import By, assert_same, assert_succeeds_same, with_state
from kwker import torch_ops
from tables import BRANCHES, Case, draw

Context = Callable[[], contextlib.AbstractContextManager[object]]


class FunctionLog(TorchFunctionMode):
    """Notes each function of torch's Python interface."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class DispatchLog(TorchDispatchMode):
    """Notes each operator that reaches the dispatcher."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def _trained(case: Case, context: Context, steps: int = 4) -> Optimizer:
    """The second step is the first inside the context, so that state exists before it."""
    parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40, 1001)]
    optimizer = case.make(parameters)
    for step in range(steps):
        for parameter in parameters:
            parameter.grad = draw(parameter.shape, seed=step + 1)
        with context() if step else contextlib.nullcontext():
            optimizer.step()
    return optimizer


@pytest.mark.parametrize("mode", [FunctionLog, DispatchLog])
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_python_modes_see_every_operator(case: Case, mode: type[FunctionLog | DispatchLog]) -> None:
    def scenario() -> object:
        log = mode()
        return _trained(case, lambda: log), log.names

    outcome = assert_succeeds_same(scenario, By.MIXED)
    assert len(outcome.result) > 20


CONTEXTS: dict[str, tuple[Context, By]] = {
    "no_grad": (torch.no_grad, By.KWKER),
    "enable_grad": (torch.enable_grad, By.KWKER),
    "set_grad_enabled": (lambda: torch.set_grad_enabled(False), By.KWKER),
    "inference_mode": (torch.inference_mode, By.ANY),
    "device": (lambda: torch.device("cpu"), By.ANY),
    "meta device": (lambda: torch.device("meta"), By.ANY),
    "autocast": (lambda: torch.autocast("cpu", torch.bfloat16), By.ANY),
    "autocast off": (lambda: torch.autocast("cpu", enabled=False), By.ANY),
    "anomaly": (lambda: torch.autograd.set_detect_anomaly(True), By.ANY),
    "saved tensors": (
        lambda: torch.autograd.graph.saved_tensors_hooks(Tensor.clone, Tensor.clone),
        By.ANY,
    ),
    "allow mutation": (torch.autograd.graph.allow_mutation_on_saved_tensors, By.ANY),
    "profiler": (torch.autograd.profiler.profile, By.ANY),
    "forward AD": (torch.autograd.forward_ad.dual_level, By.ANY),
    "fake tensors": (lambda: FakeTensorMode(allow_non_fake_inputs=True), By.ANY),
    "no functions": (torch._C.DisableTorchFunctionSubclass, By.ANY),
}


@pytest.mark.parametrize("name", CONTEXTS)
@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_contexts(case: Case, name: str) -> None:
    context, by = CONTEXTS[name]

    def scenario() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _trained(case, context)

    assert_same(scenario, by)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_first_step_in_inference_mode(case: Case) -> None:
    """The state is then made of inference tensors."""

    def scenario() -> object:
        parameter = draw((40,)).requires_grad_()
        optimizer = case.make([parameter])

        def run() -> None:
            for step in range(3):
                parameter.grad = draw((40,), seed=step)
                with torch.inference_mode() if step == 0 else contextlib.nullcontext():
                    optimizer.step()

        return with_state(run, optimizer)

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_flush_denormal(case: Case, threads: int) -> None:
    """Kernels of torch that call a library ignore it, the others obey it."""

    def scenario() -> object:
        torch.set_flush_denormal(True)
        try:
            parameters = [draw((n,), "tiny", seed=n).requires_grad_() for n in (40, 1001)]
            optimizer = case.make(parameters)
            for step in range(4):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, "tiny", seed=step + 1)
                optimizer.step()
        finally:
            torch.set_flush_denormal(False)
        return optimizer

    assert_succeeds_same(scenario, By.TORCH)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_forward_mode_tangents(case: Case) -> None:
    def scenario() -> object:
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            parameter = forward.make_dual(draw((40,)), draw((40,), seed=1))
            optimizer = case.make([parameter])
            for step in range(3):
                parameter.grad = forward.make_dual(draw((40,), seed=step), draw((40,), seed=7))
                optimizer.step()
            value, tangent = forward.unpack_dual(parameter)
            return value.clone(), None if tangent is None else tangent.clone()

    assert_same(scenario, By.ANY)


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_backward_after_the_step_still_fails(case: Case) -> None:
    """A saved tensor was changed in place: torch's error with its version numbers."""

    def scenario() -> object:
        weight = draw((40,)).requires_grad_()
        optimizer = case.make([weight])
        loss = (weight * weight).sum() + weight.exp().sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        return with_state(loss.backward, optimizer)

    outcome = assert_same(scenario)
    assert outcome.error is not None
    assert "modified by an inplace operation" in outcome.error[1]


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_views_of_parameters_share_the_version(case: Case) -> None:
    def scenario() -> object:
        parameter = draw((4, 10)).requires_grad_()
        view, detached = parameter.view(-1), parameter.detach()
        optimizer = case.make([parameter])
        parameter.grad = draw((4, 10), seed=1)
        optimizer.step()
        return optimizer, view, detached

    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", [BRANCHES[2], BRANCHES[5]], ids=str)
def test_profiler_shows_the_step(case: Case) -> None:
    def scenario() -> object:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            optimizer = _trained(case, contextlib.nullcontext)
        keys = sorted(e.key for e in profile.key_averages() if e.key.startswith("Optimizer."))
        return optimizer, keys

    outcome = assert_succeeds_same(scenario)
    assert any("Optimizer.step#" in str(value) for value in outcome.result.values())


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_steps_from_several_threads(case: Case) -> None:
    def scenario() -> object:
        optimizers: dict[int, Optimizer] = {}

        def work(number: int) -> None:
            parameters = [draw((n,), seed=n + number).requires_grad_() for n in (1, 40, 40000)]
            optimizer = case.make(parameters)
            for step in range(10):
                for parameter in parameters:
                    parameter.grad = draw(parameter.shape, seed=step + number)
                optimizer.step()
            optimizers[number] = optimizer

        workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return [optimizers[i] for i in range(4)]

    draw((1,))  # the pool of values is made before the threads
    assert_succeeds_same(scenario)


@pytest.mark.parametrize("case", [BRANCHES[2], BRANCHES[3], BRANCHES[5]], ids=str)
def test_compiled_step(case: Case) -> None:
    """Dynamo traces what it would trace without Kwker."""

    def scenario() -> object:
        torch._dynamo.reset()
        graphs: list[str] = []

        def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Any:
            graphs.append("\n".join(str(node.target) for node in graph.graph.nodes))
            return graph.forward

        parameters = [draw((n,), seed=n).requires_grad_() for n in (1, 40)]
        optimizer = case.make(parameters)
        step_compiled = torch.compile(optimizer.step, backend=backend)
        for step in range(3):
            for parameter in parameters:
                parameter.grad = draw(parameter.shape, seed=step + 1)
            step_compiled()
        return [parameters, list(optimizer.state.values()), graphs]

    assert_same(scenario, By.ANY)
    torch._dynamo.reset()


def test_step_inside_a_compiled_function() -> None:
    def scenario() -> object:
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = torch.nn.Linear(5, 3)
        optimizer = AdamW(model.parameters(), lr=0.1)

        @torch.compile(backend="eager")
        def train(x: Tensor) -> Any:
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        return [train(draw((4, 5), seed=i)).detach() for i in range(3)], optimizer

    assert_same(scenario, By.ANY)
    torch._dynamo.reset()


def test_counters_are_of_the_feature() -> None:
    elements = {"optim.adam": 41, "optim.adamw": 3, "optim.sgd": 1001}
    with torch_ops.installed(verify=False):
        torch_ops.reset_stats()
        for cls, shapes in ((Adam, [(1,), (40,)]), (AdamW, [(3,)]), (SGD, [(1001,)])):
            parameters = [draw(shape).requires_grad_() for shape in shapes]
            for parameter in parameters:
                parameter.grad = draw(parameter.shape)
            Case(cls, {}).make(parameters).step()
        stats = torch_ops.stats()
    for name, number in elements.items():
        assert stats[name]["calls"] == 1
        assert stats[name]["elements"] == number
        assert stats[name]["fallbacks"] == {}

"""Coming and going: torch's own objects are back afterwards, whatever happened in between."""

from __future__ import annotations

import gc
import inspect
import pickle
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.optim import SGD, Adam, AdamW, Optimizer

from kwker import torch_ops
from tables import draw

ADAM: ModuleType = import_module("torch.optim.adam")
SGDS: ModuleType = import_module("torch.optim.sgd")
PLACES = [
    (module, name)
    for module in (ADAM, SGDS, import_module("torch.optim.optimizer"), torch.optim)
    for name in vars(module)
    if not name.startswith("__")
]
CLASSES = [Optimizer, Adam, AdamW, SGD]
for _cls in (Adam, AdamW, SGD):
    _cls([torch.nn.Parameter(torch.zeros(1))])  # torch itself wraps a class's step() then


def _all() -> dict[tuple[str, str], Any]:
    found = {(module.__name__, name): getattr(module, name) for module, name in PLACES}
    for cls in CLASSES:
        found |= {(cls.__name__, name): value for name, value in vars(cls).items()}
    return found


@pytest.fixture(autouse=True)
def _everything_is_back() -> Iterator[None]:
    """After each test, every function and class of torch.optim is the object it was."""
    before = _all()
    yield
    torch_ops.uninstall()
    after = _all()
    assert list(before) == list(after)
    changed = [place for place, value in before.items() if after[place] is not value]
    assert not changed


def _step(cls: type[Optimizer] = AdamW, **options: Any) -> torch.Tensor:
    parameter = draw((40,)).requires_grad_()
    optimizer = cls([parameter], **options)
    parameter.grad = draw((40,), seed=1)
    optimizer.step()
    return parameter.detach()


def _calls(name: str = "optim.adamw") -> int:
    number: int = torch_ops.stats()[name]["calls"]
    return number


def test_uninstall_before_install() -> None:
    torch_ops.uninstall()


def test_installed_as_decorator() -> None:
    @torch_ops.installed(verify=False)
    def train(scale: float) -> torch.Tensor:
        """Trains."""
        return _step() * scale

    torch_ops.reset_stats()
    assert torch.equal(train(2.0), _step() * 2.0)
    assert _calls() == 1
    assert (train.__name__, train.__doc__) == ("train", "Trains.")


def test_self_check_finds_no_difference() -> None:
    found = {n: v.difference for n, v in torch_ops.verify().items() if n.startswith("optim.")}
    assert set(found.values()) == {""}
    assert {"optim.adam", "optim.adamw", "optim.sgd"} <= set(found)


def test_install_leaves_the_random_state_and_the_modes() -> None:
    torch.manual_seed(5)
    state = torch.get_rng_state()
    torch_ops.install()
    torch_ops.verify()
    assert torch.equal(state, torch.get_rng_state())
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("name", ["adam", "_single_tensor_adam"])
def test_a_users_own_patch_is_respected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it came before or after, it is called, and it is not undone."""
    original: Callable[..., Any] = getattr(ADAM, name)
    calls: list[str] = []

    def patched(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return original(*args, **kwargs)

    expected = _step()
    with monkeypatch.context() as patch:
        patch.setattr(ADAM, name, patched)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch_ops.install()
            assert torch.equal(_step(), expected)
            assert calls == [name]
            torch_ops.uninstall()
        assert getattr(ADAM, name) is patched
    torch_ops.install()
    above = getattr(ADAM, name)

    def patched_above(*args: Any, **kwargs: Any) -> Any:
        calls.append("above")
        return above(*args, **kwargs)

    setattr(ADAM, name, patched_above)
    try:
        assert torch.equal(_step(), expected)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch_ops.uninstall()
        assert getattr(ADAM, name) is patched_above
        assert torch.equal(_step(), expected)
        assert calls == [name, "above", "above"]
    finally:
        setattr(ADAM, name, original)


def test_a_users_patch_of_the_method_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    original: Any = Adam._init_group

    def patched(self: Any, *args: Any) -> Any:
        calls.append("group")
        return original(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Adam, "_init_group", patched)
        expected = _step()
        torch_ops.install()
        assert torch.equal(_step(), expected)
    assert calls == ["group", "group"]


FUNCTIONS = pytest.mark.parametrize(("module", "name"), [(ADAM, "adam"), (SGDS, "sgd")])


@FUNCTIONS
def test_functions_have_torchs_names(module: ModuleType, name: str) -> None:
    original = getattr(module, name)
    torch_ops.install()
    function = getattr(module, name)
    assert function.__name__ == original.__name__
    assert function.__qualname__ == original.__qualname__
    assert function.__module__ == original.__module__
    assert function.__doc__ == original.__doc__


@FUNCTIONS
def test_functions_have_torchs_signature(module: ModuleType, name: str) -> None:
    expected = inspect.signature(getattr(module, name))
    torch_ops.install()
    assert inspect.signature(getattr(module, name)) == expected


@FUNCTIONS
def test_functions_can_be_pickled(module: ModuleType, name: str) -> None:
    """As a reference by name, which workers started by spawn resolve to what they have."""
    torch_ops.install()
    function = getattr(module, name)
    assert pickle.loads(pickle.dumps(function)) is function


def test_optimizers_do_not_depend_on_kwker() -> None:
    """One pickled while installed loads where Kwker has never been."""
    torch_ops.install()
    parameter = draw((4,)).requires_grad_()
    optimizer = AdamW([parameter])
    parameter.grad = draw((4,), seed=1)
    optimizer.step()
    assert b"kwker" not in pickle.dumps(optimizer)


def test_nothing_is_kept_alive() -> None:
    torch_ops.install()
    parameter = draw((40,)).requires_grad_()
    optimizer = AdamW([parameter])
    parameter.grad = draw((40,), seed=1)
    optimizer.step()
    watched = [
        weakref.ref(x)
        for x in (parameter, parameter.grad, optimizer, *optimizer.state[parameter].values())
    ]
    del parameter, optimizer
    gc.collect()
    assert [w() for w in watched] == [None] * len(watched)


def test_memory_does_not_grow_with_steps() -> None:
    torch_ops.install()
    parameters = [draw((n,)).requires_grad_() for n in range(1, 60)]
    optimizer = AdamW(parameters)
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)

    def objects_after(steps: int) -> int:
        for _ in range(steps):
            optimizer.step()
        gc.collect()
        return len(gc.get_objects())

    first = objects_after(10)
    assert objects_after(300) <= first + 20


def test_switching_while_others_step() -> None:
    """install and uninstall in one thread, steps in others: the results stay torch's."""
    expected = _step(SGD, lr=0.1)
    wrong: list[torch.Tensor] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            result = _step(SGD, lr=0.1)
            if not torch.equal(result, expected):
                wrong.append(result)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(50):
        torch_ops.install(verify=False)
        torch_ops.uninstall()
    stop.set()
    for worker in workers:
        worker.join()
    assert not wrong

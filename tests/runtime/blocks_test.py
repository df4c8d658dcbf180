"""Blocks of installed(), of one thread and of several, and what is changed inside of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

import kwker.torch_ops as sto
from kwker._registry import FEATURES


@pytest.fixture(autouse=True)
def nothing_installed() -> Iterator[None]:
    sto.uninstall()
    yield
    sto.uninstall()


def on() -> list[str]:
    return [f.name for f in sto.features() if f.state == "on"]


class Other:
    """Another thread that does one thing after the other."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self._steps = steps
        self._go = [threading.Event() for _ in steps]
        self._done = [threading.Event() for _ in steps]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for step, go, done in zip(self._steps, self._go, self._done, strict=True):
            go.wait()
            step()
            done.set()

    def step(self, number: int) -> None:
        self._go[number].set()
        assert self._done[number].wait(60)


def block(name: str) -> tuple[Callable[[], object], Callable[[], object]]:
    made = sto.installed([name], verify=False)
    return made.__enter__, lambda: made.__exit__(None, None, None)


def test_uninstall_holds_when_a_block_of_another_thread_ends() -> None:
    sto.install(["optim.adam"], verify=False)
    other = Other(*block("optim.sgd"))
    other.step(0)
    assert on() == ["optim.sgd"]
    sto.uninstall()
    assert on() == []
    other.step(1)
    assert on() == []


def test_install_holds_when_a_block_of_another_thread_ends() -> None:
    other = Other(*block("optim.sgd"))
    other.step(0)
    sto.install(["optim.adam"], verify=False)
    assert on() == ["optim.adam"]
    other.step(1)
    assert on() == ["optim.adam"]


def test_what_is_changed_in_a_block_ends_with_it() -> None:
    sto.install(["optim.adam"], verify=False)
    with sto.installed(["optim.sgd"], verify=False):
        sto.install(["optim.adamw"], verify=False)
        assert on() == ["optim.adamw"]
        sto.disable("optim.adamw")
        assert on() == []
    assert on() == ["optim.adam"]


def test_one_decorated_function_in_two_threads() -> None:
    inside = {name: threading.Event() for name in "ab"}
    leave = {name: threading.Event() for name in "ab"}

    @sto.installed(["optim.sgd"], verify=False)
    def function(name: str) -> None:
        inside[name].set()
        assert leave[name].wait(60)

    first = threading.Thread(target=function, args=["a"])
    first.start()
    assert inside["a"].wait(60)
    with sto.installed(["optim.adam"], verify=False):
        second = threading.Thread(target=function, args=["b"])
        second.start()
        assert inside["b"].wait(60)
        leave["a"].set()
        first.join()
        assert on() == ["optim.sgd"]  # of the second call, the newest that is left
        leave["b"].set()
        second.join()
        assert on() == ["optim.adam"]
    assert on() == []


def test_decorated_generators_and_coroutines() -> None:
    decorate = sto.installed(["optim.sgd"], verify=False)

    @decorate
    def generator() -> Iterator[list[str]]:
        yield on()

    @decorate
    async def coroutine() -> list[str]:
        await asyncio.sleep(0)
        return on()

    assert next(iter(generator())) == ["optim.sgd"]
    assert asyncio.run(coroutine()) == ["optim.sgd"]
    assert on() == []
    with pytest.raises(TypeError, match="use it as a `with` block inside"):

        @decorate
        async def stream() -> AsyncIterator[None]:
            yield


def test_enable_compares_what_it_names_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for feature in FEATURES.values():
        monkeypatch.setattr(feature, "difference", None)
    sto.install(verify=False)
    sto.enable("optim.sgd")
    compared = [f.name for f in FEATURES.values() if f.difference is not None]
    waiting = [f.name for f in FEATURES.values() if f.counters.unchecked]
    assert (compared, waiting) == (["optim.sgd"], [])


def test_a_comparison_that_waits_goes_on_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FEATURES["optim.radam"], "difference", None)
    sto.install([], verify=False)
    sto.enable("optim.radam")
    sto.disable("optim.adam")
    assert FEATURES["optim.radam"].counters.unchecked


@pytest.mark.parametrize("exclude", [0, False, b""])
def test_what_is_no_name_is_refused(exclude: object) -> None:
    with pytest.raises(TypeError, match="a feature's name must be a str"):
        sto.install(exclude=exclude)  # type: ignore[arg-type]

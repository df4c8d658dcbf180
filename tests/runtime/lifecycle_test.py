"""install() and uninstall() in unusual places: threads, forks, traces, reloads, the environment."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

import kwker.torch_ops as sto
from processes import printed, run

SGD = importlib.import_module("torch.optim.sgd")
VARIABLES = ("KWKER_INSTALL", "KWKER_FEATURES")


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    yield
    sto.uninstall()


def environment() -> list[str | None]:
    return [os.environ.get(name) for name in VARIABLES]


def train(steps: int = 5) -> list[float]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 8)).square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_workers_are_told_and_untold() -> None:
    assert environment() == [None, None]
    sto.install(["optim.adamw"])
    assert environment() == ["1", "optim.adamw"]
    sto.enable("optim.sgd")
    assert environment() == ["1", "optim.adamw,optim.sgd"]
    sto.uninstall()
    assert environment() == [None, None]


def test_an_environment_that_asked_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWKER_INSTALL", "1")
    sto.install()
    sto.uninstall()
    # This process was told to install and has thought better of it: so do its workers.
    assert environment() == ["0", None]
    sto.install()
    assert os.environ["KWKER_INSTALL"] == "1"


def test_threads_that_train_meanwhile() -> None:
    expected = train(200)
    seen: list[list[float]] = []
    done = threading.Event()

    def switching() -> None:
        while not done.is_set():
            sto.install()
            sto.uninstall()

    switcher = threading.Thread(target=switching)
    switcher.start()
    for _ in range(5):
        seen.append(train(200))
    done.set()
    switcher.join()
    assert all(losses == expected for losses in seen)


def test_install_from_several_threads_at_once() -> None:
    threads = [threading.Thread(target=sto.install) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {f.state for f in sto.features()} <= {"on", "not yet imported"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_forked_children_have_it_and_may_drop_it() -> None:
    expected = train()
    sto.install()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        ok = train() == expected and {f.state for f in sto.features()} <= {"on", "not yet imported"}
        sto.uninstall()
        ok = ok and train() == expected
        os.write(writer, b"1" if ok else b"0")
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 1) == b"1"
    os.waitpid(pid, 0)
    assert {f.state for f in sto.features()} <= {"on", "not yet imported"}


FORK_AFTER_PARALLEL = """
import multiprocessing, sys, torch
import kwker.torch_ops as sto

def step(sizes):
    parameters = [torch.nn.Parameter(torch.ones(n)) for n in sizes]
    for p in parameters:
        p.grad = torch.ones_like(p)
    torch.optim.AdamW(parameters).step()

torch.set_num_threads(2)
sto.install()
if sys.argv[1] == "torch_first":
    torch.ones(1_000_000) + 1
    work = lambda: step([1000] * 100)
else:
    step([1000] * 100)
    work = lambda: torch.ones(1_000_000) + 1
child = multiprocessing.get_context("fork").Process(target=work)
child.start()
child.join(30)
print(child.exitcode)
child.kill()
work()
"""


@pytest.mark.parametrize("order", ["torch_first", "kwker_first"])
def test_forks_after_parallel_loops(order: str) -> None:
    assert printed(FORK_AFTER_PARALLEL, order) == "0\n"


def test_blocks_of_two_threads_that_overlap() -> None:
    first, second = sto.installed(["optim.sgd"]), sto.installed(["optim.adam"])
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert [f.name for f in sto.features() if f.state == "on"] == ["optim.adam"]
    second.__exit__(None, None, None)
    assert {f.state for f in sto.features()} == {"off"}


def test_reload_keeps_the_state() -> None:
    sto.install(["optim.sgd"])
    hook = SGD.sgd
    importlib.reload(sto)
    assert [f.name for f in sto.features() if f.state == "on"] == ["optim.sgd"]
    assert SGD.sgd is hook
    sto.uninstall()
    assert SGD.sgd is not hook


def test_reload_inside_a_block() -> None:
    with sto.installed(["optim.sgd"]):
        importlib.reload(sto)
        with sto.installed(["optim.adam"]):
            assert [f.name for f in sto.features() if f.state == "on"] == ["optim.adam"]
        assert [f.name for f in sto.features() if f.state == "on"] == ["optim.sgd"]
    assert {f.state for f in sto.features()} == {"off"}


def test_not_inside_a_trace() -> None:
    def traced(x: torch.Tensor) -> torch.Tensor:
        sto.install()
        return x + 1

    with pytest.raises(RuntimeError, match=r"cannot run inside torch.compile or torch.jit.trace"):
        torch.jit.trace(traced, torch.ones(1))
    assert {f.state for f in sto.features()} == {"off"}


@pytest.mark.parametrize(
    "change",
    [
        sto.uninstall,
        lambda: sto.enable("optim.sgd"),
        lambda: sto.disable("optim.adam"),
        lambda: sto.installed().__enter__(),
    ],
    ids=["uninstall", "enable", "disable", "installed"],
)
def test_nothing_is_changed_inside_a_trace(change: Callable[[], None]) -> None:
    sto.install(["optim.adam"])

    def traced(x: torch.Tensor) -> torch.Tensor:
        change()
        return x + 1

    with pytest.raises(RuntimeError, match=r"cannot run inside torch.compile or torch.jit.trace"):
        torch.jit.trace(traced, torch.ones(1))
    assert [f.name for f in sto.features() if f.state == "on"] == ["optim.adam"]


def test_inside_torch_export_it_is_refused() -> None:
    class Model(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            sto.install()
            return x + 1

    with pytest.raises(RuntimeError, match=r"cannot run inside torch.compile or torch.jit.trace"):
        torch.export.export(Model(), (torch.ones(1),), strict=False)
    assert {f.state for f in sto.features()} == {"off"}


def test_inside_torch_compile_it_is_refused_or_runs_outside_of_the_graph() -> None:
    # Dynamo may break the graph at the call and run it as the plain Python that it is.
    @torch.compile(backend="eager")
    def compiled(x: torch.Tensor) -> torch.Tensor:
        sto.install()
        return x + 1

    try:
        assert compiled(torch.ones(1)).item() == 2
        states = {f.state for f in sto.features()}
        assert states <= {"on", "not yet imported"}
    except RuntimeError as error:
        assert "cannot run inside torch.compile" in str(error)
        assert {f.state for f in sto.features()} == {"off"}


def test_log_on_stderr() -> None:
    code = "import kwker.torch_ops as sto; sto.install(['optim.sgd']); sto.uninstall()"
    lines = run(code, KWKER_LOG="info").stderr.splitlines()
    assert lines[0].startswith("kwker: self-check of optim.sgd: equal to torch (")
    assert lines[1:] == ["kwker: on: optim.sgd", "kwker: on: nothing"]
    assert run(code).stderr == ""
    wrong = run(code, KWKER_LOG="loud")
    assert wrong.returncode == 0
    assert wrong.stderr == (
        "kwker: KWKER_LOG is 'loud'; it takes one of debug, info, warning, error\n"
    )


def test_the_self_check_can_be_left_out() -> None:
    code = "import kwker.torch_ops as sto; sto.install(); print(len(sto.features()))"
    done = run(code, KWKER_LOG="info", KWKER_VERIFY="0")
    every = ", ".join(f.name for f in sto.features() if f.name.startswith("optim."))
    assert done.stderr == f"kwker: on: {every}\n"


def test_sub_interpreters_are_refused() -> None:
    code = """
import _xxsubinterpreters as interpreters
other = interpreters.create()
try:
    interpreters.run_string(other, "import kwker.torch_ops")
except interpreters.RunFailedError as error:
    print(error)
"""
    assert "kwker works in the main interpreter only" in run(code).stdout


def test_sub_interpreters_of_a_launched_program(tmp_path: Path) -> None:
    """There torch itself waits for ever in its import, so a stand-in is imported."""
    (tmp_path / "torch.py").write_text("value = 1\n")
    code = f"""
import _xxsubinterpreters as interpreters
other = interpreters.create()
interpreters.run_string(other, '''
import sys
sys.path.insert(0, {str(tmp_path)!r})
from kwker import _startup
_startup.install_if_asked()
import torch
sys.stdout.write(str(torch.value))
sys.stdout.flush()
''')
"""
    done = run(code, KWKER_INSTALL="1")
    assert (done.returncode, done.stdout) == (0, "1")
    assert done.stderr == (
        "kwker: not installed: kwker works in the main interpreter only, as torch does\n"
    )

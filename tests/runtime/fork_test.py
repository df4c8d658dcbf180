"""install() in children that were forked from busy parents: it works, or leaves it to torch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from processes import printed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")

COMMON = """
import multiprocessing, os, threading, time, torch

def some(n, step):  # without torch's random numbers, whose lock a thread may hold at the fork
    return torch.tensor([(37 * i + step) % 101 / 50 - 1 for i in range(n)])

def step(sizes, kind=torch.optim.AdamW, steps=3):
    parameters = [torch.nn.Parameter(some(n, 0)) for n in sizes]
    optimizer = kind(parameters)
    for i in range(steps):
        for p in parameters:
            p.grad = some(len(p), i)
        optimizer.step()
    return [p.tolist() for p in parameters]

MANY_SMALL = [1000] * 100  # torch's loop takes them one by one, and starts no thread for any
SMALL = [7, 33]

def in_a_child(work, seconds=60):
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(seconds)
    print(child.exitcode)
    child.kill()
"""

# The child finds OpenMP's threads gone. torch's own square roots of some hundred elements
# wait for them for ever, so SGD stands for what still works.
AFTER_PARALLEL_LOOPS = """
torch.set_num_threads(2)
torch.ones(1_000_000) + 1
expected = [step(SMALL), step(MANY_SMALL, torch.optim.SGD)]

def work():
    import kwker.torch_ops as sto
    sto.install()
    assert [step(SMALL), step(MANY_SMALL, torch.optim.SGD)] == expected
    assert sto.stats()["optim.adamw"]["calls"] == 3, sto.stats()
    counts = sto.stats()["optim.sgd"]
    assert counts["fallbacks"] == {
        "large, in a forked process that installed Kwker itself: its threads may be lost": 3
    }, counts

in_a_child(work)
"""

WITH_THREADS_AT_WORK = """
expected = step(SMALL)
done = threading.Event()

def training():
    while not done.is_set():
        step(SMALL)

threads = [threading.Thread(target=training) for _ in range(2)]
for thread in threads:
    thread.start()

def work():
    import kwker.torch_ops as sto
    sto.install()
    assert step(SMALL) == expected
    assert sto.stats()["optim.adamw"]["calls"] == 3
    sto.uninstall()
    assert step(SMALL) == expected

try:
    in_a_child(work)
finally:
    done.set()
    for thread in threads:
        thread.join()
"""

WHILE_ANOTHER_THREAD_INSTALLS = """
import kwker.torch_ops as sto
expected = step(SMALL)
done = threading.Event()

def switching():
    while not done.is_set():
        sto.install()
        sto.uninstall()

thread = threading.Thread(target=switching)
thread.start()

def work():
    sto.uninstall()
    sto.install()
    assert step(SMALL) == expected
    assert {f.state for f in sto.features()} <= {"on", "not yet imported"}
    with sto.installed(["optim.adam"]):
        assert [f.name for f in sto.features() if f.state == "on"] == ["optim.adam"]

try:
    for _ in range(5):
        in_a_child(work)
finally:
    done.set()
    thread.join()
"""

A_PROCESS_OF_ITS_OWN = """
import kwker.torch_ops as sto
torch.set_num_threads(2)
sto.install()
step(MANY_SMALL)
print(sto.stats()["optim.adamw"]["fallbacks"])
"""


def test_after_parallel_loops_of_its_parent() -> None:
    assert printed(COMMON + AFTER_PARALLEL_LOOPS) == "0\n"


def test_while_threads_of_its_parent_train() -> None:
    assert printed(COMMON + WITH_THREADS_AT_WORK) == "0\n"


def test_while_another_thread_of_its_parent_installs() -> None:
    assert printed(COMMON + WHILE_ANOTHER_THREAD_INSTALLS) == "0\n" * 5


def test_a_started_program_is_no_forked_child() -> None:
    assert printed(COMMON + A_PROCESS_OF_ITS_OWN) == "{}\n"


LOADER = """
import sys, torch

class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        torch.manual_seed(i)
        image = torch.randn(3, 4)
        parameter = torch.nn.Parameter(image.clone())
        parameter.grad = image
        torch.optim.AdamW([parameter]).step()  # work that Kwker would do
        return parameter.detach()

def train(workers, install_at):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    options = {"num_workers": 2, "multiprocessing_context": sys.argv[1], "prefetch_factor": 1,
               "persistent_workers": True} if workers else {}
    loader = torch.utils.data.DataLoader(Images(), batch_size=3, **options)
    batches = []
    for _ in range(2):
        for i, batch in enumerate(loader):
            if len(batches) == install_at:
                import kwker.torch_ops as sto
                sto.install()
            batches.append(batch.tolist())
            optimizer.zero_grad()
            model(batch).square().sum().backward()
            optimizer.step()
    return batches, [p.tolist() for p in model.parameters()]

if __name__ == "__main__":
    expected = train(False, None)
    assert train(True, 2) == expected  # two of the 16 steps are done before
    import kwker.torch_ops as sto
    states = {f.state for f in sto.features() if f.name == "optim.adamw"}
    print(sto.stats()["optim.adamw"]["calls"], states)
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_under_a_loader_whose_workers_run(tmp_path: Path, start: str) -> None:
    script = tmp_path / "loader.py"  # spawned workers import it again
    script.write_text(LOADER)
    assert printed(script, start) == "14 {'on'}\n"

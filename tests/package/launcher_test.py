"""Every process that torchrun starts gets Kwker: by KWKER_INSTALL=1, and by `kwker run`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import Run, clean_environ

SCRIPT = Path("testdata/train_distributed.py").absolute()

# Trains, then says what each rank was served, whichever way it got Kwker.
TRAIN = f"""
import atexit, runpy, sys

@atexit.register
def report():
    sto = sys.modules.get("kwker.torch_ops")
    for feature in sto.features() if sto else ():
        if feature.state == "on":
            counts = sto.stats()[feature.name]
            sys.stdout.write(f"on {{feature.name}} {{counts['calls']}} {{counts['fallbacks']}}\\n")
            sys.stdout.flush()

runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""

# Fails in rank 1, without torch.
FAIL = """
import os, sys
rank = os.environ["RANK"]
sys.stdout.write(f"{rank} of {os.environ['WORLD_SIZE']}: {sys.argv[1:]}\\n")
sys.stdout.flush()
sys.exit(3 * int(rank))
"""

# Says that it has started, and which signal it was sent.
WAIT = """
import os, pathlib, signal, sys, time
file = pathlib.Path(__file__).with_name(os.environ["RANK"])

def end(number, frame):
    file.with_suffix(".signal").write_text(str(number))
    sys.exit(0)

signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, end)
file.with_suffix(".part").write_text(str(os.getpid()))
file.with_suffix(".part").rename(file)
time.sleep(600)
"""

TWO = ["--nproc-per-node", "2"]


@pytest.fixture
def torchrun(environment: Path) -> list[str | Path]:
    return [environment / "bin/python", "-m", "torch.distributed.run", "--standalone", *TWO]


@pytest.fixture
def kwker_run(environment: Path) -> list[str | Path]:
    return [environment / "bin/kwker", "run", "--launcher", "torchrun", *TWO]


def test_same_bits_and_really_served(
    torchrun: list[str | Path], kwker_run: list[str | Path], run: Run, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAIN)

    def lines(*command: str | Path, **variables: str) -> list[str]:
        done = run(*command, OMP_NUM_THREADS="1", **variables)
        assert done.returncode == 0, done.stderr
        return sorted(done.stdout.splitlines())

    without = lines(*torchrun, script)
    assert len([line for line in without if line.startswith("rank")]) == 2
    served = ["on optim.adamw 20 {}"] * 2
    by_variable = lines(*torchrun, script, KWKER_INSTALL="1")
    uncalled = [line for line in by_variable if line.startswith("on") and line.endswith(" 0 {}")]
    assert uncalled.count("on optim.sgd 0 {}") == 2
    also = ["on optim.zero_grad 20 {}"] * 2
    assert by_variable == sorted(without + served + also + uncalled)
    # The chosen features, and no others, reach the ranks.
    by_program = lines(*kwker_run, "--features", "optim.adamw", "--", script)
    assert by_program == sorted(without + served)


def test_a_module_that_fails(kwker_run: list[str | Path], run: Run, tmp_path: Path) -> None:
    """torchrun's exit status is passed on, and its error; all arguments reach the module."""
    (tmp_path / "fail.py").write_text(FAIL)
    for name in ("json", "torch"):  # the launcher looks for its own modules elsewhere
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n")
    args = ["--", "-m", "--nnodes=3", "x y"]
    done = run(*kwker_run, "--", "-m", "fail", *args, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert f"1 of 2: {args}\n" in done.stdout
    assert re.search(r"exitcode *: 3\b", done.stderr)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
def test_signals_reach_the_ranks(
    kwker_run: list[str | Path], tmp_path: Path, sent: signal.Signals
) -> None:
    script = tmp_path / "wait.py"
    script.write_text(WAIT)
    ranks = [tmp_path / "0", tmp_path / "1"]
    with subprocess.Popen([*kwker_run, "--", script], env=clean_environ()) as process:
        try:
            while not all(rank.exists() for rank in ranks):
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(sent)
            process.wait(timeout=120)
        finally:
            process.kill()
    assert process.returncode not in (0, -signal.SIGKILL)
    for rank in ranks:
        assert rank.with_suffix(".signal").read_text() == str(int(sent))
        assert not os.path.exists(f"/proc/{rank.read_text()}")


def test_without_the_startup_hook(
    environment: Path, kwker_run: list[str | Path], run: Run, tmp_path: Path
) -> None:
    (hook,) = environment.glob("lib/*/site-packages/kwker.pth")
    hook.rename(tmp_path / "kwker.pth")
    try:
        done = run(*kwker_run, "--", SCRIPT)
    finally:
        (tmp_path / "kwker.pth").rename(hook)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kwker: a launcher's processes would run without Kwker")
    assert len(done.stderr.splitlines()) == 1


def test_a_torch_built_without_distributed(
    kwker_run: list[str | Path], run: Run, tmp_path: Path
) -> None:
    torch = tmp_path / "torch"
    (torch / "distributed").mkdir(parents=True)
    (torch / "__init__.py").touch()
    (torch / "version.py").write_text("__version__ = '2.13.0'\n")
    (torch / "distributed/__init__.py").write_text("def is_available(): return False\n")
    done = run(*kwker_run, "--", SCRIPT, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is built without torch.distributed" in done.stderr
    assert len(done.stderr.splitlines()) == 1

"""What is wrong with `kwker run --launcher` is said in one line, before anything is launched."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import PROGRAM, SCRIPTS, assert_one_line, end_of, kwker, python_that_says

END = str(SCRIPTS / "end.py")
TORCHRUN = ["run", "--launcher", "torchrun"]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["run", "--launcher", "mpirun", "--", END], ["no launcher 'mpirun'", "torchrun"]),
        (["run", "--launcher", "--", END], ["--launcher"]),
        (["run", "--nproc-per-node", "2", "--", END], ["--nproc-per-node needs --launcher"]),
        (["run", "--nnodes", "2", "--", END], ["--nnodes needs --launcher"]),
        ([*TORCHRUN, "--nproc-per-node", "0", "--", END], ["--nproc-per-node", "'0'"]),
        ([*TORCHRUN, "--nproc-per-node", "-1", "--", END], ["--nproc-per-node"]),
        ([*TORCHRUN, "--nproc_per_node", "two", "--", END], ["'two' is not a whole number"]),
        ([*TORCHRUN, "--nproc-per-node", "gpu", "--", END], ["'gpu'", "for CPUs", "cpu, auto"]),
        ([*TORCHRUN, "--nnodes", "4:2", "--", END], ["--nnodes", "'4:2'"]),
        ([*TORCHRUN, "--node-rank", "x", "--", END], ["--node-rank", "'x'"]),
        ([*TORCHRUN, "--nnodes", "2", "--", END], ["--node-rank and --master-addr, or --rdzv"]),
        ([*TORCHRUN, "--nnodes=2", "--node_rank=2", "--", END], ["--node-rank 2", "from 0"]),
        ([*TORCHRUN, "--rdzv-backend", "zeus", "--", END], ["'zeus'", "c10d, etcd, etcd-v2"]),
        ([*TORCHRUN, "--master-port", "65536", "--", END], ["--master-port", "'65536'"]),
        ([*TORCHRUN, "--", "-c", "pass"], ["torchrun takes no -c", "file"]),
        ([*TORCHRUN, "--", "/no/such.py"], ["no such script: /no/such.py"]),
        ([*TORCHRUN, "--"], ["no script"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(words: list[str], parts: list[str]) -> None:
    assert_one_line(end_of(kwker(*words)), *parts)


def test_a_python_that_ranks_would_use_without_kwker(tmp_path: Path) -> None:
    facts: dict[str, str | bool] = {"torch": "2.13.0", "kwker_torch_release": "2.13"}
    python = python_that_says(tmp_path, **facts, startup_hook=False)
    ended = end_of([PROGRAM, *TORCHRUN, "--python", str(python), "--", END, "ok"])
    assert_one_line(ended, "reads no kwker.pth", "install Kwker's wheel")

"""Training frameworks on the CPU: the same bits with Kwker, and really Kwker's steps."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
import torch

from comparison import BESIDE_STEPS, differences_of, observe

# One process imports all: most of its time goes to that.
MODULES = ("transformers_runs", "accelerate_runs", "lightning_runs", "ignite_runs")

FUSED = "fused=True was asked for; without it a float32 step by Kwker is as fast or faster"
NESTEROV = "foreach=True with nesterov=True changes the gradients"
DTYPE = "dtype other than float32 and float64"

# The features that each run uses: calls served, one a step and parameter group, and left to torch.
EXPECTED: dict[str, dict[str, tuple[int, dict[str, int]]]] = {
    "transformers_runs.default_optimizer": {"optim.adamw": (0, {FUSED: 2 * 6})},
    "transformers_runs.adamw_torch_resumed": {"optim.adamw": (2 * (6 + 3), {})},
    "transformers_runs.adamw_torch_bf16": {"optim.adamw": (2 * 6, {})},
    "transformers_runs.sgd": {"optim.sgd": (2 * 6, {})},
    "transformers_runs.own_adam": {"optim.adam": (6, {})},
    "accelerate_runs.adam_accumulated_resumed": {"optim.adam": (4 + 4 + 4, {})},
    "accelerate_runs.adamw_bf16": {"optim.adamw": (16, {})},
    "accelerate_runs.sgd": {"optim.sgd": (16, {})},
    "accelerate_runs.adamw_foreach": {"optim.adamw": (8, {})},
    "lightning_runs.adamw_accumulated_clipped_averaged": {"optim.adamw": (8, {})},
    "lightning_runs.sgd_clipped_by_value": {"optim.sgd": (16, {})},
    "lightning_runs.adam_resumed": {"optim.adam": (8 + 11, {})},
    "lightning_runs.adam_and_sgd_in_turns": {"optim.adam": (8, {}), "optim.sgd": (8, {})},
    "lightning_runs.adamw_bf16_mixed": {"optim.adamw": (16, {})},
    "lightning_runs.adamw_float64": {"optim.adamw": (16, {})},
    "lightning_runs.adamw_bf16_true": {"optim.adamw": (0, {DTYPE: 16})},
    "lightning_runs.adamw_fused": {"optim.adamw": (0, {FUSED: 16})},
    "ignite_runs.sgd_accumulated_averaged": {"optim.sgd": (8, {})},
    "ignite_runs.adamw_warmed_up": {"optim.adamw": (16, {})},
    "ignite_runs.adam_clipped_resumed": {"optim.adam": (16 + 11, {})},
    "ignite_runs.nesterov_foreach": {"optim.sgd": (0, {NESTEROV: 8})},
}


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the runs left, without Kwker and with it."""
    folder = tmp_path_factory.mktemp("sides")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KWKER")}
    environment = clean | {
        "HF_HOME": str(folder / "hugging_face"),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }

    def start(side: str) -> subprocess.Popen[str]:
        (folder / side).mkdir()
        return subprocess.Popen(
            [sys.executable, "-m", "side", side, folder / f"{side}.pt", *MODULES],
            cwd=folder / side,
            env=environment,
            stdout=(folder / f"{side}.log").open("w"),
            stderr=subprocess.STDOUT,
            text=True,
        )

    running = {side: start(side) for side in ("without", "with")}  # both at once: two cores
    try:
        for side, process in running.items():
            assert process.wait(timeout=800) == 0, (folder / f"{side}.log").read_text()[-4000:]
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    return {side: torch.load(folder / f"{side}.pt", weights_only=False) for side in running}


@pytest.mark.parametrize("run", EXPECTED)
def test_same_bits(sides: dict[str, dict[str, Any]], run: str) -> None:
    left = {side: runs[run] for side, runs in sides.items()}
    assert {side: found["error"] for side, found in left.items() if "error" in found} == {}
    without = observe(lambda: left["without"]["left"])
    ours = observe(lambda: left["with"]["left"])
    assert len(without.result) > 20
    assert differences_of(without, ours) == []

    used = {
        name: (counts["calls"], counts["fallbacks"])
        for name, counts in left["with"]["stats"].items()
        if name not in BESIDE_STEPS and (counts["calls"] or counts["fallbacks"])
    }
    assert used == EXPECTED[run]


def test_every_run_is_compared(sides: dict[str, dict[str, Any]]) -> None:
    assert [list(runs) for runs in sides.values()] == [list(EXPECTED)] * 2

"""Workers of every kind get what their parent has installed, and nothing if it has not."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Run

# Prints what the parent has on, then what its workers have.
SCRIPT = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor

import torch

INSTALL, KIND = sys.argv[1:]


def features(_=None):
    import torch  # as any worker that uses it does

    if "kwker.torch_ops" not in sys.modules:
        return []
    import kwker.torch_ops as sto
    return [f.name for f in sto.features() if f.state == "on"]


class Features(torch.utils.data.Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, i):
        return features()


def keep(batch):
    return batch[0]


def ask():
    how, _, start = KIND.partition(" ")
    if how == "pool":
        with multiprocessing.get_context(start).Pool(1) as pool:
            return pool.map(features, [0])[0]
    if how == "executor":
        context = multiprocessing.get_context(start)
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            return executor.submit(features).result()
    if how == "loader":
        loader = torch.utils.data.DataLoader(
            Features(), num_workers=1, multiprocessing_context=start, collate_fn=keep
        )
        return list(loader)[0]
    if how == "joblib":
        import joblib
        parallel = joblib.Parallel(n_jobs=2, backend="loky")
        return parallel(joblib.delayed(features)() for _ in "ab")[0]


if __name__ == "__main__":
    if INSTALL == "code":
        import kwker.torch_ops as sto
        sto.install(["optim.adamw", "optim.sgd"])
    elif INSTALL == "undone":
        import kwker.torch_ops as sto
        sto.install()
        sto.uninstall()
    print(features(), ask())
"""

KINDS = [
    *(f"{how} {start}" for how in ("pool", "executor") for start in ("spawn", "forkserver")),
    *(f"loader {start}" for start in ("fork", "spawn", "forkserver")),
    "pool fork",
    "joblib",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("install", "variables", "expected"),
    [
        ("code", {}, ["optim.adamw", "optim.sgd"]),
        ("environment", {"KWKER_INSTALL": "1", "KWKER_FEATURES": "optim.adam"}, ["optim.adam"]),
        ("nothing", {}, []),
        ("undone", {}, []),
    ],
)
def test_workers(
    environment: Path,
    run: Run,
    tmp_path: Path,
    kind: str,
    install: str,
    variables: dict[str, str],
    expected: list[str],
) -> None:
    script = tmp_path / "workers.py"
    script.write_text(SCRIPT)
    done = run(environment / "bin/python", script, install, kind, **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{expected} {expected}\n", done.stderr


def test_a_subprocess_of_another_script(environment: Path, run: Run) -> None:
    code = """
import subprocess, sys
import kwker.torch_ops as sto
ask = "import torch, sys; print('kwker.torch_ops' in sys.modules)"
with sto.installed():
    subprocess.run([sys.executable, "-c", ask])
sys.stdout.flush()
subprocess.run([sys.executable, "-c", ask])
"""
    assert run(environment / "bin/python", "-c", code).stdout == "True\nFalse\n"

"""RESULT.json: what one run of an audit tells of itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import child_of_audit, end_of

TRAINING = """
import copy, io, pickle, torch
def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(2, 3)).sum()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), io.BytesIO())
    return [copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))]
if __name__ == "__main__":
    main()
"""


def result_of(folder: Path, code: str, **request: Any) -> dict[str, Any]:
    script = folder / "script.py"
    script.write_text(code)
    command, result = child_of_audit(folder, [str(script)], **request)
    env = {"KWKER_INSTALL": "1" if request.get("install") else "0"}
    ended = end_of(command, env=env)
    assert ended.status == 0, ended.err
    document: dict[str, Any] = json.loads(result.read_text())
    return document


def names(result: dict[str, Any]) -> list[str]:
    return [output["name"] for output in result["outputs"]]


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "as a program"])
def test_work_inside_functions(tmp_path: Path, embedded: bool) -> None:
    result = result_of(tmp_path, TRAINING, embedded=embedded)
    assert result["protocol"] == 1
    assert result["warnings"] == result["incomplete"] == []
    optimizer = [f"param_groups[0].params[{i}]" for i in (0, 1)] + [
        f"state[{i}].{key}" for i in (0, 1) for key in ("step", "exp_avg", "exp_avg_sq")
    ]
    assert names(result) == [
        *(f"backward[{i}]" for i in range(3)),
        *(f"saved[0]['{key}']" for key in ("weight", "bias")),
        *(f"optimizer[{i}].{name}" for i in range(3) for name in optimizer),
    ]


def test_the_two_sides(tmp_path: Path) -> None:
    without = result_of(tmp_path, TRAINING, install=False)
    with_kwker = result_of(tmp_path, TRAINING, install=True)
    assert without["outputs"] == with_kwker["outputs"]
    assert without["features"] == []
    calls = {f["name"]: f["calls"] for f in with_kwker["features"]}
    assert calls["optim.adamw"] == 3
    assert without["script"]["install_s"] == 0 < with_kwker["script"]["install_s"] < 5


def test_globals(tmp_path: Path) -> None:
    code = "import torch, numpy\nt = torch.ones(2)\nd = {'a': [numpy.ones(3)]}\n_x = t\n"
    result = result_of(tmp_path, code)
    assert [(o["name"], o["dtype"], o["shape"], o["bytes"]) for o in result["outputs"]] == [
        ("globals.t", "float32", [2], 8),
        ("globals.d['a'][0]", "numpy.float64", [3], 24),
    ]
    assert result["torch"]["version"].startswith("2.")
    assert result["torch"]["threads"] >= 1


def test_without_torch_it_stays_away(tmp_path: Path) -> None:
    result = result_of(tmp_path, "import numpy\na = numpy.array([1.0, numpy.nan])\n", install=True)
    assert result["torch"] is None
    assert result["features"] == []
    assert result["outputs"][0]["nans"] == 1
    assert result["script"]["wall_s"] < 1.5


def test_record(tmp_path: Path) -> None:
    code = "import kwker.audit\nfor i in range(2): kwker.audit.record('acc', 0.5 * i)\n"
    assert names(result_of(tmp_path, code)) == ["acc[0]", "acc[1]"]


def test_what_could_not_be_compared(tmp_path: Path) -> None:
    result = result_of(tmp_path, "import kwker.audit\nkwker.audit.record('f', print)\n")
    assert result["incomplete"] == [
        "f[0], recorded by the script, has nothing to compare in it (builtin_function_or_method)"
    ]
    # Without torch the extension module cannot be loaded.
    broken = "import sys\nfrom kwker import audit\naudit._recorder.watch(sys)\n"
    assert result_of(tmp_path, broken)["incomplete"] == ["the recorder failed (ImportError)"]


CYCLE = """
import torch
class Callback:
    def __init__(self, trainer): self.trainer = trainer
class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=RATE)
        self.callbacks = [Callback(self)]
    def fit(self):
        self.model(torch.ones(2, 3)).sum().backward()
        self.optimizer.step()
def main():
    torch.manual_seed(0)
    Trainer().fit()
main()
"""


@pytest.mark.parametrize(
    "collected", ["", "import gc\ngc.collect()\n"], ids=["at the end", "before"]
)
def test_an_optimizer_in_a_cycle(tmp_path: Path, collected: str) -> None:
    def outputs(rate: str) -> dict[str, str]:
        result = result_of(tmp_path, CYCLE.replace("RATE", rate) + collected)
        return {output["name"]: output["digest"] for output in result["outputs"]}

    one, other = outputs("0.1"), outputs("0.2")
    names = ["backward[0]"] + [f"optimizer[0].param_groups[0].params[{i}]" for i in (0, 1)]
    assert list(one) == list(other) == names
    assert [name for name in names if one[name] != other[name]] == names[1:]


def test_gradients_and_scripted_modules(tmp_path: Path) -> None:
    code = (
        "import torch, warnings\nwarnings.simplefilter('ignore')\n"
        "norm = torch.jit.script(torch.nn.BatchNorm1d(3))\n"
        "norm(torch.ones(2, 3)).sum().backward()\n"
    )
    assert names(result_of(tmp_path, code)) == [
        "backward[0]",
        *(f"globals.norm.{n}" for n in ("weight", "weight.grad", "bias", "bias.grad")),
        *(f"globals.norm.{n}" for n in ("running_mean", "running_var", "num_batches_tracked")),
    ]


def test_seed(tmp_path: Path) -> None:
    code = (
        "import random, numpy, torch\n"
        "t = torch.rand(2)\na = numpy.random.rand(2)\n"
        "p = torch.tensor(random.random(), dtype=torch.float64)\n"
    )
    seeded = [result_of(tmp_path, code, seed=seed)["outputs"] for seed in (7, 7, 8)]
    assert seeded[0] == seeded[1]
    assert all(a != b for a, b in zip(seeded[0], seeded[2], strict=True))
    expected = "import numpy, random, torch\nnumpy.random.seed(7)\nrandom.seed(7)\n"
    expected += "torch.manual_seed(7)\n" + code.split("\n", 1)[1]
    assert result_of(tmp_path, expected)["outputs"] == seeded[0]


def test_seed_leaves_a_random_of_the_scripts_own_alone(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("def seed(x): raise AssertionError\n")
    assert result_of(tmp_path, "import random\n", seed=1)["incomplete"] == []


def test_started_by_another_python(tmp_path: Path) -> None:
    """As the program starts a Python without libpython: nothing of the current folder gets in."""
    for name in ("json", "resource", "runpy", "zipfile", "hashlib", "contextlib"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError(__name__)\n")
    (tmp_path / "script.py").write_text("import sys\nprint(sys.path[0], sys.argv)\n")
    child_of_audit(tmp_path, ["script.py", "x"])
    code = "import sys; del sys.path[0]; from kwker import _child; _child.start(sys.argv[1])"
    command = [sys.executable, "-c", code, str(tmp_path / "REQUEST.json")]
    ended = end_of(command, cwd=tmp_path)
    assert (ended.status, ended.out) == (0, f"{tmp_path} ['script.py', 'x']\n"), ended.err
    assert json.loads((tmp_path / "RESULT.json").read_text())["protocol"] == 1


def test_clocks(tmp_path: Path) -> None:
    code = (
        "import atexit, subprocess, sys, time\n"
        "atexit.register(time.sleep, 0.2)\ntime.sleep(0.2)\n"
        "subprocess.run([sys.executable, '-c', 'for i in range(10**7): pass'])\n"
    )
    script = result_of(tmp_path, code)["script"]
    assert 0.4 < script["wall_s"] < 10
    assert script["cpu_user_s"] > 0.1  # the child's
    assert script["overhead_s"] == 0


def test_overhead_is_taken_off(tmp_path: Path) -> None:
    code = (
        "import io, time, torch\nt = torch.zeros(50_000_000)\nstart = time.perf_counter()\n"
        "class Null(io.RawIOBase):\n    def write(self, b): return len(b)\n"
        "for _ in range(3): torch.save(t, Null())\n"
    )
    script = result_of(tmp_path, code)["script"]
    assert script["overhead_s"] > 0.01


@pytest.mark.parametrize(
    "code",
    [
        "import os, sys\nif os.fork() == 0: sys.exit(3)\nos.wait()\n",
        "import multiprocessing as m\nm.get_context('fork').Process(target=print).start()\n",
        "import sys\nsys.exit(0)\n",
        "import sys\nsys.modules['__main__'] = None\n",
        "import sys\nsys.modules.clear()\n",
        "import torch\ndel torch.save\n",
    ],
    ids=["fork", "worker", "exit", "no main", "no modules", "damaged torch"],
)
def test_there_is_always_a_result(tmp_path: Path, code: str) -> None:
    assert result_of(tmp_path, code)["protocol"] == 1


def test_a_script_that_installs_it_itself(tmp_path: Path) -> None:
    result = result_of(tmp_path, "import kwker.torch_ops as k\nk.install()\n")
    assert "installs Kwker itself" in result["warnings"][0]


def test_memory_is_what_it_would_be(tmp_path: Path) -> None:
    """Of 40 optimizers over 40 MB each, one after the other, none is kept."""
    code = (
        "import resource, torch\n"
        "def train():\n"
        "    p = torch.nn.Parameter(torch.ones(10_000_000))\n"
        "    o = torch.optim.SGD([p], lr=0.1)\n    p.sum().backward()\n    o.step()\n"
        "for _ in range(40): train()\n"
        "assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 800_000\n"
    )
    assert len(result_of(tmp_path, code)["outputs"]) == 40 + 40

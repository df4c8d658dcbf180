"""A kernel that is wrong by one bit, in a package built so, is found out and not used."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import kwker
from processes import run

WRONG = Path(os.environ["KWKER_WRONG_MODULE"]).absolute()


@pytest.fixture(scope="module")
def wrong_package(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with this very package but for the extension module; its file's name is the same."""
    root = tmp_path_factory.mktemp("wrong")
    package = root / "kwker"
    shutil.copytree(Path(kwker.__file__).parent, package, ignore=shutil.ignore_patterns("__py*"))
    assert (package / WRONG.name).exists()
    (package / WRONG.name).unlink()
    shutil.copy(WRONG, package / WRONG.name)
    return str(root)


TRAIN = """
import json, sys, torch, warnings

def train(kind, **options):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = kind(model.parameters(), lr=0.01, **options)
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.ones(4, 8)).square().sum().backward()
        optimizer.step()
    return [p.detach().numpy().tobytes().hex() for p in model.parameters()]

def all():
    return [train(torch.optim.AdamW), train(torch.optim.Adam), train(torch.optim.SGD)]

theirs = all()
import kwker.torch_ops as sto
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    sto.install(verify=sys.argv[1] == "verify")
ours = all()
found = sto.verify()["optim.adamw"] if sys.argv[1] == "at length" else None
after = all() if found else ours
print(json.dumps({
    "warnings": [str(w.message) for w in caught],
    "equal": [a == b for a, b in zip(ours, theirs)],
    "equal_after": [a == b for a, b in zip(after, theirs)],
    "features": {f.name: (f.state, f.detail) for f in sto.features()},
    "stats": sto.stats(),
    "found": found and found._asdict(),
}))
"""


def answer(package: str, how: str) -> dict[str, Any]:
    done = run(TRAIN, how, PYTHONPATH=package)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_plant_is_wrong_where_nothing_checks(wrong_package: str) -> None:
    found = answer(wrong_package, "unchecked")
    assert found["equal"] == [False, True, True]
    assert found["stats"]["optim.adamw"]["calls"] == 20


def test_install_leaves_it_off_with_one_warning(wrong_package: str) -> None:
    found = answer(wrong_package, "verify")
    assert found["equal"] == [True, True, True]
    (warning,) = found["warnings"]
    state, detail = found["features"].pop("optim.adamw")
    assert state == "failed self-check"
    assert "param[" in detail and "differs" in detail
    assert warning == (
        f"kwker: optim.adamw differs from torch on this machine ({detail}) and stays off"
    )
    others = [kept for name, kept in found["features"].items() if name.startswith("optim.")]
    assert {state for state, _ in others} == {"on"}
    counts = found["stats"]
    assert (counts["optim.adamw"]["state"], counts["optim.adamw"]["calls"]) == (state, 0)
    assert counts["optim.adam"]["calls"] == counts["optim.sgd"]["calls"] == 20


def test_verify_switches_it_off_where_it_was_on(wrong_package: str) -> None:
    found = answer(wrong_package, "at length")
    assert found["equal"] == [False, True, True]
    assert found["equal_after"] == [True, True, True]
    assert not found["found"]["equal"] and "param[" in found["found"]["difference"]
    assert found["features"]["optim.adamw"][0] == "failed self-check"
    assert found["features"]["optim.adam"][0] == "on"


def test_info_says_so(wrong_package: str) -> None:
    code = "import json; from kwker import _info; print(json.dumps(_info.describe('at length')))"
    done = run(code, PYTHONPATH=wrong_package)
    assert (done.returncode, done.stderr) == (0, "")
    info = json.loads(done.stdout)
    assert info["self_check"] == "failed: optim.adamw"
    assert {f["name"]: f["state"] for f in info["features"]}["optim.adamw"] == "failed self-check"
    assert "differs" in info["verification"]["table"]

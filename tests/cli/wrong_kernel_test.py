"""An audit with a kernel planted that is wrong by one bit: it names the feature and the place."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kwker
from kwker import _audit_run
from processes import audit, end_of

WRONG = Path(os.environ["KWKER_WRONG_MODULE"]).absolute()
SCHEMA = Path(os.environ.get("SCHEMA", "audit/report.schema.json"))

# Four optimizers and gradient clipping take part, AdamW is wrong.
TRAINING = """
import torch
torch.set_num_threads(1)
torch.manual_seed(0)

def train(kind, **options):
    model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = kind(model.parameters(), lr=0.01, **options)
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.ones(4, 8)).square().sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model

models = [train(torch.optim.SGD), train(torch.optim.Adam), train(torch.optim.RMSprop)]
models.append(train(torch.optim.AdamW))
"""


@pytest.fixture(scope="module")
def wrong_package(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with this very package but for the extension module."""
    root = tmp_path_factory.mktemp("wrong")
    package = root / "kwker"
    shutil.copytree(Path(kwker.__file__).parent, package, ignore=shutil.ignore_patterns("__py*"))
    (package / WRONG.name).unlink()
    shutil.copy(WRONG, package / WRONG.name)
    return str(root)


@pytest.fixture(autouse=True)
def use_it(wrong_package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unchecked: the self-check would find it out before the script starts."""
    monkeypatch.setenv("PYTHONPATH", wrong_package)
    monkeypatch.setenv("KWKER_VERIFY", "0")


def is_as_the_schema_says(report: dict[str, Any]) -> bool:
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(report)
    return True


def test_the_feature_and_the_first_tensor(tmp_path: Path) -> None:
    page, comment = tmp_path / "page.html", tmp_path / "comment.md"
    ended, report = audit(
        tmp_path, TRAINING, "--require-equal", "--html", page, "--markdown", comment
    )
    assert ended.status == 1, ended
    assert is_as_the_schema_says(report)
    assert report["verdict"]["outputs"] == "different"
    # After 60 steps of the others and AdamW's first one.
    first = report["outputs"]["first_difference"]
    assert first.startswith("backward[6")
    explanation = report["explanation"]
    assert explanation["cause"] == {"found": "features", "features": ["optim.adamw"]}
    elements = explanation["elements"]
    assert (elements["output"], elements["count"], elements["differing"]) == (first, 1, 1)
    assert 0 < elements["largest"] < 1e-4
    assert 0 < elements["largest_ulps"] < 10_000
    assert 0 < explanation["outputs_differing"] < explanation["outputs"]
    for text in (ended.out, page.read_text(), comment.read_text().replace("\\", "")):
        assert f"first in {first}, because of optim.adamw" in " ".join(text.split())
        assert "KWKER_DISABLE=optim.adamw" in text
        assert f"in {first} 1 of 1 element differs" in " ".join(text.split())
    assert all(
        "optim.adamw" in p["features_off"]
        for p in explanation["probes"]
        if not p["differs"] and p["run"]["side"] == "b"
    )
    assert report["script"]["kwker_environment"] == {"KWKER_VERIFY": "0"}
    assert _audit_run._result(report, ended.out, ended.status).causes == ("optim.adamw",)


def test_without_a_trail(tmp_path: Path) -> None:
    """Then it is the parameters in which it shows first. Features on both sides are innocent."""
    code = (
        "import torch\n"
        "weight = torch.nn.Parameter(torch.linspace(-1, 1, 64))\n"
        "weight.grad = torch.ones(64)\n"
        "torch.optim.AdamW([weight]).step()\n"
    )
    sides = ["--a", "kwker=optim.sgd", "--b", "kwker=optim.sgd+optim.adamw"]
    ended, report = audit(tmp_path, code, *sides)
    explanation = report["explanation"]
    assert explanation["cause"]["features"] == ["optim.adamw"], ended
    named = {name for probe in explanation["probes"] for name in probe["features_off"]}
    assert named == {"optim.sgd", "optim.adamw"}
    elements = explanation["elements"]
    # As wrong_adam.cc has it: every fifth element from the third on, by the last bit.
    assert (elements["count"], elements["differing"], elements["first"]) == (64, 13, 2)
    assert elements["largest_ulps"] == 1
    text = " ".join(ended.out.split())
    assert f"in {report['outputs']['first_difference']} 13 of 64 elements differ" in text


def test_within_the_time(tmp_path: Path) -> None:
    ended, report = audit(tmp_path, TRAINING, "--pairs", 1, "--max-time", 0.5)
    assert report["verdict"]["outputs"] == "different", ended
    assert report["explanation"]["cause"] == {"found": "unfinished", "features": []}
    assert "--max-time" in report["explanation"]["unfinished"]
    assert report["explanation"]["probes"] == []
    assert "not found out: the time (--max-time 0.5) is over" in ended.out


def test_what_is_no_features_doing(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "asked = int(os.environ['KWKER_INSTALL'])\n"
        "import torch\n"
        "ones = torch.ones(asked + 1)\n"
    )
    ended, report = audit(tmp_path, code)
    assert report["explanation"]["cause"] == {"found": "not features", "features": []}, ended
    assert "none of Kwker's features" in ended.out


def test_a_script_that_fails_with_it(tmp_path: Path) -> None:
    code = TRAINING + "bits = models[3][0].weight.detach().numpy().tobytes().hex()\n"
    plain = end_of([sys.executable, "-c", code + "print(bits)\n"])
    assert plain.status == 0, plain
    ended, report = audit(tmp_path, code + f"assert bits == '{plain.out.strip()}'\n")
    assert ended.status == 1
    assert report["ending"] == "kwker failed"
    assert report["explanation"]["cause"]["features"] == ["optim.adamw"]
    assert "exit status 1, because of optim.adamw" in " ".join(ended.out.split())
    assert "with it off the script passes" in ended.out

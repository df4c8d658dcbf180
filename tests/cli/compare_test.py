"""`kwker compare`: two reports against each other, and whatever is given for one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from processes import PROGRAM, Ended, assert_one_line, end_of, kwker


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.json"
    code = "import kwker.audit\nkwker.audit.record('x', 1)\n"
    end_of(kwker("audit", "--pairs", 2, "--warmup", 0, "--json", path, "--", "-c", code))
    return path


def compare(*words: object) -> Ended:
    return end_of([PROGRAM, "compare", *map(str, words)])


def test_with_itself(report: Path) -> None:
    ended = compare(report, report)
    assert ended.status == 0, ended
    assert "same outputs with Kwker in both" in ended.out
    assert "not the same" not in ended.out
    ended = compare(report, report, "--json", "-")
    document = json.loads(ended.out)
    assert document["schema"] == "kwker.compare/1"
    assert document["verdict"]["outputs"] == "equal"
    assert document["changes"]["speedup"]["ratio"] == pytest.approx(1)


def test_what_changed(report: Path, tmp_path: Path) -> None:
    document = json.loads(report.read_text())
    for run in document["runs"]:
        if run["side"] == "b":
            run["wall_s"] *= 100
        for output in run["outputs"] or []:
            output["digest"] = "0" * 32
    document["versions"]["python"] = "3.11.99"
    new, out = tmp_path / "new.json", tmp_path / "comparison.json"
    new.write_text(json.dumps(document))
    ended = compare(report, new, "--json", out)
    assert "other outputs, first in " in ended.out
    assert "python: 3.11.99, before 3.11." in ended.out
    document = json.loads(out.read_text())
    assert document["verdict"]["outputs"] == "different"
    assert document["changes"]["speedup"]["ratio"] == pytest.approx(0.01)
    assert document["changes"]["without_wall_s"]["ratio"] == pytest.approx(1)


def test_wrong_usage(report: Path, tmp_path: Path) -> None:
    assert_one_line(compare(report), "NEW.json")
    assert_one_line(compare(report, "/no/such.json"), "cannot read /no/such.json")
    assert_one_line(compare(tmp_path, report), "cannot read", "directory")
    assert_one_line(compare(report, "/dev/null"), "/dev/null is not JSON")
    assert_one_line(compare(report, report, "--json", "/no/such/folder/x"), "/no/such/folder")
    assert_one_line(compare(report, report, "--json", ""), "name a file")
    assert_one_line(compare(report, report, report), "not expected")
    assert_one_line(compare(report, report, "--", "x.py"), "no script")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a document but itself."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    found = [path] if path else []
    for key, item in items:
        found += places(item, (*path, key))
    return found


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_report(report: Path, tmp_path: Path, data: st.DataObject) -> None:
    """Compared, or one line says what is wrong: never a crash."""
    document = json.loads(report.read_text())
    damaged = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(places(damaged)))
        holder = damaged
        for key in way:
            holder = holder[key]
        if data.draw(st.booleans()):
            holder[last] = data.draw(values)
        else:
            del holder[last]
    text = json.dumps(damaged)
    if data.draw(st.booleans()):
        text = text[: data.draw(st.integers(0, len(text)))]
    path = tmp_path / "damaged.json"
    path.write_text(text)
    ended = compare(path, report)
    if ended.status != 0:
        assert_one_line(ended, str(path))

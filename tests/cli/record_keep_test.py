"""The values of one output, kept in a file for a closer look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kwker import _record_keep
from kwker._record import Recorder
from kwker._record_keep import Keeper
from kwker._record_trail import SINGLE_VALUES


def kept(path: Path) -> list[tuple[dict[str, Any], bytes]]:
    found = []
    data = path.read_bytes() if path.exists() else b""
    while data:
        line, _, data = data.partition(b"\n")
        header = json.loads(line)
        found.append((header, data[: header["bytes"]]))
        data = data[header["bytes"] :]
    return found


def keep(path: Path, value: object) -> tuple[dict[str, Any], bytes] | None:
    path.unlink(missing_ok=True)
    Keeper("x", str(path)).look("x", value)
    entries = kept(path)
    return entries[0] if entries else None


@pytest.mark.parametrize(
    "value",
    [
        torch.arange(6.0).reshape(2, 3),
        torch.arange(6.0).reshape(2, 3).t(),
        torch.nn.Parameter(torch.ones(3)),
        torch.tensor(1.5, dtype=torch.bfloat16),
        torch.ones(2, dtype=torch.complex64).conj(),
        torch.zeros(0),
    ],
    ids=["dense", "strided", "parameter", "bfloat16", "conjugate", "empty"],
)
def test_tensors(tmp_path: Path, value: torch.Tensor) -> None:
    entry = keep(tmp_path / "kept", value)
    assert entry is not None
    header, data = entry
    assert header["name"] == "x"
    assert "torch." + header["dtype"] == str(value.dtype)
    assert header["shape"] == list(value.shape)
    plain = value.detach().resolve_conj().contiguous().reshape(-1)
    assert data == plain.view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, "float64"),
        (-7, "int64"),
        (1j, "complex128"),
        (np.float32(2), "float32"),
        (np.arange(4, dtype=">i2")[::2], "int16"),
    ],
    ids=repr,
)
def test_numbers_and_arrays(tmp_path: Path, value: Any, dtype: str) -> None:
    entry = keep(tmp_path / "kept", value)
    assert entry is not None
    header, data = entry
    assert header["dtype"] == dtype
    assert np.frombuffer(data, dtype).tolist() == np.atleast_1d(value).tolist()


@pytest.mark.parametrize(
    "value",
    [
        "text",
        None,
        1 << 70,
        torch.ones(2, device="meta"),
        torch.eye(2).to_sparse(),
        np.array([None]),
    ],
    ids=["text", "none", "long", "meta", "sparse", "objects"],
)
def test_what_has_no_elements_to_compare(tmp_path: Path, value: object) -> None:
    assert keep(tmp_path / "kept", value) is None


def test_not_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_record_keep, "MAX_BYTES", 100)
    assert keep(tmp_path / "kept", torch.ones(25)) is not None
    assert keep(tmp_path / "kept", torch.ones(26)) is None


def test_by_name(tmp_path: Path) -> None:
    keeper = Keeper("a[1]", str(tmp_path / "kept"))
    for name in ("a[0]", "a[1]", "a[10]", "b[1]"):
        keeper.look(name, 1.0)
    assert [header["name"] for header, _ in kept(tmp_path / "kept")] == ["a[1]"]


def test_a_part_of_a_trail(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    keeper = Keeper("loss[2..4]", str(path))
    recorder = Recorder(keeper)
    for i in range(6):
        recorder.record("loss", float(i))
    recorder.record("other", 7.0)
    assert [header["name"] for header, _ in kept(path)] == ["loss[2]", "loss[3]", "loss[4]"]


def test_where_trails_are_combined(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    name = f"loss[{SINGLE_VALUES}..{SINGLE_VALUES + 1}]"
    recorder = Recorder(Keeper(name, str(path)))
    for i in range(SINGLE_VALUES + 2):
        recorder.record("loss", i)
    assert [output.name for output in recorder.finish({})][-1] == name
    assert len(kept(path)) == 2


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """The run goes on; its outputs are complete."""
    recorder = Recorder(Keeper("x[0]", str(tmp_path / "no" / "folder")))
    recorder.record("x", 1.0)
    recorder.record("x", 2.0)
    assert [output.name for output in recorder.finish({})] == ["x[0]", "x[1]"]
    assert recorder.incomplete == []

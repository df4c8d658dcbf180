"""Features of libraries that the program imports when it likes, shown on a sample library."""

from __future__ import annotations

import importlib
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
import torch

import kwker.torch_ops as sto
from kwker import _switch
from kwker._registry import FEATURES, Feature, register

LIBRARY, NAME = "sample_images", "sample.blur"


class SamplePatch:
    """Puts `blur` of the sample library in the place of its own."""

    original: Any = None

    def __init__(self) -> None:
        self.hook = lambda: "ours"

    def prepare(self) -> bool:
        if self.original is None:
            self.original = sys.modules[LIBRARY].blur
        return True

    def apply(self) -> bool:
        vars(sys.modules[LIBRARY])["blur"] = self.hook
        return True

    def undo(self, stacklevel: int) -> None:
        if self.original is not None:
            vars(sys.modules[LIBRARY])["blur"] = self.original

    def stands_for(self, function: object) -> bool:
        return function is self.hook

    def covered(self) -> str:
        return ""


class SampleCounters:
    """In the place of the extension module's, which are made there only."""

    enabled = False
    calls = elements = 0
    seconds = 0.0
    fallbacks: ClassVar[dict[str, int]] = {}

    def reset(self) -> None: ...

    def begin_trial(self) -> None: ...

    def end_trial(self) -> None: ...


@pytest.fixture
def feature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Feature]:
    (tmp_path / f"{LIBRARY}.py").write_text("def blur():\n    return 'theirs'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    meta_path = list(sys.meta_path)
    checks: list[bool] = []

    def verify() -> str:
        checks.append(LIBRARY in sys.modules)
        return ""

    counters: Any = SampleCounters()
    made = Feature(
        NAME, "sample_images.blur", "2.13", counters, SamplePatch(), verify, library=LIBRARY
    )
    monkeypatch.setattr(made, "checks", checks, raising=False)
    register(made)
    yield made
    sto.uninstall()
    assert sys.meta_path == meta_path
    sys.modules.pop(LIBRARY, None)
    del FEATURES[NAME]


def blur() -> str:
    return str(importlib.import_module(LIBRARY).blur())


def checks(feature: Feature) -> list[bool]:
    return vars(feature)["checks"]  # type: ignore[no-any-return]


def test_waits_for_the_library_and_imports_nothing(
    feature: Feature, monkeypatch: pytest.MonkeyPatch
) -> None:
    sto.install()
    assert LIBRARY not in sys.modules and checks(feature) == []
    assert (feature.state, feature.detail) == ("not yet imported", f"waits for {LIBRARY}")
    assert NAME in os.environ["KWKER_FEATURES"]  # workers may import it
    assert sto.stats()[NAME]["state"] == "not yet imported"
    with monkeypatch.context() as only:
        only.setattr("kwker.torch_ops.FEATURES", {NAME: feature})
        found = sto.verify()
    assert found.equal and not found[NAME].equal
    assert (found[NAME].cases, found[NAME].difference) == (0, f"waits for {LIBRARY}")
    assert LIBRARY not in sys.modules
    assert blur() == "ours"
    assert (feature.state, checks(feature)) == ("on", [True])
    sto.uninstall()
    assert (blur(), feature.state) == ("theirs", "off")
    sto.install()
    assert (blur(), checks(feature)) == ("ours", [True])


def test_is_served_at_once_where_the_library_is_there(feature: Feature) -> None:
    assert blur() == "theirs"
    sto.install()
    assert (blur(), feature.state, checks(feature)) == ("ours", "on", [True])


@pytest.mark.parametrize("how", ["uninstall", "disable", "exclude"])
def test_waits_no_longer_once_it_is_off(feature: Feature, how: str) -> None:
    sto.install()
    if how == "uninstall":
        sto.uninstall()
    elif how == "disable":
        sto.disable("sample")
    else:
        sto.install(exclude=[NAME])
    assert feature.state == ("off" if how == "uninstall" else "off by user")
    assert NAME not in os.environ.get("KWKER_FEATURES", "")
    assert (blur(), checks(feature)) == ("theirs", [])


def test_a_block_ends_before_the_library_comes(feature: Feature) -> None:
    with sto.installed([NAME]):
        assert feature.state == "not yet imported"
    assert (feature.state, blur()) == ("off", "theirs")


def test_a_library_that_comes_while_another_choice_holds_is_checked_later(feature: Feature) -> None:
    sto.install()
    with sto.installed(["optim"]):
        assert (blur(), checks(feature)) == ("theirs", [])
    assert (blur(), checks(feature)) == ("ours", [True])


def test_unchecked_where_the_user_said_so(feature: Feature) -> None:
    sto.install(verify=False)
    assert (blur(), checks(feature)) == ("ours", [])


def test_a_late_difference_keeps_the_library_as_it_is(
    feature: Feature, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature, "verify", lambda: "blur differs")
    sto.install()
    with pytest.warns(RuntimeWarning, match=r"sample.blur differs from torch .*\(blur differs\)"):
        importlib.import_module(LIBRARY)
    assert (blur(), feature.state, feature.detail) == (
        "theirs",
        "failed self-check",
        "blur differs",
    )


@pytest.mark.parametrize("library", ["def unblur():\n    pass\n", "raise RuntimeError('broken')\n"])
def test_a_library_that_is_not_as_expected_is_imported_all_the_same(
    feature: Feature, tmp_path: Path, caplog: pytest.LogCaptureFixture, library: str
) -> None:
    (tmp_path / f"{LIBRARY}.py").write_text(library)
    importlib.invalidate_caches()
    sto.install()
    if "broken" in library:
        with pytest.raises(RuntimeError, match="broken"):
            importlib.import_module(LIBRARY)
        assert feature.state == "not yet imported"
        return
    with caplog.at_level(logging.WARNING, "kwker"):
        imported: ModuleType = importlib.import_module(LIBRARY)
    assert imported.unblur() is None
    assert feature.state != "on"
    (record,) = caplog.records
    assert record.message.startswith(f"nothing of {LIBRARY}'s is replaced: ")
    assert record.message.count("has no attribute 'blur'") == 1


def test_imported_inside_a_trace_it_is_left_alone(
    feature: Feature, caplog: pytest.LogCaptureFixture
) -> None:
    sto.install()

    def traced(x: torch.Tensor) -> torch.Tensor:
        assert blur() == "theirs"
        return x + 1

    with caplog.at_level(logging.WARNING, "kwker"):
        torch.jit.trace(traced, torch.ones(1), check_trace=False)
    assert "cannot run inside torch.compile or torch.jit.trace" in caplog.text
    assert feature.state != "on"
    sto.install()
    assert (blur(), feature.state) == ("ours", "on")


def test_an_import_does_not_wait_for_an_install_that_waits_for_imports(feature: Feature) -> None:
    """The importing thread holds the lock of the import, which an install() may be waiting for."""
    sto.install(NAME)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with _switch.lock:
            held.set()
            done.wait(timeout=60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(timeout=60)
    importlib.import_module(LIBRARY)
    assert not done.is_set()  # the import has ended while the lock was held
    states = [str(feature.state)]
    done.set()
    holder.join()
    deadline = time.monotonic() + 60
    while states[-1] != "on" and time.monotonic() < deadline:
        time.sleep(0.01)
        states.append(str(feature.state))
    assert set(states) == {"not yet imported", "on"}

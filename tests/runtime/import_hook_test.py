"""kwker._import_hook: callbacks at imports, and nothing else changed."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kwker import _import_hook


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that has not been imported, with a module inside."""
    (tmp_path / "sample_library").mkdir()
    (tmp_path / "sample_library" / "__init__.py").write_text("value = 1\n")
    (tmp_path / "sample_library" / "inner.py").write_text("value = 2\n")
    (tmp_path / "broken_library.py").write_text("raise RuntimeError('on purpose')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [n for n in sys.modules if n.startswith("sample_library")]:
        del sys.modules[name]
    return "sample_library"


def test_calls_back_when_the_code_has_run(library: str) -> None:
    seen: list[ModuleType] = []
    _import_hook.when_imported(library, seen.append)
    assert seen == []
    module = importlib.import_module(library)
    assert seen == [module]
    assert module.value == 1


def test_calls_back_at_once_for_what_is_there(library: str) -> None:
    module = importlib.import_module(library)
    seen: list[ModuleType] = []
    _import_hook.when_imported(library, seen.append)
    assert seen == [module]


def test_submodules_and_several_callbacks(library: str) -> None:
    seen: list[str] = []
    _import_hook.when_imported(library + ".inner", lambda m: seen.append("first"))
    _import_hook.when_imported(library + ".inner", lambda m: seen.append("second"))
    importlib.import_module(library)
    assert seen == []
    importlib.import_module(library + ".inner")
    assert seen == ["first", "second"]


def test_leaves_module_and_path_as_they_would_be(library: str) -> None:
    before = list(sys.meta_path)
    _import_hook.when_imported(library, lambda m: None)
    module = importlib.import_module(library)
    assert sys.meta_path == before
    assert module.__spec__ is not None and module.__spec__.loader is module.__loader__
    assert "exec_module" not in vars(module.__loader__)
    assert inspect.getsource(module) == "value = 1\n"
    assert importlib.reload(module) is module


def test_an_import_that_fails_stays_the_users_error(library: str) -> None:
    seen: list[ModuleType] = []
    _import_hook.when_imported("broken_library", seen.append)
    with pytest.raises(RuntimeError, match="on purpose"):
        importlib.import_module("broken_library")
    assert seen == []
    _import_hook._waiting.clear()


def test_a_library_that_does_not_exist_stays_missing() -> None:
    _import_hook.when_imported("no_such_library_at_all", lambda m: None)
    with pytest.raises(ModuleNotFoundError, match="no_such_library_at_all"):
        importlib.import_module("no_such_library_at_all")
    _import_hook._waiting.clear()

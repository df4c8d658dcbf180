"""kwker._import_hook: callbacks at imports, and nothing else changed."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

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
    _import_hook.cancel("broken_library", seen.append)


def test_a_library_that_does_not_exist_stays_missing() -> None:
    seen: list[ModuleType] = []
    _import_hook.when_imported("no_such_library_at_all", seen.append)
    with pytest.raises(ModuleNotFoundError, match="no_such_library_at_all"):
        importlib.import_module("no_such_library_at_all")
    _import_hook.cancel("no_such_library_at_all", seen.append)


SLOW = """
import threading
begun, go_on = threading.Event(), threading.Event()
import __main__
__main__.slow_library = (begun, go_on)
begun.set()
assert go_on.wait(60)
{ending}
"""


@contextlib.contextmanager
def import_on_another_thread(tmp_path: Path, ending: str) -> Iterator[None]:
    """The body runs while another thread imports slow_library; then that import ends."""
    (tmp_path / "slow_library.py").write_text(SLOW.format(ending=ending))
    importlib.invalidate_caches()
    failed: list[Exception] = []

    def work() -> None:
        try:
            importlib.import_module("slow_library")
        except RuntimeError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: hasattr(sys.modules["__main__"], "slow_library"))
    begun, go_on = vars(sys.modules["__main__"])["slow_library"]
    begun.wait(60)
    try:
        yield
    finally:
        go_on.set()
        thread.join()
        del vars(sys.modules["__main__"])["slow_library"]
    assert [str(error) for error in failed] == (["on purpose"] if "raise" in ending else [])


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def our_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("kwker")]


@pytest.mark.usefixtures("library")
def test_an_import_under_way_in_another_thread_is_served_at_its_end(tmp_path: Path) -> None:
    before = list(sys.meta_path)
    seen: list[ModuleType] = []
    with import_on_another_thread(tmp_path, "value = 3"):
        _import_hook.when_imported("slow_library", seen.append)
        _import_hook.when_imported("slow_library", seen.append)
        module = sys.modules["slow_library"]
        assert not hasattr(module, "value")
        assert seen == [] and our_threads() == ["kwker-import"]
    wait_until(lambda: seen != [] and our_threads() == [])
    assert seen == [module] and module.value == 3
    assert "exec_module" not in vars(module.__loader__)
    assert sys.meta_path == before
    del sys.modules["slow_library"]


@pytest.mark.usefixtures("library")
def test_one_that_fails_there_is_waited_for_again(tmp_path: Path) -> None:
    before = list(sys.meta_path)
    seen: list[ModuleType] = []
    with import_on_another_thread(tmp_path, "raise RuntimeError('on purpose')"):
        _import_hook.when_imported("slow_library", seen.append)
    wait_until(lambda: our_threads() == [])
    assert seen == [] and "slow_library" not in sys.modules
    (tmp_path / "slow_library.py").write_text("value = 4\n")
    importlib.invalidate_caches()
    module = importlib.import_module("slow_library")
    assert seen == [module] and module.value == 4
    assert sys.meta_path == before
    del sys.modules["slow_library"]


@pytest.mark.usefixtures("library")
def test_one_that_is_cancelled_meanwhile_leaves_nothing(tmp_path: Path) -> None:
    before = list(sys.meta_path)
    seen: list[ModuleType] = []
    with import_on_another_thread(tmp_path, "raise RuntimeError('on purpose')"):
        _import_hook.when_imported("slow_library", seen.append)
        _import_hook.cancel("slow_library", seen.append)
        wait_until(lambda: our_threads() == [])
    assert seen == [] and sys.meta_path == before


@pytest.mark.usefixtures("library")
def test_asked_for_again_during_an_import_that_is_looked_out_for(tmp_path: Path) -> None:
    seen: list[ModuleType] = []
    _import_hook.when_imported("slow_library", seen.append)
    with import_on_another_thread(tmp_path, "value = 5"):
        _import_hook.cancel("slow_library", seen.append)
        _import_hook.when_imported("slow_library", seen.append)
    wait_until(lambda: our_threads() == [])
    assert seen == [sys.modules.pop("slow_library")]


def test_finders_and_loaders_of_unusual_kinds(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slotted:
        """Has no place for an exec_module of its own."""

        __slots__ = ()

        def create_module(self, spec: ModuleSpec) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            vars(module)["value"] = 6

    class Finder:
        def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
            loader: Any = Slotted()
            return ModuleSpec(name, loader) if name == library else None

    seen: list[ModuleType] = []
    monkeypatch.setattr(sys, "meta_path", [object(), Finder(), *sys.meta_path])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)  # Python's, of the finder that is none
        _import_hook.when_imported(library, seen.append)
        assert importlib.import_module(library).value == 6
    assert seen == []
    _import_hook.cancel(library, seen.append)
    del sys.modules[library]

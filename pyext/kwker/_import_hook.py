"""Callbacks for when a library is imported, so that nothing is imported for its sake."""

from __future__ import annotations

import importlib.abc
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

ImportCallback = Callable[[ModuleType], None]

# By module. Lists stay when they are empty: whoever takes a callback out of one, calls it.
_waiting: dict[str, list[ImportCallback]] = {}
# Modules that were waited for and whose code has run, though their import statement may not yet
# have come to its end.
_run: dict[str, ModuleType] = {}


def is_imported(name: str) -> bool:
    """Whether the module `name` is there, and its code has run."""
    module = sys.modules.get(name)
    return module is not None and (module is _run.get(name) or not _is_initializing(module))


def when_imported(name: str, callback: ImportCallback) -> None:
    """Calls `callback(module)` as soon as the module `name` has been imported.

    At once if it has been already; otherwise right after its code has run, before the import
    statement goes on; on a thread of its own where that has begun before. Once, even if it is asked
    for again meanwhile. An exception of the callback is the import's, so it should raise none.
    """
    module = sys.modules.get(name)
    if module is not None and is_imported(name):
        callback(module)
        return
    callbacks = _waiting.setdefault(name, [])
    if callback in callbacks:
        return
    callbacks.append(callback)
    if module is None:
        _look_out()
    else:  # its code runs now, on this thread or another, and nothing of ours is called at its end
        arguments = (name, callback)
        thread = threading.Thread(target=_wait, args=arguments, name="kwker-import", daemon=True)
        thread.start()


def cancel(name: str, callback: ImportCallback) -> None:
    """Takes a callback back that has not been called yet."""
    _take(name, callback)
    _look_out()


def _take(name: str, callback: ImportCallback) -> bool:
    """Takes a callback out of those that wait. False where another thread has."""
    try:
        _waiting.get(name, []).remove(callback)
    except ValueError:
        return False
    return True


def _look_out() -> None:
    """Has imports go by the finder while any is waited for, and only then."""
    wanted = any(_waiting.values())
    if wanted and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    elif not wanted and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _wait(name: str, callback: ImportCallback) -> None:
    """Calls back when an import that had begun has ended.

    By looking now and then: to wait for the import's lock could begin a failed import anew.
    """
    pause = 0.001
    while callback in _waiting.get(name, ()):
        module = sys.modules.get(name)
        if module is not None and is_imported(name):
            if _take(name, callback):
                _look_out()
                callback(module)
            return
        if module is None:  # it has failed; the next one goes by the finder
            _look_out()
            if name not in sys.modules:
                return
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _is_initializing(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not _waiting.get(fullname):
            return None
        for finder in list(sys.meta_path):
            if finder is self:
                continue
            if not hasattr(finder, "find_spec"):  # Python passes over it, too
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                _call_back_after(spec)
                return spec
        return None


def _call_back_after(spec: ModuleSpec) -> None:
    """Makes the loader call back once; it stays the object that it is."""
    loader = spec.loader
    if not (hasattr(loader, "exec_module") and hasattr(loader, "__dict__")):
        return  # a loader of an unusual kind: then the next install() finds the module
    if loader is None or isinstance(loader, type):
        return
    execute = loader.exec_module

    def execute_and_call_back(module: ModuleType) -> None:
        del loader.exec_module  # the class's own again
        execute(module)
        _run[spec.name] = module
        for callback in list(_waiting.get(spec.name, ())):
            if _take(spec.name, callback):
                _look_out()
                callback(module)

    loader.exec_module = execute_and_call_back  # type: ignore[method-assign]


_finder = _Finder()

"""Callbacks for when a library is imported, so that nothing is imported for its sake."""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

ImportCallback = Callable[[ModuleType], None]

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
    statement goes on. Once, even if it is asked for again meanwhile. An exception of the callback
    is the import's, so it should raise none.
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
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
    elif module.__spec__ is not None:  # its code runs now: it will end the usual way
        _call_back_after(module.__spec__)


def cancel(name: str, callback: ImportCallback) -> None:
    """Takes a callback back that has not been called yet."""
    callbacks = _waiting.get(name, [])
    if callback in callbacks:
        callbacks.remove(callback)
    if not callbacks:
        _waiting.pop(name, None)
    if not _waiting and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _is_initializing(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _waiting:
            return None
        for finder in list(sys.meta_path):
            if finder is self:
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                _call_back_after(spec)
                return spec
        return None


def _call_back_after(spec: ModuleSpec) -> None:
    """Makes the loader call back once; it stays the object that it is."""
    loader = spec.loader
    if loader is None:
        return
    execute = loader.exec_module

    def execute_and_call_back(module: ModuleType) -> None:
        del loader.exec_module  # the class's own again
        execute(module)
        _run[spec.name] = module
        callbacks = _waiting.pop(spec.name, [])
        if not _waiting and _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        for callback in callbacks:
            callback(module)

    loader.exec_module = execute_and_call_back  # type: ignore[method-assign]


_finder = _Finder()

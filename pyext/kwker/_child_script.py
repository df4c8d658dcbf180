"""Runs a script as __main__ from within Python, as close to `python SCRIPT` as that can be.

Only for a Python without libpython; otherwise Python's own main function does it.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import io
import os
import runpy
import sys
import types
import zipfile
from types import TracebackType


def run_as_main(command: list[str]) -> None:
    """`command` is what follows `python`: SCRIPT ARG..., -m MODULE ARG... or -c CODE ARG...

    The script's folder is put in front of sys.path.
    """
    module = types.ModuleType("__main__")
    vars(module)["__builtins__"] = builtins
    module.__annotations__ = {}
    sys.modules["__main__"] = module
    try:
        _run(module, command)
    except BaseException:
        _hide_from_tracebacks()
        raise


def _run(module: types.ModuleType, command: list[str]) -> None:
    first = command[0]
    if first in ("-m", "-c"):
        target = command[1]
        sys.argv = [first, *command[2:]]
        _set_first_path("" if first == "-c" else os.getcwd())
        if first == "-m":
            runpy._run_module_as_main(target)  # type: ignore[attr-defined]
        else:
            module.__loader__ = importlib.machinery.BuiltinImporter
            exec(compile(target, "<string>", "exec"), vars(module))
        return
    sys.argv = list(command)
    if os.path.isdir(first) or zipfile.is_zipfile(first):
        # Not as a script's folder: it is needed to find the script at all.
        sys.path.insert(0, first)
        runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]
        return
    _set_first_path(os.path.dirname(os.path.realpath(first)))
    # As Python does it: absolute, but no more than that.
    path = os.path.join(os.getcwd(), first)
    module.__file__ = path
    vars(module)["__cached__"] = None
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    with io.open_code(path) as file:
        source = file.read()
    exec(compile(source, path, "exec"), vars(module))


def _set_first_path(folder: str) -> None:
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, folder)


def _hide_from_tracebacks() -> None:
    """Leaves the exception to Python, which then prints it from where the script begins."""
    hook = sys.excepthook

    def without_ours(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        start = step = trace
        while step is not None:
            if step.tb_frame.f_code.co_filename == __file__:
                start = step.tb_next
            step = step.tb_next
        hook(kind, error.with_traceback(start), start)

    sys.excepthook = without_ours

"""Local modules named like those of the standard library are found as under plain Python.

A script's folder comes before the standard library, so a `json.py` beside a script is what `json`
is to it and to all it imports; unless `json` has been imported already, as Kwker does for its own
sake. So where, and only where, the folder has such a module, what Kwker has imported of the
standard library is forgotten before the script starts: the script imports it anew, and Kwker goes
on with the copies that it has.
"""

from __future__ import annotations

import os
import sys
import zipimport
from importlib.machinery import ExtensionFileLoader, PathFinder, SourceFileLoader
from types import ModuleType

# Parts of the interpreter, or of modules in C, refer to these: two of them would be in each
# other's way. Not kept where they are themselves what is shadowed.
_KEPT = {"copyreg", "encodings", "importlib", "logging", "signal", "threading", "warnings"}


def forget_shadowed(command: list[str]) -> None:
    """`command` is what follows `python`: SCRIPT ARG..., -m MODULE ARG... or -c CODE ARG..."""
    folder = _first_path(command)
    if folder is None:
        return
    ours = _imported_since("kwker")
    shadowed = {name for name in {n.partition(".")[0] for n in ours} if _has(folder, name)}
    sys.path_importer_cache.pop(folder, None)  # the script may put modules there before it looks
    if not shadowed:
        return
    for name, module in ours.items():
        top = name.partition(".")[0]
        if top in shadowed or (top not in _KEPT and _is_source(module)):
            sys.modules.pop(name, None)


def _first_path(command: list[str]) -> str | None:
    """What Python will put in front of sys.path, if anything."""
    first = command[0] if command else "-c"
    if first in ("-m", "-c"):
        try:
            return None if sys.flags.safe_path else os.getcwd()
        except OSError:  # it has been removed
            return None
    if os.path.isdir(first):
        return first
    try:
        zipimport.zipimporter(first)
    except zipimport.ZipImportError:
        return None if sys.flags.safe_path else os.path.dirname(os.path.realpath(first))
    return first


def _imported_since(first: str) -> dict[str, ModuleType]:
    """Modules of the standard library's files that were imported after the module `first`."""
    names = list(sys.modules)
    names = names[names.index(first) :] if first in names else []
    return {
        name: module
        for name in names
        if name.partition(".")[0] in sys.stdlib_module_names
        and (_is_source(module := sys.modules[name]) or _is_extension(module))
    }


def _is_source(module: ModuleType) -> bool:
    return type(getattr(getattr(module, "__spec__", None), "loader", None)) is SourceFileLoader


def _is_extension(module: ModuleType) -> bool:
    return type(getattr(getattr(module, "__spec__", None), "loader", None)) is ExtensionFileLoader


def _has(folder: str, name: str) -> bool:
    spec = PathFinder.find_spec(name, [folder])
    return spec is not None and spec.has_location  # a mere folder, without __init__.py, hides none

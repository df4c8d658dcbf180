"""What the wheel's kwker.pth runs at the start of every Python, where KWKER_INSTALL asks for it.

So worker processes, launchers and CI get the kernels without a line in the script. torch is not
imported: the kernels are installed when the program itself has imported it.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType

from kwker import _environment
from kwker._import_hook import when_imported

_asked = False
_seconds = 0.0


def install_if_asked() -> None:
    """Installs when torch is imported, if KWKER_INSTALL asks for it."""
    global _asked
    if _asked or not _environment.asks_for_install():
        return
    _asked = True
    when_imported("torch", _install)


def install_seconds() -> float:
    """Wall time that installing has taken in this process."""
    return _seconds


def _install(torch: ModuleType) -> None:
    global _seconds
    start = time.perf_counter()
    try:
        from kwker import _worker_counts, torch_ops

        torch_ops.install(features=_environment.named_features())
        _worker_counts.watch()
    except Exception as error:  # the program goes on with torch's own code
        sys.stderr.write(f"kwker: not installed: {error}\n")
    _seconds = time.perf_counter() - start

"""`python -m kwker ...`: the native program of this environment, on this Python."""

from __future__ import annotations

import os
import sys
import sysconfig


def find_program() -> str | None:
    """Where pip has put the program: beside Python, or in the user's own folder."""
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        path = os.path.join(sysconfig.get_path("scripts", scheme), "kwker")
        if os.access(path, os.X_OK):
            return path
    return None


def main() -> None:
    program = find_program()
    if program is None:
        sys.exit(
            f"kwker: its program is not installed for {sys.executable}: "
            "install the Kwker wheel there once more, with pip"
        )
    os.environ["KWKER_PYTHON"] = sys.executable
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()

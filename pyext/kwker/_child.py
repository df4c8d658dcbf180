"""What a process of `kwker audit` or `kwker run` does before the user's script.

The program embeds Python, calls `begin` or `begin_run`, and lets Python run the script as it always
would. Where there is no libpython to embed, it has the Python call `start` instead.

Nothing is imported here that is not needed: see kwker._child_shadows.
"""

from __future__ import annotations

import sys


def begin_run() -> None:
    """Before a script under `kwker run`: the kernels, where the environment asks for them."""
    _install_if_asked()
    _forget_shadowed(sys.orig_argv[1:])


def begin(request_path: str) -> None:
    """Before a script under audit, described by REQUEST.json. The clocks start when it returns.

    Leaves sys.argv, sys.path and __main__ to Python.
    """
    from kwker import _child_audit

    _install_if_asked()
    request = _child_audit.read_request(request_path)
    run = _child_audit.prepare(request)
    _forget_shadowed(request["command"])
    run.start()


def start(request_path: str) -> None:
    """Does what `begin` does and then runs the script as __main__, as `python SCRIPT` would.

    To be called with a sys.path as it is without a script: its folder is put at the front.
    """
    from kwker import _child_audit, _child_script

    command = _child_audit.read_request(request_path)["command"]
    begin(request_path)
    _child_script.run_as_main(command)


def _install_if_asked() -> None:
    # The wheel's .pth file has done so already, unless the package is used from elsewhere.
    from kwker import _startup

    _startup.install_if_asked()


def _forget_shadowed(command: list[str]) -> None:
    from kwker import _child_shadows

    _child_shadows.forget_shadowed(command)


if __name__ == "__main__":  # python -m kwker._child REQUEST.json
    from kwker import _child

    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder
    # The module of that name, not this copy of it under the name __main__.
    _child.start(sys.argv[1])

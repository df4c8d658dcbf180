"""What copies of this package share: a program may take it out of sys.modules and import it anew.

The extension module is loaded once a process, so it keeps what all of them must know.
"""

from __future__ import annotations

from typing import Any

from kwker import _C

shared: dict[str, Any] = vars(_C).setdefault("shared", {})

# By id: every hook that has been put in, which so lives for the life of the process, and what it
# stands for.
_hooks: dict[int, tuple[object, Any]] = shared.setdefault("hooks", {})


def remember(hook: object, original: object) -> None:
    """Makes behind() know a hook."""
    _hooks[id(hook)] = (hook, original)


def behind(function: Any) -> Any:
    """What a hook of any copy's stands for; anything else is itself."""
    hook, original = _hooks.get(id(function), (None, None))
    return original if hook is function else function

"""What worker processes are told: a process that starts later installs what its parent has on.

Forked workers have it anyway. Others read the environment when they start, by way of the wheel's
kwker.pth: KWKER_INSTALL says whether, KWKER_FEATURES which.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

_NAMES = ("KWKER_INSTALL", "KWKER_FEATURES")
_NO = ("0", "false", "no", "off")

# The values this process was started with, while it has changed them.
_before: dict[str, str | None] | None = None


def asks_for_install() -> bool:
    """Whether KWKER_INSTALL is set to anything but a no."""
    return _value("KWKER_INSTALL") not in ("", *_NO)


def wants_self_check() -> bool:
    """Whether KWKER_VERIFY is not set to a no."""
    return _value("KWKER_VERIFY") not in _NO


def named_features() -> list[str] | None:
    """Those that KWKER_FEATURES names; None, for all, where it names none."""
    return _names("KWKER_FEATURES") or None


def disabled_features() -> list[str]:
    """Those that KWKER_DISABLE names."""
    return _names("KWKER_DISABLE")


def publish(features: Sequence[str]) -> None:
    """Tells processes started from now on to install these, or nothing if there are none."""
    global _before
    if not features:
        _restore()
        return
    if _before is None:
        _before = {name: os.environ.get(name) for name in _NAMES}
    os.environ["KWKER_INSTALL"] = "1"
    os.environ["KWKER_FEATURES"] = ",".join(features)


def _restore() -> None:
    global _before
    for name, value in (_before or {}).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _before = None
    # Started with it, but uninstalled since: then workers get nothing either.
    if asks_for_install():
        os.environ["KWKER_INSTALL"] = "0"


def set_up_logging() -> None:
    """Shows the logger "kwker" on stderr, from the level that KWKER_LOG names."""
    level = _value("KWKER_LOG").upper()
    if not level:
        return
    import logging

    number = logging.getLevelNamesMapping().get(level)
    if number is None:
        names = "debug, info, warning, error"
        # The program goes on: whether it works must not hang on what it says.
        sys.stderr.write(f"kwker: KWKER_LOG is '{level.lower()}'; it takes one of {names}\n")
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("kwker: %(message)s"))
    logger = logging.getLogger("kwker")
    logger.addHandler(handler)
    logger.setLevel(number)
    logger.propagate = False


def _value(name: str) -> str:
    return os.environ.get(name, "").strip().lower()


def _names(name: str) -> list[str]:
    return [part for part in os.environ.get(name, "").split(",") if part.strip()]

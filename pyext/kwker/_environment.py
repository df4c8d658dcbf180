"""What worker processes are told: a process that starts later installs what its parent has on.

Forked workers have it anyway. Others read the environment when they start, by way of the wheel's
kwker.pth: KWKER_INSTALL says whether, KWKER_FEATURES which.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

_NAMES = ("KWKER_INSTALL", "KWKER_FEATURES", "KWKER_DISABLE")
_NO = ("0", "false", "no", "off")

# What this process has set itself, and the values that were there before.
_published: dict[str, str] = {}
_before: dict[str, str | None] = {}


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


def publish(features: Sequence[str], every: Iterable[str]) -> None:
    """Tells processes started from now on to install these, or nothing if there are none.

    Args:
        features: names of those that are on, or will be when their library is imported.
        every: names of all that there are.
    """
    wanted = _for_workers(features, every)
    for name in _NAMES:
        _before[name] = _given(name)
        if name in wanted:
            os.environ[name] = _published[name] = wanted[name]
        else:
            _restore(name)
    # Started with it, but uninstalled since: then workers get nothing either.
    if not wanted and asks_for_install():
        os.environ["KWKER_INSTALL"] = "0"


def _for_workers(features: Sequence[str], every: Iterable[str]) -> dict[str, str]:
    if not features:
        return {}
    wanted = {"KWKER_INSTALL": "1", "KWKER_FEATURES": ",".join(features)}
    # What enable() has put in all the same. What is no feature's name would be refused.
    names = [name.strip() for name in disabled_features()]
    out = [n for n in every if any(n == name or n.startswith(name + ".") for name in names)]
    if not set(out).isdisjoint(features) or not set(names).issubset(_with_groups(out)):
        wanted["KWKER_DISABLE"] = ",".join(n for n in out if n not in features)
    return wanted


def _with_groups(names: Iterable[str]) -> set[str]:
    return {part for n in names for part in (n, n.split(".")[0])}


def _given(name: str) -> str | None:
    """A variable as the program was given it, or has set it itself."""
    value = os.environ.get(name)
    return _before[name] if name in _published and value == _published[name] else value


def _restore(name: str) -> None:
    value = _before[name]
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
    _published.pop(name, None)


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
    logger = logging.getLogger("kwker")
    if not any(handler.name == "kwker" for handler in logger.handlers):  # imported anew, maybe
        handler = logging.StreamHandler()
        handler.name = "kwker"
        handler.setFormatter(logging.Formatter("kwker: %(message)s"))
        logger.addHandler(handler)
    logger.setLevel(number)
    logger.propagate = False


def _value(name: str) -> str:
    return (_given(name) or "").strip().lower()


def _names(name: str) -> list[str]:
    return [part for part in (_given(name) or "").split(",") if part.strip()]

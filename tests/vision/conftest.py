"""Skips what this CPU cannot run; leaves everything as it was found."""

from fixtures import (  # noqa: F401
    _leave_as_found,
    collect_ignore_glob,
    pytest_configure,
    threads,
)

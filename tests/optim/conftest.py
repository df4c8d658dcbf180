"""Skips what this CPU cannot run, and says how much was compared."""

from __future__ import annotations

import pytest

from fixtures import (  # noqa: F401
    _leave_as_found,
    collect_ignore_glob,
    pytest_configure,
    threads,
)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    import torch

    import comparison

    count = comparison.COUNT
    terminalreporter.write_line(
        f"capability {torch.backends.cpu.get_cpu_capability()}: {count.scenarios} scenarios with"
        f" and without Kwker, {count.tensors:,} tensors ({count.elements:,} elements) compared to"
        f" the bit; {count.calls:,} steps were Kwker's, {count.fallbacks:,} torch's"
    )

"""What the conftest.py of each suite of equality takes over: skipping, cleaning up, threads."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import capability

# Before torch is loaded: on a busy machine its threads would spin more than they work.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

collect_ignore_glob = ["*_test.py"] if capability.missing() else []


def pytest_configure(config: pytest.Config) -> None:
    if capability.missing():
        pytest.exit(
            f"skipped: {capability.asked()} needs {', '.join(capability.missing())},"
            " which this CPU lacks",
            returncode=0,
        )


@pytest.fixture(autouse=True)
def _leave_as_found() -> Iterator[None]:
    """Each test begins with torch's own functions and ends with the threads it found."""
    import torch

    from kwker import torch_ops

    threads = torch.get_num_threads()
    yield
    torch_ops.uninstall()
    torch.set_num_threads(threads)


@pytest.fixture(params=[1, 2], ids=["1thread", "2threads"])
def threads(request: pytest.FixtureRequest) -> int:
    """Runs the test with torch on one thread, and again on two."""
    import torch

    number: int = request.param
    torch.set_num_threads(number)
    return number

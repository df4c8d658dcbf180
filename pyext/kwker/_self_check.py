"""Runs a comparison with torch inside a program without meeting, or leaving, any of its state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from kwker import _C

if TYPE_CHECKING:
    from kwker._C import Counters


def undisturbed(counters: Counters, compare: Callable[[], str]) -> str:
    """What compare() returns, "" or what differs; an exception of its is a difference, too.

    It runs with the feature's switch on, and no mode of the program's. Counts are as before.
    """
    with torch.no_grad():
        plain = not _C.thread_reason()
    # A thread of its own has its own OpenMP threads, too. (Not always apart: while torch is being
    # imported, another thread that imports anything would wait for this one.)
    return _with_switch_on(counters, compare, apart=not plain or _C.threads_may_be_lost())


def on_a_thread_of_its_own(counters: Counters, compare: Callable[[], str], threads: int) -> str:
    """The same with that many of torch's threads, whose number the caller's thread keeps."""

    def with_threads() -> str:
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            return compare()
        finally:
            torch.set_num_threads(before)

    return _with_switch_on(counters, with_threads, apart=True)


def _with_switch_on(counters: Counters, compare: Callable[[], str], apart: bool) -> str:
    outcome = ""

    def run(caught: type[BaseException]) -> None:
        nonlocal outcome
        try:
            with torch.no_grad():
                outcome = compare()
        except caught as error:
            outcome = f"{type(error).__name__}: {error}"

    def run_apart() -> None:
        torch.set_flush_denormal(False)  # inherited, and this thread's only
        run(BaseException)  # there is nobody to raise it to

    was_enabled, counts = counters.enabled, counters.save()
    counters.reset()
    counters.enabled = True
    try:
        if apart:
            thread = threading.Thread(target=run_apart, name="kwker-self-check")
            thread.start()
            thread.join()
        else:
            run(Exception)
    finally:  # an interrupt, or no thread to be had
        counters.enabled = was_enabled
        counters.restore(counts)
    return outcome

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

    The feature is on for that, on one thread alone, and no mode of the program's is. Counts stay.
    """
    with torch.no_grad():
        plain = not _C.thread_reason()
    # A thread of its own has its own OpenMP threads, too. (Not always apart: while torch is being
    # imported, another thread that imports anything would wait for this one.)
    return _on_trial(counters, compare, apart=not plain or _C.threads_may_be_lost())


def on_a_thread_of_its_own(counters: Counters, compare: Callable[[], str], threads: int) -> str:
    """The same with that many of torch's threads, whose number the caller's thread keeps."""

    def with_threads() -> str:
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            return compare()
        finally:
            torch.set_num_threads(before)

    return _on_trial(counters, with_threads, apart=True)


def not_taken(counters: Counters) -> str:
    """What to say of a call that the feature should have taken, and has left to torch."""
    return f"not taken ({', '.join(counters.fallbacks) or 'unknown reason'})"


def _on_trial(counters: Counters, compare: Callable[[], str], apart: bool) -> str:
    outcome = ""

    def run(caught: type[BaseException]) -> None:
        nonlocal outcome
        # On this thread only: what others do meanwhile is neither served by what is being
        # checked, nor counted with it.
        counters.begin_trial()
        try:
            with torch.no_grad():
                outcome = compare()
        except caught as error:
            outcome = f"{type(error).__name__}: {error}"
        finally:
            counters.end_trial()

    def run_apart() -> None:
        torch.set_flush_denormal(False)  # inherited, and this thread's only
        run(BaseException)  # there is nobody to raise it to

    if apart:
        thread = threading.Thread(target=run_apart, name="kwker-self-check")
        thread.start()
        thread.join()
    else:
        run(Exception)
    return outcome

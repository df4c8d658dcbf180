"""Runs a comparison with torch inside a program without meeting, or leaving, any of its state."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.modules import module as nn_module

from kwker import _C
from kwker._bits import same_bits

if TYPE_CHECKING:
    from kwker._C import Counters

# Tensors by what they are, those of one dtype in a list: {"param": [...], "exp_avg": [...]}.
Results = Mapping[str, Sequence[Tensor]]


def undisturbed(counters: Counters, compare: Callable[[], str]) -> str:
    """What compare() returns, "" or what differs; an exception of its is a difference, too.

    The feature is on for that, on one thread alone, and no mode of the program's is. Counts stay.
    """
    with torch.no_grad():
        plain = not _C.thread_reason()
    # A thread of its own has its own OpenMP threads, a whole stack, no profiler, no tracer and no
    # signals, whose handlers may raise what is the program's. (Not always apart: in the middle of
    # an import, another thread that imports anything might wait for this one.)
    apart = not plain or _C.threads_may_be_lost() or not _is_importing()
    return _on_trial(counters, compare, apart)


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


def outcome(
    label: str,
    counters: Counters,
    calls: int,
    theirs: Callable[[], Results],
    ours: Callable[[], Results],
) -> str:
    """What to say of one case: "", or its label and the first tensor that differs.

    Args:
        calls: how many of the feature's calls ours() makes, all of which it should take.
        theirs: does with the originals what ours() does with the hooks.
    """
    before = counters.calls
    expected, actual = theirs(), ours()
    if counters.calls != before + calls:
        return f"{label}: {not_taken(counters)}"
    wrong = filter(None, (_differing(key, expected[key], actual[key]) for key in expected))
    return next((f"{label}: {key} differs" for key in wrong), "")


def _differing(key: str, theirs: Sequence[Tensor], ours: Sequence[Tensor]) -> str:
    """The first tensor of a list that differs, "" if none does."""
    if same_bits(_joined(theirs), _joined(ours)):
        return ""
    pairs = enumerate(zip(theirs, ours, strict=True))
    return next((f"{key}[{i}]" for i, (a, b) in pairs if not same_bits(a, b)), key)


def _joined(tensors: Sequence[Tensor]) -> Tensor:
    return torch.cat([t.reshape(-1) for t in tensors]) if tensors else torch.empty(0)


def _is_importing() -> bool:
    """Whether this thread is in the middle of an import."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def module_hooks_obstacle() -> str:
    """For what makes modules, which the program's hooks on all modules would see."""
    kinds = ("parameter", "buffer", "module")
    if any(getattr(nn_module, f"_global_{kind}_registration_hooks") for kind in kinds):
        return "there are hooks on the registration of all modules' members"
    return ""


def default_dtype_obstacle(
    known: Sequence[torch.dtype] = (torch.float32, torch.float64),
) -> str:
    """For what makes tensors of torch's default dtype, of which kernels know some only."""
    default = torch.get_default_dtype()
    return "" if default in known else f"torch's default dtype is {default}"


def _on_trial(counters: Counters, compare: Callable[[], str], apart: bool) -> str:
    outcome = ""
    raised: BaseException | None = None

    def run() -> None:
        nonlocal outcome
        # On this thread only: what others do meanwhile is neither served by what is being
        # checked, nor counted with it.
        counters.begin_trial()
        try:
            with torch.no_grad():
                outcome = compare()
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
        finally:
            counters.end_trial()

    def run_apart() -> None:
        nonlocal raised
        torch.set_flush_denormal(False)  # inherited, and this thread's only
        try:
            run()
        except BaseException as error:
            raised = error

    if apart:
        thread = threading.Thread(target=run_apart, name="kwker-self-check")
        thread.start()
        thread.join()
        if raised is not None:
            raise raised
    else:
        run()
    return outcome

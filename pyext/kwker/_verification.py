"""The self-checks at length, and the table of what they found."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch

from kwker import _C, _self_check
from kwker._registry import Feature
from kwker._table import table


class Verified(NamedTuple):
    """What was found out about one feature."""

    feature: str
    equal: bool  # to torch, or what it replaces, in all cases
    cases: int  # that were compared
    threads: tuple[int, ...]  # with these numbers of torch's threads; () if not compared
    capability: str  # of torch's kernels: "default", "avx2", "avx512"
    seconds: float
    difference: str  # the first that was found, or why nothing was compared; "" if equal


class Verification(Mapping[str, Verified]):
    """What verify() has found, by feature. str() and repr() are a table."""

    def __init__(self, found: Mapping[str, Verified]) -> None:
        self._found = dict(found)

    def __getitem__(self, name: str) -> Verified:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def equal(self) -> bool:
        """Whether no feature that could be compared differs."""
        return all(v.equal for v in self._found.values() if v.threads)

    def __str__(self) -> str:
        rows = [
            [
                v.feature,
                "not compared" if not v.threads else "equal" if v.equal else "differs",
                f"{v.cases:,}",
                ", ".join(map(str, v.threads)),
                f"{v.seconds:.2f}",
                v.difference,
            ]
            for v in self._found.values()
        ]
        head = ["feature", "outcome", "cases", "threads", "seconds", ""]
        machine = f"torch {torch.__version__}, {_C.isa()}; compared by bits"
        return f"{machine}\n\n{table(head, rows, ('cases', 'seconds'))}"

    __repr__ = __str__


def verify_at_length(feature: Feature) -> Verified:
    """Compares on one of torch's threads, then on as many as there are, until something differs.

    A difference is remembered as that of a self-check.
    """
    obstacle = _obstacle(feature)
    if obstacle:
        return Verified(feature.name, False, 0, (), _C.isa(), 0.0, obstacle)
    cases = 0

    def compare() -> str:
        nonlocal cases
        for outcome in _outcomes(feature):
            cases += 1
            if outcome:
                return outcome
        return ""

    start = time.perf_counter()
    threads: list[int] = []
    difference = ""
    for number in sorted({1, torch.get_num_threads()}):
        threads.append(number)
        difference = _self_check.on_a_thread_of_its_own(feature.counters, compare, number)
        if difference:
            difference += f", with {number} thread" + "s" * (number > 1)
            break
    # One that was found before is not forgotten: the kernel is not to be trusted.
    feature.difference = feature.difference or difference
    seconds = time.perf_counter() - start
    return Verified(
        feature.name, not difference, cases, tuple(threads), _C.isa(), seconds, difference
    )


def _outcomes(feature: Feature) -> Iterator[str]:
    yield feature.verify()
    if feature.verify_at_length is not None:
        yield from feature.verify_at_length()


def _obstacle(feature: Feature) -> str:
    if not feature.is_supported or not feature.is_imported:
        return feature.detail or f"{feature.library} is not imported"
    if not feature.patch.prepare():
        return "its place is taken by somebody else"
    return feature.obstacle()

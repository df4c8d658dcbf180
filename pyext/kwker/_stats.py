"""What features have done, as numbers and as a table."""

from __future__ import annotations

from typing import TypedDict

from kwker._registry import State
from kwker._table import table


class FeatureStats(TypedDict):
    """What one feature has done in this process since it started or since reset_stats()."""

    state: State
    calls: int  # served by Kwker
    fallbacks: dict[str, int]  # reason: calls that went to torch's code
    elements: int  # of the parameters in the calls served
    seconds: float  # wall time inside the kernels


class Stats(dict[str, FeatureStats]):
    """By feature. str() is a table: under each, why calls went to torch, the commonest first."""

    def __str__(self) -> str:
        rows: list[list[str]] = []
        for name, counts in self.items():
            fallbacks = sorted(counts["fallbacks"].items(), key=lambda item: -item[1])
            left = sum(count for _, count in fallbacks)
            done = [f"{counts['elements']:,}", f"{counts['seconds']:.3f}"]
            rows.append([name, counts["state"], f"{counts['calls']:,}", f"{left:,}", *done, ""])
            rows += [["", "", "", f"{count:,}", "", "", reason] for reason, count in fallbacks]
        head = ["feature", "state", "by Kwker", "by torch", "elements", "seconds", "why by torch"]
        if not any(row[-1] for row in rows):
            head[-1] = ""
        return table(head, rows, ("by Kwker", "by torch", "elements", "seconds"))

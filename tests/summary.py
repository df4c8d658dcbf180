"""Adds up what `bazel test` did: summary.py BUILD_EVENTS.json BAZEL_EXIT_STATUS.

Prints a line for each test target, then "N passed, N failed" (", N skipped"), counting single
cases. Ends with status 0 only if no case failed and Bazel itself was content.
"""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlparse


class Counts(NamedTuple):
    """Cases of one target, or of all."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


def read(report: Path) -> Counts:
    """The cases in one JUnit document; a target that left none readable is one failed case."""
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return Counts(failed=1)
    failed = sum(any(c.find(tag) is not None for tag in ("failure", "error")) for c in cases)
    # GoogleTest says it in an attribute too.
    skipped = sum(c.find("skipped") is not None or c.get("status") == "notrun" for c in cases)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def reports(events: Path) -> Iterator[tuple[str, Path]]:
    """Each target that was tested, or taken from the cache, with its JUnit document."""
    for line in events.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:  # Bazel was ended in the middle of it; its status says so too
            return
        label = event.get("id", {}).get("testResult", {}).get("label")
        for output in event.get("testResult", {}).get("testActionOutput", ()):
            if output["name"] == "test.xml":
                yield label, Path(unquote(urlparse(output["uri"]).path))


def main() -> int:
    """Prints the summary; returns the exit status."""
    events, bazel_status = Path(sys.argv[1]), int(sys.argv[2])
    total = Counts()
    for label, report in sorted(reports(events)):
        counts = read(report)
        total = Counts(*(a + b for a, b in zip(total, counts, strict=True)))
        print(f"{counts.passed:6} passed {counts.failed:4} failed  {label}")
    failed = total.failed
    if bazel_status != 0 and failed == 0:
        print(f"bazel test ended with status {bazel_status}: a target did not build, or died")
        failed = 1
    skipped = f", {total.skipped} skipped" if total.skipped else ""
    print(f"{total.passed} passed, {failed} failed{skipped}")
    return int(failed > 0 or total.passed == 0)


if __name__ == "__main__":
    sys.exit(main())

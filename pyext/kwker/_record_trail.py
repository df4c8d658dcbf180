"""A series of values that a script produces as it goes, such as the loss of every step."""

from __future__ import annotations

from collections.abc import Iterator

from kwker._record_digest import Output, combined

# Up to here each value is an output of its own; after that a block of values is.
SINGLE_VALUES = 2048
BLOCK = 1024


class Trail:
    """Keeps what a report needs of a series, however long that gets."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.length = 0  # values so far
        self._outputs: list[Output] = []
        self._block: list[Output] = []

    def next_name(self) -> str:
        return f"{self.name}[{self.length}]"

    def append(self, outputs: list[Output]) -> None:
        """Adds one value, which may consist of several outputs named below next_name()."""
        if self.length < SINGLE_VALUES:
            self._outputs += outputs
        else:
            self._block += outputs
        self.length += 1
        if self.length > SINGLE_VALUES and (self.length - SINGLE_VALUES) % BLOCK == 0:
            self._close_block()

    def outputs(self) -> Iterator[Output]:
        self._close_block()
        return iter(self._outputs)

    def _close_block(self) -> None:
        if self._block:
            first = SINGLE_VALUES + (self.length - SINGLE_VALUES - 1) // BLOCK * BLOCK
            name = f"{self.name}[{first}..{self.length - 1}]"
            self._outputs.append(combined(name, self._block))
            self._block = []

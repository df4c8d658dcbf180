"""Keeps the values of one output in a file, for an audit to see how far apart two runs are.

audit/element_difference.h describes the file.
"""

from __future__ import annotations

import json
import struct
import sys
from typing import Any, NamedTuple

from kwker._record_digest import plain_elements

# What is larger is not kept: to say by how much it differs is not worth the disk.
MAX_BYTES = 1 << 30


class _Value(NamedTuple):
    dtype: str
    shape: tuple[int, ...]
    data: Any  # what a file's write() takes


class Keeper:
    """Writes each value given to it that belongs to the output.

    Args:
        name: the output's. That of a part of a trail, "backward[2048..3071]", stands for all in it.
        path: the file's.
    """

    def __init__(self, name: str, path: str) -> None:
        self._name = name
        self._path = path
        self._left = MAX_BYTES
        self._trail, self._range = _part_of_trail(name)

    def look(self, name: str, value: object) -> None:
        """To be called with each value that is digested."""
        if not self._wants(name):
            return
        kept = _value(value)
        if kept is None:
            return
        data = memoryview(kept.data)
        self._left -= len(data)
        if self._left < 0:
            return
        header = {"name": name, "dtype": kept.dtype, "shape": kept.shape, "bytes": len(data)}
        with open(self._path, "ab") as file:
            file.write(json.dumps(header).encode() + b"\n")
            file.write(data)

    def _wants(self, name: str) -> bool:
        if name == self._name:
            return True
        if not self._range or not name.startswith(self._trail):
            return False
        index = name[len(self._trail) :].partition("]")[0]
        return index.isdecimal() and int(index) in self._range


def _part_of_trail(name: str) -> tuple[str, range]:
    """Of "backward[2048..3071]": "backward[" and the numbers; of another name nothing."""
    trail, bracket, numbers = name.removesuffix("]").rpartition("[")
    first, dots, last = numbers.partition("..")
    if dots and first.isdecimal() and last.isdecimal():
        return trail + bracket, range(int(first), int(last) + 1)
    return "", range(0)


def _value(value: Any) -> _Value | None:
    """None: of a kind whose elements cannot be told apart here."""
    if type(value) is float:
        return _Value("float64", (), struct.pack("=d", value))
    if type(value) is complex:
        return _Value("complex128", (), struct.pack("=dd", value.real, value.imag))
    if type(value) is int and -(2**63) <= value < 2**63:
        return _Value("int64", (), struct.pack("=q", value))
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        array = numpy.asarray(value)
        if array.dtype.hasobject:
            return None
        ready = numpy.ascontiguousarray(array, array.dtype.newbyteorder("="))
        return _Value(array.dtype.name, array.shape, ready.tobytes())
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return None
    elements = plain_elements(value)
    if elements is None:
        return None
    return _Value(str(value.dtype).removeprefix("torch."), tuple(value.shape), elements)

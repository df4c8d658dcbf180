"""The self-check of resizing: Kwker's beside Pillow's, on this very machine."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

from kwker import _C, _self_check

# Pillow changes its rounding now and then (12.1 and 13.0 differ): whoever adds one has run
# tests/vision with it.
_VERIFIED = ("13.0",)

# Wide enough for whole vectors and a rest; shrunk, grown, by little and by much.
_Size = tuple[int, int]
_SIZES: tuple[tuple[_Size, _Size], ...] = (
    ((67, 43), (31, 58)),
    ((19, 90), (60, 11)),
    ((150, 20), (13, 20)),
)
_BOX = (1.5, 2.25, 8.0, 19.75)
_MODES = ("RGB", "L", "La", "CMYK", "I", "F", "I;16")


def difference(
    original: Callable[..., Any], hook: Callable[..., Any], counters: _C.Counters
) -> str:
    """Where results differ from Pillow's, "" if nowhere; a few milliseconds.

    The feature's switch must be on.
    """
    version: str = sys.modules["PIL"].__version__
    if not version.startswith(tuple(v + "." for v in _VERIFIED)):
        return f"Pillow {version}: verified with {', '.join(_VERIFIED)} only"
    return next(filter(None, _outcomes(_cases(), original, hook, counters)), "")


def differences(
    original: Callable[..., Any], hook: Callable[..., Any], counters: _C.Counters
) -> Iterator[str]:
    """The same at length, one text a case."""
    yield from _outcomes(_cases_at_length(), original, hook, counters)


# Mode, size, new size, and the other arguments.
_Case = tuple[str, _Size, _Size, dict[str, Any]]


def _cases() -> Iterator[_Case]:
    for mode in _MODES:
        for number, (size, new_size) in enumerate(_SIZES):
            # The filters differ in their weights only, which all modes share.
            for resample in range(1, 8) if mode == "RGB" else (1, 2):
                box = {"box": _BOX} if number == 1 else {}
                yield mode, size, new_size, {"resample": resample, **box}


def _cases_at_length() -> Iterator[_Case]:
    source = random.Random(1)
    for mode in (*_MODES, "RGBX", "RGBa", "YCbCr", "HSV", "LAB"):
        for number in range(70):
            size, new_size = ((source.randint(30, 190), source.randint(30, 190)) for _ in range(2))
            options: dict[str, Any] = {"resample": 1 + number % 7}
            if number % 3 == 0:  # of fractions of pixels
                left, top = source.uniform(0, 5), source.uniform(0, 5)
                right, bottom = (side - source.uniform(0, 5) for side in size)
                options["box"] = (left, top, right, bottom)
            yield mode, size, new_size, options


def _outcomes(
    cases: Iterator[_Case],
    original: Callable[..., Any],
    hook: Callable[..., Any],
    counters: _C.Counters,
) -> Iterator[str]:
    for mode, size, new_size, options in cases:
        image = _noise(mode, size)
        calls = counters.calls
        ours = hook(image, new_size, **options)
        label = f"{mode} {size} to {new_size} {options}"
        if counters.calls != calls + 1:
            yield f"{label}: {_self_check.not_taken(counters)}"
            continue
        theirs = original(image, new_size, **options)
        yield "" if _memory(ours) == _memory(theirs) else f"{label}: pixels differ"


def _noise(mode: str, size: tuple[int, int]) -> Any:
    pillow = sys.modules["PIL.Image"]
    made = "I" if mode == "F" else mode  # random bits may be NaNs
    pixel = {"I": 4, "I;16": 2}.get(made, pillow.getmodebands(made))
    data = random.Random(1).randbytes(size[0] * size[1] * pixel)
    return pillow.frombytes(made, size, data).convert(mode)


def _memory(image: Any) -> bytes:
    width, height = image.size
    pixel = {"L": 1, "I;16": 2}.get(image.mode, 4)
    return _C.image_bytes(image.im, width * height, pixel)

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
_SIZES = (((67, 43), (31, 58)), ((19, 90), (60, 11)), ((150, 20), (13, 20)))
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
    return next(_differences(original, hook, counters), "")


def _differences(
    original: Callable[..., Any], hook: Callable[..., Any], counters: _C.Counters
) -> Iterator[str]:
    for mode in _MODES:
        for number, (size, new_size) in enumerate(_SIZES):
            image = _noise(mode, size)
            # The filters differ in their weights only, which all modes share.
            for resample in range(1, 8) if mode == "RGB" else (1, 2):
                options: dict[str, Any] = {"resample": resample}
                if number == 1:
                    options["box"] = _BOX
                label = f"{mode} {size} to {new_size} {options}"
                calls = counters.calls
                ours = hook(image, new_size, **options)
                if counters.calls != calls + 1:
                    yield f"{label}: {_self_check.not_taken(counters)}"
                if _memory(ours) != _memory(original(image, new_size, **options)):
                    yield f"{label}: pixels differ"


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

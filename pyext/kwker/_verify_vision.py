"""The self-checks of the vision features: Kwker beside torchvision, on this very machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor

from kwker import _C, _self_check, _vision
from kwker._bits import same_bits
from kwker._verify_vision_cases import (
    Case,
    color_cases,
    few_images,
    many_images,
    normalize_cases,
    to_tensor_cases,
)


def normalize_difference(counters: _C.Counters) -> str:
    """Where ToDtype and Normalize differ from torchvision's, "" if nowhere."""
    return _difference(counters, normalize_differences(counters, at_length=False))


def normalize_differences(counters: _C.Counters, at_length: bool = True) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    from kwker._vision_normalize import v2_patch

    images = many_images() if at_length else few_images()
    yield from _outcomes(counters, normalize_cases(v2_patch.places, images))


def to_tensor_difference(counters: _C.Counters) -> str:
    """Where ToTensor and v1's Normalize differ from torchvision's, "" if nowhere."""
    return _difference(counters, to_tensor_differences(counters, at_length=False))


def to_tensor_differences(counters: _C.Counters, at_length: bool = True) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    from kwker._vision_normalize import v1_patch

    images = many_images() if at_length else few_images()
    yield from _outcomes(counters, to_tensor_cases(v1_patch.places, images))


def color_difference(counters: _C.Counters) -> str:
    """Where colour adjustments differ from torchvision's, "" if nowhere."""
    return _difference(counters, color_differences(counters, at_length=False))


def color_differences(counters: _C.Counters, at_length: bool = True) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    from kwker._vision_color import patch

    images = many_images() if at_length else few_images()
    yield from _outcomes(counters, color_cases(patch.places, images, at_length))


def _difference(counters: _C.Counters, outcomes: Iterator[str]) -> str:
    def compare() -> str:
        return next(filter(None, outcomes), "")

    return _vision.unverified() or _self_check.undisturbed(counters, compare)


def _outcomes(counters: _C.Counters, cases: Iterable[Case]) -> Iterator[str]:
    for name, theirs, ours, arguments in cases:
        calls = counters.calls
        expected, actual = theirs(*arguments), ours(*arguments)
        if counters.calls != calls + 1:
            yield f"{name}: {_self_check.not_taken(counters)}"
        else:
            yield "" if _same(expected, actual) else f"{name}: results differ"


def _same(a: Any, b: Any) -> bool:
    if not isinstance(a, Tensor):
        raw = ("raw", "RGBX" if a.mode == "RGB" else a.mode)
        return bool(a.mode == b.mode and a.tobytes(*raw) == b.tobytes(*raw))
    return a.stride() == b.stride() and same_bits(a, b)

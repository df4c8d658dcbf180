"""The self-checks of the vision features: Kwker beside torchvision, on this very machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from kwker import _C, _self_check, _vision
from kwker._bits import same_bits
from kwker._library_patch import Place

# Around the widths of vectors, and two blocks of a chain.
_SIZES = ((1, 2), (3, 5), (7, 9), (17, 31), (23, 41))


def normalize_difference(counters: _C.Counters) -> str:
    """Where ToDtype and Normalize differ from torchvision's, "" if nowhere."""
    return _difference(counters, _normalize_cases)


def to_tensor_difference(counters: _C.Counters) -> str:
    """Where ToTensor and v1's Normalize differ from torchvision's, "" if nowhere."""
    return _difference(counters, _to_tensor_cases)


def color_difference(counters: _C.Counters) -> str:
    """Where colour adjustments differ from torchvision's, "" if nowhere."""
    return _difference(counters, _color_cases)


# What a case is called, torchvision's function, Kwker's, and their arguments.
_Case = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def _difference(counters: _C.Counters, cases: Callable[[], Iterator[_Case]]) -> str:
    def compare() -> str:
        for name, theirs, ours, arguments in cases():
            calls = counters.calls
            expected, actual = theirs(*arguments), ours(*arguments)
            if counters.calls != calls + 1:
                return f"{name}: {_self_check.not_taken(counters)}"
            if not _same(expected, actual):
                return f"{name}: results differ"
        return ""

    return _vision.unverified() or _self_check.undisturbed(counters, compare)


def _same(a: Any, b: Any) -> bool:
    if not isinstance(a, Tensor):
        return bool(a.tobytes("raw", "RGBX") == b.tobytes("raw", "RGBX"))
    return a.stride() == b.stride() and same_bits(a, b)


def _bytes(*size: int) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 256, size, dtype=torch.uint8, generator=generator, device="cpu")


def _pairs(places: list[Place], key: Any) -> Iterator[tuple[str, Any, Any]]:
    for place in places:
        if place.key == key:
            yield place.name, place.original, place.hook


def _images() -> Iterator[tuple[str, Tensor]]:
    for height, width in _SIZES:
        yield f"{height}x{width}", _bytes(3, height, width)
        yield f"{height}x{width} by pixels", _bytes(height, width, 3).permute(2, 0, 1)


def _normalize_cases() -> Iterator[_Case]:
    from kwker._vision_normalize import v2_patch

    moments = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    pairs = list(_pairs(v2_patch.places, torch.Tensor))
    for label, image in _images():
        scaled = image.to(torch.float32) / 100
        for name, theirs, ours in pairs:  # one, where somebody else has taken the other's place
            arguments: tuple[Any, ...] = (image, torch.float32, True)
            if "normalize" in name:
                arguments = (scaled, *moments)
            yield f"{name}, {label}", theirs, ours, arguments


def _to_tensor_cases() -> Iterator[_Case]:
    from PIL import Image

    from kwker._vision_normalize import v1_patch

    moments = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    for label, image in _images():
        if _vision.show_pillow():
            pillow = Image.fromarray(image.permute(1, 2, 0).contiguous().numpy())
            for name, theirs, ours in _pairs(v1_patch.places, "to_tensor"):
                yield f"{name}, {label}", theirs, ours, (pillow,)
        for name, theirs, ours in _pairs(v1_patch.places, "normalize"):
            yield f"{name}, {label}", theirs, ours, (image.to(torch.float32) / 100, *moments)


def _color_cases() -> Iterator[_Case]:
    from PIL import Image

    from kwker._vision_color import patch

    for label, image in _images():
        for kind in (torch.Tensor, Image.Image):
            argument: Any = image
            if kind is Image.Image:
                argument = Image.fromarray(image.permute(1, 2, 0).contiguous().numpy())
            for name, theirs, ours in _pairs(patch.places, kind):
                functional = name.split()[1]
                if functional == "equalize" and kind is torch.Tensor and 1 in image.shape:
                    continue  # left to torch
                if functional == "adjust_sharpness" and min(image.shape) < 3:
                    continue  # too small for a neighbourhood
                for more in _COLOR_ARGUMENTS.get(functional, ((),)):
                    yield f"{name}, {label}", theirs, ours, (argument, *more)


# After the image: a factor, unless said otherwise.
_COLOR_ARGUMENTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "adjust_brightness": ((0.37,),),
    "adjust_contrast": ((0.37,),),
    "adjust_saturation": ((0.37,),),
    "adjust_hue": ((-0.21,),),
    "adjust_sharpness": ((1.7,),),
    "adjust_gamma": ((2,),),  # a power that torch makes alike everywhere
    "rgb_to_grayscale": ((1,), (3,)),  # channels
    "solarize": ((100.5,),),  # a threshold
    "posterize": ((3,),),  # bits
}

"""What the self-checks of the vision features compare: images, and calls of functions with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from kwker import _vision
from kwker._library_patch import Place

# What a case is called, torchvision's function, Kwker's, and their arguments.
Case = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]
Images = Sequence[tuple[str, Tensor]]

_MOMENTS = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
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
_FACTORS = ((0.0,), (0.37,), (1.0,), (1.9,), (7.3,))
_COLOR_ARGUMENTS_AT_LENGTH = _COLOR_ARGUMENTS | {
    "adjust_brightness": _FACTORS,
    # Others are left to torch where one of a mean's products is rounded in two ways.
    "adjust_contrast": ((0.0,), (0.5,), (1.0,), (1.5,), (3.0,)),
    "adjust_saturation": _FACTORS,
    "adjust_hue": ((-0.5,), (-0.21,), (0.0,), (0.13,), (0.5,)),
    "adjust_sharpness": _FACTORS,
    "adjust_gamma": ((0,), (0.5,), (1,), (2,), (3, 1.7)),
    "solarize": ((0,), (100.5,), (128,), (255,)),
    "posterize": ((1,), (3,), (8,)),
}
# Of float32 images. (Sharpness is compared before it is first used.)
_FLOAT_ARGUMENTS = {"adjust_saturation": 0.37, "adjust_hue": -0.21, "solarize": 0.4}


def few_images() -> Images:
    """Around the widths of vectors, and two blocks of a chain."""
    return [
        pair for height, width in ((1, 2), (7, 9), (23, 41)) for pair in _both_ways(height, width)
    ]


def many_images() -> Images:
    """Every width up to two vectors, batches, crops, and what several threads share."""
    return [
        *(pair for width in range(2, 35) for pair in _both_ways(3 + width % 3, width)),
        ("batch", _bytes(2, 2, 3, 19, 23)),
        ("batch by pixels", _bytes(3, 15, 21, 3).permute(0, 3, 1, 2)),
        ("crop", _bytes(3, 40, 60)[:, 3:33, 5:47]),
        ("crop by pixels", _bytes(40, 60, 3).permute(2, 0, 1)[:, 3:33, 5:47]),
        *_both_ways(301, 259),
    ]


def normalize_cases(places: Sequence[Place], images: Images) -> Iterator[Case]:
    """ToDtype and Normalize of transforms.v2, one by one and both at once."""
    pairs = {name.split()[1]: (f, g) for name, f, g in _pairs(places, torch.Tensor)}
    for label, image in images:
        if _has_gaps(image):
            continue  # left to torch
        scaled = image.to(torch.float32) / 100
        for name, (theirs, ours) in pairs.items():  # one, where somebody else has the other's place
            arguments = (scaled, *_MOMENTS) if name == "normalize" else (image, torch.float32, True)
            yield f"{name}, {label}", theirs, ours, arguments
        if len(pairs) == 2:
            yield from _fused_cases(pairs["to_dtype"][0], pairs["normalize"][0], label, image)


def _fused_cases(
    to_dtype: Callable[..., Any], normalize: Callable[..., Any], label: str, image: Tensor
) -> Iterator[Case]:
    def scale(image: Tensor) -> Any:
        return to_dtype(image, torch.float32, True)

    def center(image: Tensor) -> Any:
        return normalize(image, *_MOMENTS)

    fused = _vision.hook_maker("fused")(center)
    # The transforms that it stands for, the first one only for PIL images; and what Compose adds.
    of_tensors = partial(fused, None, scale, center, *_MOMENTS, None)
    of_pillow = partial(fused, _from_pillow, scale, center, *_MOMENTS, None)
    yield f"both at once, {label}", lambda x: center(scale(x)), of_tensors, (image,)
    if image.dim() == 3 and _vision.show_pillow():
        pillow = _to_pillow(image)
        yield (
            f"all at once, {label}",
            lambda x: center(scale(_from_pillow(x))),
            of_pillow,
            (pillow,),
        )


def to_tensor_cases(places: Sequence[Place], images: Images) -> Iterator[Case]:
    """ToTensor and Normalize of the first transforms."""
    for label, image in images:
        if _has_gaps(image):
            continue  # left to torch
        if image.dim() == 3 and _vision.show_pillow():
            for name, theirs, ours in _pairs(places, "to_tensor"):
                yield f"{name}, {label}", theirs, ours, (_to_pillow(image),)
        for name, theirs, ours in _pairs(places, "normalize"):
            yield f"{name}, {label}", theirs, ours, (image.to(torch.float32) / 100, *_MOMENTS)


def color_cases(places: Sequence[Place], images: Images, at_length: bool) -> Iterator[Case]:
    """Adjustments of tensors and PIL images, one by one."""
    from PIL import Image

    arguments = _COLOR_ARGUMENTS_AT_LENGTH if at_length else _COLOR_ARGUMENTS
    for label, image in images:
        for kind in (torch.Tensor, Image.Image):
            if kind is Image.Image and image.dim() > 3:
                continue
            argument = image if kind is torch.Tensor else _to_pillow(image)
            for name, theirs, ours in _pairs(places, kind):
                functional = name.split()[1]
                if functional in _left_to_torch(image, kind):
                    continue
                for more in arguments.get(functional, ((),)):
                    if functional == "rgb_to_grayscale" and more == (1,) and argument is not image:
                        continue  # of PIL images one channel is Pillow's own
                    yield f"{name} {more}, {label}", theirs, ours, (argument, *more)
                if kind is torch.Tensor and functional in _FLOAT_ARGUMENTS:
                    floats = (image / 255, _FLOAT_ARGUMENTS[functional])
                    yield f"{name}, float {label}", theirs, ours, floats


def _left_to_torch(image: Tensor, kind: type) -> Iterator[str]:
    if kind is torch.Tensor:
        if 1 in image.shape[-2:]:
            yield "equalize"
        if image.numel() < 2048:
            yield "adjust_gamma"
    if min(image.shape[-2:]) < 3 or image.dim() > 4:
        yield "adjust_sharpness"


def _bytes(*size: int) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 256, size, dtype=torch.uint8, generator=generator, device="cpu")


def _both_ways(height: int, width: int) -> Images:
    return [
        (f"{height}x{width}", _bytes(3, height, width)),
        (f"{height}x{width} by pixels", _bytes(height, width, 3).permute(2, 0, 1)),
    ]


def _has_gaps(image: Tensor) -> bool:
    return image.untyped_storage().nbytes() > image.numel()


def _to_pillow(image: Tensor) -> Any:
    from PIL import Image

    return Image.fromarray(image.permute(1, 2, 0).contiguous().numpy())


def _from_pillow(image: Any) -> Tensor:
    """As torchvision does it."""
    pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
    return pixels.view(image.height, image.width, 3).permute(2, 0, 1)


def _pairs(places: Sequence[Place], key: Any) -> Iterator[tuple[str, Any, Any]]:
    for place in places:
        if place.key == key:
            yield place.name, place.original, place.hook

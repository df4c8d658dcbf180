"""Colour adjustments of torchvision, beside Kwker.

python color_bench.py --seconds 2
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import PIL.Image
import torch
from image_rows import Row, main
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

ADJUSTMENTS: dict[str, tuple[Callable[..., Any], float]] = {
    "brightness": (F.adjust_brightness, 1.3),
    "contrast": (F.adjust_contrast, 0.7),
    "saturation": (F.adjust_saturation, 1.2),
    "hue": (F.adjust_hue, 0.07),
}
# With all but the image.
OTHERS: dict[str, Callable[[Any], Any]] = {
    "sharpness": lambda image: F.adjust_sharpness(image, 1.7),
    "grayscale": F.rgb_to_grayscale,
    "grayscale of 3": lambda image: F.rgb_to_grayscale(image, 3),
    "gamma": lambda image: F.adjust_gamma(image, 0.7),
    "solarize": lambda image: F.solarize(image, 128.0),
    "autocontrast": F.autocontrast,
    "equalize": F.equalize,
    "posterize": lambda image: F.posterize(image, 4),
    "invert": F.invert,
}
OF_PILLOW = ("posterize", "invert")  # of tensors these are torch's own
OF_FLOATS: dict[str, Callable[[Any], Any]] = {
    "hue": lambda image: F.adjust_hue(image, 0.07),
    "saturation": lambda image: F.adjust_saturation(image, 1.2),
    "sharpness": OTHERS["sharpness"],
    "solarize": lambda image: F.solarize(image, 0.5),
}


def drawn(transform: Any, image: Any) -> Callable[[], Any]:
    """Calls with what the transform draws for some seeds: the same work on both sides."""
    params = []
    for seed in range(8):
        torch.manual_seed(seed)
        params.append(transform.make_params([image]))
    return lambda: [transform.transform(image, p) for p in params]


def images() -> dict[str, Any]:
    """By name, from the size of a small crop to that of a training image."""
    found: dict[str, Any] = {}
    for side in (224, 32, 8):
        planes = torch.randint(0, 256, (3, side, side), dtype=torch.uint8)
        pixels = planes.movedim(0, -1).contiguous().movedim(-1, 0)
        array = np.ascontiguousarray(pixels.movedim(0, -1).numpy())
        found |= {f"3x{side}x{side}": planes, f"{side}x{side}x3": pixels}
        found[f"PIL {side}"] = PIL.Image.fromarray(array)
    return found


def rows() -> list[Row]:
    """The table's lines."""
    jitter, distort = v2.ColorJitter(0.4, 0.4, 0.4, 0.1), v2.RandomPhotometricDistort()
    factors = {
        "fn_idx": torch.tensor([0, 1, 2, 3]),
        **{f"{name}_factor": factor for name, (_, factor) in ADJUSTMENTS.items()},
    }
    lines = []
    for shape, image in images().items():
        for name, (adjust, factor) in ADJUSTMENTS.items():
            lines.append(Row(f"{name} {shape}", partial(adjust, image, factor)))
        for name, adjust in OTHERS.items():
            if name not in OF_PILLOW or not isinstance(image, torch.Tensor):
                lines.append(Row(f"{name} {shape}", partial(adjust, image)))
        lines.append(Row(f"four in a chain {shape}", partial(jitter.transform, image, factors)))
        lines.append(Row(f"ColorJitter {shape}", partial(jitter, image)))
        lines.append(Row(f"8 of RandomPhotometricDistort {shape}", drawn(distort, image)))
        if isinstance(image, torch.Tensor):
            floats = image / 255
            for name, call in OF_FLOATS.items():
                lines.append(Row(f"{name} float {shape}", partial(call, floats)))
    return lines


if __name__ == "__main__":
    main(rows(), "colour adjustments, torchvision beside Kwker")

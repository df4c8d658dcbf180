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


def rows() -> list[Row]:
    """The table's lines."""
    planes = torch.randint(0, 256, (3, 224, 224), dtype=torch.uint8)
    pixels = planes.movedim(0, -1).contiguous().movedim(-1, 0)
    small = torch.randint(0, 256, (3, 32, 32), dtype=torch.uint8)
    photograph = PIL.Image.fromarray(np.ascontiguousarray(pixels.movedim(0, -1).numpy()))
    images = {"3x224x224": planes, "224x224x3": pixels, "PIL 224": photograph, "3x32x32": small}
    jitter, distort = v2.ColorJitter(0.4, 0.4, 0.4, 0.1), v2.RandomPhotometricDistort()
    factors = {
        "fn_idx": torch.tensor([0, 1, 2, 3]),
        **{f"{name}_factor": factor for name, (_, factor) in ADJUSTMENTS.items()},
    }
    lines = []
    for shape, image in images.items():
        for name, (adjust, factor) in ADJUSTMENTS.items():
            lines.append(Row(f"{name} {shape}", partial(adjust, image, factor)))
        if isinstance(image, torch.Tensor):
            lines.append(Row(f"solarize {shape}", partial(F.solarize, image, 128.0)))
            lines.append(Row(f"autocontrast {shape}", partial(F.autocontrast, image)))
            lines.append(Row(f"equalize {shape}", partial(F.equalize, image)))
        lines.append(Row(f"four in a chain {shape}", partial(jitter.transform, image, factors)))
        lines.append(Row(f"ColorJitter {shape}", partial(jitter, image)))
        lines.append(Row(f"RandomPhotometricDistort {shape}", partial(distort, image)))
    return lines


if __name__ == "__main__":
    main(rows(), "colour adjustments, torchvision beside Kwker")

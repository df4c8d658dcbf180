"""ToDtype, Normalize and ToTensor of torchvision, beside Kwker.

python normalize_bench.py --seconds 2
"""

from __future__ import annotations

import numpy as np
import PIL.Image
import torch
from image_rows import Row, main
from torchvision import transforms as v1
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def rows() -> list[Row]:
    """The table's lines."""
    planes = torch.randint(0, 256, (3, 224, 224), dtype=torch.uint8)
    pixels = planes.movedim(0, -1).contiguous().movedim(-1, 0)
    batch = torch.randint(0, 256, (32, 3, 224, 224), dtype=torch.uint8)
    small = torch.randint(0, 256, (3, 32, 32), dtype=torch.uint8)
    photograph = PIL.Image.fromarray(np.ascontiguousarray(pixels.movedim(0, -1).numpy()))
    to_float, normalize = v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)
    tail = v2.Compose([to_float, normalize])
    from_pil = v2.Compose([v2.ToImage(), to_float, normalize])
    old = v1.Compose([v1.ToTensor(), v1.Normalize(MEAN, STD)])
    scaled, scaled_pixels = to_float(planes), to_float(pixels)
    return [
        Row("F.to_dtype 3x224x224", lambda: F.to_dtype(planes, torch.float32, scale=True)),
        Row("F.normalize 3x224x224", lambda: F.normalize(scaled, MEAN, STD)),
        Row("F.normalize 224x224x3", lambda: F.normalize(scaled_pixels, MEAN, STD)),
        Row("ToDtype+Normalize 3x224x224", lambda: tail(planes)),
        Row("ToDtype+Normalize 224x224x3", lambda: tail(pixels)),
        Row("ToDtype+Normalize 32x3x224x224", lambda: tail(batch)),
        Row("ToDtype+Normalize 3x32x32", lambda: tail(small)),
        Row("ToImage+ToDtype+Normalize PIL 224", lambda: from_pil(photograph)),
        Row("v1 ToTensor+Normalize PIL 224", lambda: old(photograph)),
    ]


if __name__ == "__main__":
    main(rows(), "ToDtype and Normalize, torchvision beside Kwker")

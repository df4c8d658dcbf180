"""Images in all the ways that they lie in memory."""

from __future__ import annotations

from collections.abc import Callable

import PIL.Image
import torch
from torch import Tensor


def image(*shape: int, seed: int = 1) -> Tensor:
    """Random bytes."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)


def floats(*shape: int, seed: int = 1) -> Tensor:
    """Random floats, with special ones among them."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.rand(shape, generator=generator) * 1.2 - 0.1
    flat = values.view(-1)
    special = torch.tensor([0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-42, 3e38])
    flat[: len(special) * 5 : 5] = special[: len(flat[: len(special) * 5 : 5])]
    return values


def by_pixels(planes: Tensor) -> Tensor:
    """The same image with the channels of a pixel side by side, as from PIL."""
    return planes.movedim(-3, -1).contiguous().movedim(-1, -3)


def photograph(width: int, height: int, seed: int = 1) -> PIL.Image.Image:
    """Noise as a PIL image, with something in its info."""
    made = PIL.Image.fromarray(image(height, width, 3, seed=seed).numpy())
    made.info["dpi"] = (72, 72)
    return made


# By name: from a maker of tensors of a shape to an image of 3 channels.
LAYOUTS: dict[str, Callable[[Callable[..., Tensor]], Tensor]] = {
    "planes": lambda make: make(3, 37, 53),
    "pixels": lambda make: by_pixels(make(3, 37, 53)),
    "one row": lambda make: make(3, 1, 67),
    "one column": lambda make: make(3, 61, 1),
    "one pixel": lambda make: make(3, 1, 1),
    "batch": lambda make: make(5, 3, 17, 19),
    "batch of one": lambda make: by_pixels(make(1, 3, 17, 19)),
    "channels_last": lambda make: make(4, 3, 15, 21).to(memory_format=torch.channels_last),
    "video": lambda make: make(2, 3, 3, 9, 11),
    "crop": lambda make: make(3, 40, 60)[..., 3:33, 5:47],
    "crop of pixels": lambda make: by_pixels(make(3, 40, 60))[..., 3:33, 5:47],
    "every second column": lambda make: make(3, 20, 60)[..., ::2],
    "transposed": lambda make: make(3, 33, 29).transpose(-1, -2),
    "expanded": lambda make: make(1, 33, 29).expand(3, 33, 29),
    "every second image": lambda make: make(6, 3, 9, 8)[::2],
    "swapped batch": lambda make: make(2, 4, 3, 9, 8).transpose(0, 1),
    "some blocks": lambda make: make(3, 130, 97),
    "some blocks of pixels": lambda make: by_pixels(make(3, 130, 97)),
    "two threads": lambda make: make(3, 301, 259),
}

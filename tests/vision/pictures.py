"""Images to test with, and all that can be seen of one: its memory, too, to the last byte.

An action is a function without arguments that returns images; `assert_same` runs it with Pillow's
own code and with Kwker's, and compares what comes out, or what is raised.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch  # noqa: F401  (kwker._C needs it)
from PIL import Image

from kwker import _C, torch_ops
from kwker.torch_ops import FeatureStats

FEATURE = "vision.resize"
# Bytes a pixel in memory.
MODES = {
    "RGB": 4,
    "RGBA": 4,
    "RGBX": 4,
    "RGBa": 4,
    "CMYK": 4,
    "YCbCr": 4,
    "HSV": 4,
    "LAB": 4,
    "L": 1,
    "LA": 4,
    "La": 4,
    "I": 4,
    "F": 4,
    "I;16": 2,
}
FILTERS = [f for f in Image.Resampling if f != Image.Resampling.NEAREST]


def noise(mode: str, size: tuple[int, int], seed: int = 1) -> Image.Image:
    """An image of random values, extreme ones among them."""
    source = random.Random(seed)
    pixels = size[0] * size[1]
    if mode == "F":
        special = [0.0, -0.0, float("inf"), float("nan"), 1e38, -1e-40]
        image = Image.new("F", size)
        image.putdata(
            [
                source.choice(special) if source.random() < 0.02 else source.uniform(-1e3, 1e3)
                for _ in range(pixels)
            ]
        )
        return image
    bands = {"I": 4, "I;16": 2}.get(mode, Image.getmodebands(mode))
    data = bytearray(source.randbytes(pixels * bands))
    for _ in range(pixels // 4):
        data[source.randrange(len(data))] = source.choice((0, 255))
    return Image.frombytes(mode, size, bytes(data))


def memory(image: Image.Image) -> bytes:
    """All of its bytes, those between the bands included; NaNs of any kind as one."""
    pixels = image.width * image.height
    held = _C.image_bytes(image.im, pixels, MODES[image.mode])
    if image.mode != "F":
        return held
    import numpy as np

    values = np.frombuffer(held, np.float32).copy()
    values[np.isnan(values)] = np.nan
    return values.tobytes()


def picture(value: Any) -> Any:
    """What can be seen of an image; of other values, themselves."""
    if isinstance(value, (list, tuple)):
        return [picture(item) for item in value]
    if not isinstance(value, Image.Image):
        return value
    value.load()
    palette = value.palette and (value.palette.mode, bytes(value.palette.palette))
    held = memory(value) if value.mode in MODES else value.tobytes()
    seen = (type(value), value.mode, value.size, value.info, palette, value.readonly)
    return (*seen, dict(value.getexif()), value.im.mode, value.im.size, held)


def outcome(action: Callable[[], Any]) -> Any:
    try:
        return picture(action())
    except Exception as error:
        return type(error), str(error)


def resizing(image: Image.Image, *arguments: Any) -> Callable[[], Image.Image]:
    """The action image.resize(*arguments), whatever the method is by then."""
    return lambda: image.resize(*arguments)


def assert_same(action: Callable[[], Any], served: bool | None = True) -> FeatureStats:
    """Fails unless both ways give the same.

    Args:
        served: whether Kwker must have done all of it, or none of it; None: whichever.

    Returns:
        What the feature counted.
    """
    expected = outcome(action)
    with torch_ops.installed([FEATURE], verify=False):
        torch_ops.reset_stats()
        actual = outcome(action)
        counted = torch_ops.stats()[FEATURE]
    if isinstance(expected, tuple) and isinstance(actual, tuple) and len(actual) == len(expected):
        assert actual[:-1] == expected[:-1]
    assert actual == expected, f"differs; counted {counted}"
    declined = sum(counted["fallbacks"].values())
    if served is not None:
        assert (counted["calls"] > 0 and declined == 0) == served, counted
        assert served or counted["calls"] == 0, counted
    return counted

"""PIL.Image.Image.resize by Kwker equals Pillow's: modes, filters, sizes, boxes, gaps."""

from __future__ import annotations

import random

import pytest
from PIL import Image

from pictures import FILTERS, MODES, assert_same, noise, resizing

# One of each way through: shrunk and grown in either direction, far and by little, along one
# direction only, narrower than a vector, columns first.
SIZES = [
    ((70, 50), (33, 21)),
    ((70, 50), (71, 49)),
    ((20, 13), (90, 70)),
    ((300, 9), (11, 9)),
    ((9, 300), (9, 11)),
    ((13, 200), (17, 12)),
    ((200, 13), (12, 17)),
    ((5, 4), (3, 7)),
    ((1, 1), (40, 3)),
    ((64, 64), (1, 1)),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("resample", FILTERS, ids=lambda f: f.name)
def test_sizes(mode: str, resample: Image.Resampling) -> None:
    for size, new_size in SIZES:
        image = noise(mode, size)
        tiny = size[0] * size[1] + new_size[0] * new_size[1] < 1536
        assert_same(resizing(image, new_size, resample), served=None if tiny else True)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("resample", FILTERS, ids=lambda f: f.name)
def test_boxes(mode: str, resample: Image.Resampling) -> None:
    image = noise(mode, (61, 47))
    for box in (
        (0, 0, 30, 47),
        (10, 5, 61, 40),
        (0.5, 0.25, 60.75, 46.5),
        (3.3, 40.1, 9.9, 46.7),
        (20, 20, 20.5, 20.5),
        (0, 7, 61, 19),
    ):
        for new_size in ((31, 22), (61, 20), (80, 90)):
            assert_same(resizing(image, new_size, resample, box))
            assert_same(resizing(image, new_size, resample, list(box)))


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "F", "I"])
@pytest.mark.parametrize("gap", [1, 1.0, 1.5, 2.0, 3])
def test_reducing_gaps(mode: str, gap: float) -> None:
    image = noise(mode, (200, 150))
    for new_size in ((20, 15), (90, 10), (150, 140), (11, 300)):
        for box in (None, (3, 5, 190, 149), (2.5, 3.25, 170.125, 140.75)):
            # Where whole factors reach the size, a crop is left, which is Pillow's.
            assert_same(resizing(image, new_size, Image.Resampling.BICUBIC, box, gap), served=None)


def test_random_sizes() -> None:
    source = random.Random(1)
    for number in range(250):
        mode = source.choice(list(MODES))
        image = noise(mode, (source.randint(1, 512), source.randint(1, 128)), number)
        new_size = (source.randint(1, 300), source.randint(1, 512))
        if image.width * image.height + new_size[0] * new_size[1] < 1536:
            continue
        resample = source.choice(FILTERS)
        assert_same(resizing(image, new_size, resample))


def test_usual_sizes() -> None:
    for size in ((500, 375), (375, 500), (256, 256), (1280, 720), (32, 32), (28, 28)):
        for mode in ("RGB", "L"):
            image = noise(mode, size)
            for resample in FILTERS:
                assert_same(resizing(image, (224, 224), resample))


@pytest.mark.parametrize("value", [0, 1, 127, 128, 254, 255])
@pytest.mark.parametrize("resample", FILTERS, ids=lambda f: f.name)
def test_even_images_stay_even(value: int, resample: Image.Resampling) -> None:
    for mode in ("RGB", "L", "RGBA"):
        image = Image.new(mode, (90, 70), (value,) * Image.getmodebands(mode))
        assert_same(resizing(image, (41, 39), resample))

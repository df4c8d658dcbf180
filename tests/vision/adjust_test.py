"""Gamma, sharpness, grayscale and what goes by tables: torchvision's bits and errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import PIL.Image
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torchvision import tv_tensors
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

from both_ways import assert_same
from examples import examples
from images import LAYOUTS, by_pixels, floats, image, photograph

FEATURE = "vision.color"
ADJUST: dict[str, Callable[..., Any]] = {
    **{
        f"sharpness {f}": partial(F.adjust_sharpness, sharpness_factor=f)
        for f in (0.0, 0.37, 1, 9.1)
    },
    **{f"gray {n}": partial(F.rgb_to_grayscale, num_output_channels=n) for n in (1, 3)},
    **{f"gamma {g}": partial(F.adjust_gamma, gamma=g) for g in (0, 0.5, 1.0, 2, 0.7331, 2.2)},
    "gamma and gain": partial(F.adjust_gamma, gamma=1.5, gain=1.7),
    "gamma and negative gain": partial(F.adjust_gamma, gamma=1.5, gain=-0.3),
    **{f"solarize {t}": partial(F.solarize, threshold=t) for t in (0, 1, 127.5, 128, 129, 255)},
    "autocontrast": F.autocontrast,
    "equalize": F.equalize,
}
OF_PILLOW: dict[str, Callable[..., Any]] = {
    **ADJUST,
    **{f"solarize {t}": partial(F.solarize, threshold=t) for t in (-3, 255.5, 256, 1000)},
    **{f"posterize {b}": partial(F.posterize, bits=b) for b in (1, 4, 7, 8)},
    "invert": F.invert,
}
MANY = examples(100)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ADJUST)
def test_tensors(name: str, layout: str, threads: int) -> None:
    def scenario() -> Any:
        pixels = LAYOUTS[layout](image)
        return [ADJUST[name](p) for p in (pixels, tv_tensors.Image(pixels))]

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("name", [n for n in ADJUST if n != "gamma 0.7331"])
def test_are_served(name: str) -> None:
    for pixels in (image(3, 37, 53), by_pixels(image(3, 37, 53)), image(2, 3, 40, 30)):
        assert_same(partial(ADJUST[name], pixels), FEATURE, 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sharpness_of_floats(layout: str, threads: int) -> None:
    def scenario() -> Any:
        plain = LAYOUTS[layout](image) / 255
        special = LAYOUTS[layout](floats)
        return [F.adjust_sharpness(p, f) for p in (plain, special) for f in (0.0, 0.4, 2.5)]

    assert_same(scenario, FEATURE)


def test_sharpness_of_floats_is_served() -> None:
    served = None if torch.backends.cpu.get_cpu_capability() == "DEFAULT" else 1
    for pixels in (image(3, 37, 53), by_pixels(image(3, 37, 53)), image(2, 3, 40, 30)):
        assert_same(partial(F.adjust_sharpness, pixels / 255, 0.3), FEATURE, served)


def test_sharpness_of_floats_without_onednn() -> None:
    def scenario() -> Any:
        with torch.backends.mkldnn.flags(enabled=False):
            return F.adjust_sharpness(image(3, 37, 53) / 255, 1.3)

    assert_same(scenario, FEATURE, 0)


def test_sharpness_of_less_precision() -> None:
    def scenario() -> Any:
        backend: Any = torch.backends.mkldnn
        convolution = backend.conv
        before = convolution.fp32_precision
        convolution.fp32_precision = "bf16"
        try:
            return F.adjust_sharpness(image(3, 37, 53), 1.3)
        finally:
            convolution.fp32_precision = before

    assert_same(scenario, FEATURE, 0)


@pytest.mark.parametrize("name", OF_PILLOW)
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (33, 1), (3, 3), (53, 37), (301, 259)])
def test_pil(name: str, size: tuple[int, int]) -> None:
    left = name == "gray 1" or (name.startswith("sharpness") and min(size) < 3)

    def scenario() -> Any:
        pixels = photograph(*size)
        resized = pixels.resize(size[::-1], PIL.Image.Resampling.BILINEAR)  # with zeros beside RGB
        narrow = pixels.point(lambda x: x // 3 + 50)
        flat = PIL.Image.new("RGB", size, (7, 7, 200))
        return [OF_PILLOW[name](picture) for picture in (pixels, resized, narrow, flat)]

    assert_same(scenario, FEATURE, 0 if left else 4)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I", "F", "RGBA", "CMYK", "YCbCr", "HSV"])
@pytest.mark.parametrize("name", OF_PILLOW)
def test_other_modes(name: str, mode: str) -> None:
    def scenario() -> Any:
        pixels = photograph(9, 7)
        pixels = pixels.convert("L").convert(mode) if mode == "LA" else pixels.convert(mode)
        return OF_PILLOW[name](pixels)

    assert_same(scenario, FEATURE, 0)


@pytest.mark.parametrize("name", OF_PILLOW)
def test_transparency_in_info(name: str) -> None:
    def scenario() -> Any:
        pixels = photograph(9, 7)
        pixels.info["transparency"] = (1, 2, 3)
        return OF_PILLOW[name](pixels)

    assert_same(scenario, FEATURE)


def _unusual_images() -> list[Any]:
    return [
        image(1, 6, 5),
        image(2, 6, 5),
        image(4, 6, 5),
        image(6, 5),
        image(3, 0, 5),
        image(3, 2, 9),
        image(2, 2, 3, 6, 5),
        floats(3, 6, 5),
        floats(1, 6, 5),
        floats(3, 6, 5).double(),
        floats(3, 6, 5).requires_grad_(),
        image(3, 6, 5).to(torch.int16),
        image(3, 6, 5).bool(),
        tv_tensors.Video(image(2, 3, 6, 5)),
        tv_tensors.Mask(image(3, 6, 5)),
        "no image",
    ]


@pytest.mark.parametrize("name", OF_PILLOW)
def test_unusual_images(name: str) -> None:
    def scenario(number: int) -> Any:
        return OF_PILLOW[name](_unusual_images()[number])

    for number in range(len(_unusual_images())):
        assert_same(partial(scenario, number), FEATURE)


UNUSUAL: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sharpness": (F.adjust_sharpness, (-0.1, True, float("nan"), float("inf"), 1e30, "1", None)),
    "gray": (F.rgb_to_grayscale, (0, 2, 1.0, 3.0, True, None, "1")),
    "gamma": (F.adjust_gamma, (-0.1, True, float("nan"), float("inf"), 1e30, 300, "1", None)),
    "posterize": (F.posterize, (-1, 0, 9, 2.0, True, None, "1")),
    "solarize": (F.solarize, (float("nan"), float("inf"), -float("inf"), True, None, "1")),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_arguments(name: str) -> None:
    function, values = UNUSUAL[name]
    for value in values:
        for pixels in (image(3, 6, 5), photograph(6, 5)):
            assert_same(partial(function, pixels, value), FEATURE)
    assert_same(lambda: F.adjust_gamma(photograph(6, 5), 0.5, float("nan")), FEATURE)
    assert_same(lambda: F.adjust_gamma(photograph(6, 5), 0.5, 1e308), FEATURE)
    assert_same(lambda: F.adjust_gamma(image(3, 6, 5), 0.5, 1e30), FEATURE)


@MANY
@given(data=st.data())
def test_whatever_hypothesis_thinks_of(data: st.DataObject) -> None:
    adjust = data.draw(
        st.one_of(
            st.builds(lambda f: partial(F.adjust_sharpness, sharpness_factor=f), st.floats(0, 10)),
            st.builds(lambda g: partial(F.adjust_gamma, gamma=g), st.floats(0, 4)),
            st.sampled_from(list(ADJUST.values())),
        )
    )
    height, width = data.draw(st.tuples(*[st.integers(1, 90)] * 2))
    seed = data.draw(st.integers(0, 10**6))
    kind = data.draw(st.sampled_from(["planes", "pixels", "crop", "pil"]))

    def scenario() -> Any:
        pixels: Any = image(3, height, width, seed=seed)
        if kind == "pixels":
            pixels = by_pixels(pixels)
        elif kind == "crop":
            pixels = pixels[..., height // 3 :, width // 4 :]
        elif kind == "pil":
            pixels = photograph(width, height, seed)
        return adjust(pixels)

    assert_same(scenario, FEATURE)


POLICIES: dict[str, Callable[[], Any]] = {
    "RandAugment": lambda: v2.RandAugment(num_ops=3, magnitude=12),
    "TrivialAugmentWide": lambda: v2.TrivialAugmentWide(),
    "AutoAugment": lambda: v2.AutoAugment(),
    "AutoAugment of SVHN": lambda: v2.AutoAugment(v2.AutoAugmentPolicy.SVHN),
    "AugMix": lambda: v2.AugMix(),
    "SimCLR's": lambda: v2.Compose(
        [v2.RandomApply([v2.ColorJitter(0.8, 0.8, 0.8, 0.2)], p=0.8), v2.RandomGrayscale(p=0.5)]
    ),
    "each": lambda: v2.Compose(
        [
            v2.RandomPosterize(3),
            v2.RandomSolarize(120.5),
            v2.RandomInvert(),
            v2.RandomAdjustSharpness(1.8),
            v2.RandomAutocontrast(),
            v2.RandomEqualize(),
            v2.RandomGrayscale(),
        ]
    ),
}


@pytest.mark.parametrize("kind", ["pil", "planes", "pixels", "tv_tensor"])
@pytest.mark.parametrize("policy", POLICIES)
def test_policies(policy: str, kind: str) -> None:
    """Whole augmentations over many seeds: their images, and their random streams."""

    def scenario() -> Any:
        transform = POLICIES[policy]()
        pixels: Any = photograph(53, 37)
        if kind != "pil":
            pixels = by_pixels(image(3, 37, 53))
            pixels = pixels.contiguous() if kind == "planes" else pixels
            pixels = tv_tensors.Image(pixels) if kind == "tv_tensor" else pixels
        results = []
        for seed in range(40):
            torch.manual_seed(seed)
            results.append(transform(pixels))
        return results

    assert_same(scenario, FEATURE)

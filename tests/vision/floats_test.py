"""Hue, saturation and solarize of float32 images: torchvision's bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torchvision import tv_tensors
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

from both_ways import assert_same
from examples import examples
from images import LAYOUTS, by_pixels, floats, image

FEATURE = "vision.color"
ADJUST: dict[str, Callable[..., Any]] = {
    **{f"hue {f}": partial(F.adjust_hue, hue_factor=f) for f in (-0.5, -0.3, 0.0, 0.21, 0.5)},
    **{
        f"saturation {f}": partial(F.adjust_saturation, saturation_factor=f)
        for f in (0.0, 0.37, 1.0, 1.9, 40.0)
    },
    **{f"solarize {t}": partial(F.solarize, threshold=t) for t in (-0.1, 0, 0.3, 0.5, 1)},
}
MANY = examples(100)


def unit(*shape: int, seed: int = 1) -> Tensor:
    """Bytes as floats, and floats between them."""
    generator = torch.Generator().manual_seed(seed)
    noise = torch.rand(shape, generator=generator)
    return torch.where(noise < 0.5, noise * 2, image(*shape, seed=seed) / 255)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ADJUST)
def test_layouts(name: str, layout: str, threads: int) -> None:
    def scenario() -> Any:
        pixels = LAYOUTS[layout](unit)
        special = LAYOUTS[layout](floats)
        return [ADJUST[name](p) for p in (pixels, tv_tensors.Image(pixels), special)]

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("name", ADJUST)
def test_are_served(name: str) -> None:
    for pixels in (unit(3, 37, 53), by_pixels(unit(3, 37, 53)), unit(2, 3, 40, 30)):
        assert_same(partial(ADJUST[name], pixels), FEATURE, 1)


@pytest.mark.parametrize("value", [-0.0, -1e-42, -0.5, float("inf"), float("nan")])
def test_hue_of_unusual_values(value: float) -> None:
    def scenario() -> Any:
        pixels = unit(3, 20, 30)
        pixels[1, 7, 5] = value
        return F.adjust_hue(pixels, 0.1)

    assert_same(scenario, FEATURE, 0)


@pytest.mark.parametrize("scale", [1e-44, 1e-38, 3.0, 1e38])
def test_values_out_of_range(scale: float) -> None:
    for adjust in ADJUST.values():
        assert_same(partial(adjust, unit(3, 9, 21) * scale), FEATURE)


def test_all_bytes_hue() -> None:
    """Every colour of a grid that meets all cases: equal channels, and each the highest."""
    steps = torch.arange(0, 256, 5) / 255
    pixels = torch.cartesian_prod(steps, steps, steps).T.reshape(3, 52, -1).contiguous()
    for factor in (-0.5, -0.123, 0.0, 0.07, 0.5):
        assert_same(partial(F.adjust_hue, pixels, factor), FEATURE, 1)


@MANY
@given(data=st.data())
def test_whatever_hypothesis_thinks_of(data: st.DataObject) -> None:
    adjust = data.draw(
        st.one_of(
            st.builds(lambda f: partial(F.adjust_hue, hue_factor=f), st.floats(-0.5, 0.5)),
            st.builds(
                lambda f: partial(F.adjust_saturation, saturation_factor=f), st.floats(0, 10)
            ),
            st.builds(lambda t: partial(F.solarize, threshold=t), st.floats(-1, 1)),
        )
    )
    height, width = data.draw(st.tuples(*[st.integers(1, 90)] * 2))
    make = data.draw(st.sampled_from([unit, floats]))
    kind = data.draw(st.sampled_from(["planes", "pixels", "crop", "batch"]))
    seed = data.draw(st.integers(0, 10**6))

    def scenario() -> Any:
        if kind == "batch":
            return adjust(make(3, 3, height, width, seed=seed))
        pixels: Tensor = make(3, height, width, seed=seed)
        if kind == "pixels":
            pixels = by_pixels(pixels)
        elif kind == "crop":
            pixels = pixels[..., height // 3 :, width // 4 :]
        return adjust(pixels)

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("kind", ["planes", "pixels"])
def test_jitter(kind: str) -> None:
    def scenario() -> Any:
        pixels = unit(3, 37, 53)
        pixels = by_pixels(pixels) if kind == "pixels" else pixels
        results = []
        for seed in range(30):
            torch.manual_seed(seed)
            results.append(v2.ColorJitter(0.4, 0.4, 0.4, 0.1)(pixels))
            results.append(v2.RandomPhotometricDistort()(pixels))
        return results

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("name", ADJUST)
def test_gradients(name: str) -> None:
    def scenario() -> Any:
        leaf = unit(3, 5, 6).requires_grad_()
        ADJUST[name](leaf).sum().backward()
        return leaf.grad

    assert_same(scenario, FEATURE)

"""Colour adjustments of tensors and PIL images: torchvision's bits, errors and random stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import PIL.Image
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
from images import LAYOUTS, by_pixels, floats, image, photograph
from kwker import torch_ops

FEATURE = "vision.color"
ADJUSTMENTS: dict[str, Callable[..., Any]] = {
    "brightness": F.adjust_brightness,
    "contrast": F.adjust_contrast,
    "saturation": F.adjust_saturation,
    "hue": F.adjust_hue,
}
FACTORS = {
    name: (0.0, 0.25, 0.5000001, 0.9, 1.0, 1.1, 1.7324, 3.0, 1e5)
    if name != "hue"
    else (-0.5, -0.31, -1e-9, 0.0, 0.0625, 0.2, 0.5)
    for name in ADJUSTMENTS
}
# Served in whatever order of dimensions, or left to torch.
EITHER = {
    "transposed",
    "expanded",
    "every second column",
    "swapped batch",
    "one column",
    "one pixel",
}
MANY = examples(150)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_tensors(name: str, layout: str, threads: int) -> None:
    # A contrast may be left to torch for its mean.
    calls = None if layout in EITHER or name == "contrast" else len(FACTORS[name])

    def scenario() -> Any:
        pixels = LAYOUTS[layout](image)
        return [ADJUSTMENTS[name](pixels, factor) for factor in FACTORS[name]]

    assert_same(scenario, FEATURE, calls)


@pytest.mark.parametrize("name", ADJUSTMENTS)
@pytest.mark.parametrize("kind", [tv_tensors.Image, tv_tensors.Video])
def test_tv_tensors(name: str, kind: type) -> None:
    def scenario() -> Any:
        return ADJUSTMENTS[name](LAYOUTS["video"](image).as_subclass(kind), 0.3)

    assert_same(scenario, FEATURE, 1)


@pytest.mark.parametrize("name", ADJUSTMENTS)
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (33, 1), (53, 37), (301, 259)])
def test_pil(name: str, size: tuple[int, int]) -> None:
    def scenario() -> Any:
        pixels = photograph(*size)
        resized = pixels.resize(size[::-1], PIL.Image.Resampling.BILINEAR)  # with zeros beside RGB
        return [
            ADJUSTMENTS[name](picture, factor)
            for factor in FACTORS[name]
            for picture in (pixels, resized)
        ]

    assert_same(scenario, FEATURE, 2 * len(FACTORS[name]))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I", "F", "RGBA", "CMYK", "YCbCr", "HSV"])
@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_other_modes(name: str, mode: str) -> None:
    def scenario() -> Any:
        pixels = photograph(9, 7)
        pixels = pixels.convert("L").convert(mode) if mode == "LA" else pixels.convert(mode)
        return ADJUSTMENTS[name](pixels, 0.3)

    assert_same(scenario, FEATURE, 0)


def test_transparency_in_info() -> None:
    for name in ADJUSTMENTS:

        def scenario(name: str = name) -> Any:
            pixels = photograph(9, 7)
            pixels.info["transparency"] = (1, 2, 3)
            return ADJUSTMENTS[name](pixels, 0.3)

        assert_same(scenario, FEATURE)


def some_colours() -> Iterator[Tensor]:
    """All 2^24 of them with KWKER_EXHAUSTIVE=1, else a sample with all that is gray or pure."""
    if os.environ.get("KWKER_EXHAUSTIVE") == "1":
        codes = np.arange(1 << 24, dtype=np.uint32)
    else:
        sample = np.random.default_rng(5).integers(0, 1 << 24, 59904, dtype=np.uint32)
        levels = np.arange(256, dtype=np.uint32)
        edges = [levels * weight for weight in (1, 256, 65536, 257, 65537, 65792, 65793)]
        codes = np.concatenate([sample, *edges])
    bands = np.stack([codes >> 16, codes >> 8 & 255, codes & 255]).astype(np.uint8)
    # In pieces below what Pillow keeps in one block of memory.
    yield from torch.from_numpy(bands.reshape(3, -1, 256)).split(8192, dim=1)


@pytest.mark.parametrize("name", ["hue", "saturation"])
@pytest.mark.parametrize("pil", [False, True])
def test_colours(name: str, pil: bool) -> None:
    for colours in some_colours():
        pixels: Any = colours.contiguous()
        if pil:
            pixels = PIL.Image.fromarray(colours.permute(1, 2, 0).contiguous().numpy())
        for factor in (-0.37, 0.11, 0.5) if name == "hue" else (0.7, 1.43):
            assert_same(partial(ADJUSTMENTS[name], pixels, factor), FEATURE, 1)


@MANY
@given(data=st.data())
def test_whatever_hypothesis_thinks_of(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(ADJUSTMENTS)))
    factor = data.draw(st.floats(-0.5, 0.5) if name == "hue" else st.floats(0, 10))
    height, width = data.draw(st.tuples(*[st.integers(1, 90)] * 2))
    seed = data.draw(st.integers(0, 10**6))
    kind = data.draw(st.sampled_from(["planes", "pixels", "crop", "pil", "flat"]))

    def scenario() -> Any:
        pixels: Any = image(3, height, width, seed=seed)
        if kind == "flat":  # few values, so that the mean is near them
            pixels = pixels // 128 + seed % 200
        elif kind == "pixels":
            pixels = by_pixels(pixels)
        elif kind == "crop":
            pixels = pixels[..., height // 3 :, width // 4 :]
        elif kind == "pil":
            pixels = photograph(width, height, seed)
        return ADJUSTMENTS[name](pixels, factor)

    assert_same(scenario, FEATURE)


TABLES: dict[str, Callable[..., Any]] = {
    **{
        f"solarize {t}": partial(F.solarize, threshold=t)
        for t in (0, 1, 127, 255, 0.0, 100.3, 127.99999999999, 254.5, -1, 256, float("nan"))
    },
    "autocontrast": F.autocontrast,
    "equalize": F.equalize,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str, layout: str) -> None:
    def scenario() -> Any:
        pixels = LAYOUTS[layout](image)
        narrow = LAYOUTS[layout](lambda *shape: image(*shape) // 3 + 50)
        flat = LAYOUTS[layout](lambda *shape: torch.full(shape, 77, dtype=torch.uint8))
        few = LAYOUTS[layout](lambda *shape: image(*shape) // 128 * 200)
        return [TABLES[name](p) for p in (pixels, narrow, flat, few, tv_tensors.Image(pixels))]

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_other_images(name: str) -> None:
    for pixels in (
        image(1, 6, 5),
        image(4, 6, 5),
        image(6, 5),
        image(3, 0, 5),
        floats(3, 6, 5),
        image(3, 6, 5).to(torch.int16),
        tv_tensors.Video(image(2, 3, 6, 5)),
        photograph(6, 5),
        tv_tensors.Mask(image(3, 6, 5)),
        "no image",
    ):
        assert_same(partial(TABLES[name], pixels), FEATURE)


def test_tables_are_served() -> None:
    for adjust in (partial(F.solarize, threshold=128.0), F.autocontrast, F.equalize):
        for pixels in (image(3, 37, 53), by_pixels(image(3, 37, 53)), image(2, 3, 40, 30)):
            assert_same(partial(adjust, pixels), FEATURE, 1)


JITTERS: dict[str, Callable[[], Any]] = {
    "all": lambda: v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
    "contrast": lambda: v2.ColorJitter(contrast=0.7),
    "hue": lambda: v2.ColorJitter(hue=0.5),
    "none": lambda: v2.ColorJitter(),
    "distort": lambda: v2.RandomPhotometricDistort(),
    "distort always": lambda: v2.RandomPhotometricDistort(p=1.0),
}


@pytest.mark.parametrize("layout", [*LAYOUTS, "pil"])
@pytest.mark.parametrize("jitter", JITTERS)
def test_jitter(jitter: str, layout: str) -> None:
    def scenario() -> Any:
        transform = JITTERS[jitter]()
        pixels = photograph(53, 37) if layout == "pil" else LAYOUTS[layout](image)
        return [transform(pixels) for _ in range(8)]

    assert_same(scenario, FEATURE)


def test_jitter_is_one_call() -> None:
    def scenario() -> Any:
        return v2.ColorJitter(0.4, 0.4, 0.4, 0.1)(photograph(53, 37))

    assert_same(scenario, FEATURE, 1)


def _applied(make: Callable[[], Any], sample: Any) -> Any:
    return make()(sample)


def test_samples_of_several_things() -> None:
    boxes = tv_tensors.BoundingBoxes([[0, 1, 2, 3]], format="XYXY", canvas_size=(5, 4))
    sample = {
        "image": tv_tensors.Image(image(3, 5, 4)),
        "more": photograph(4, 5),
        "mask": tv_tensors.Mask(torch.ones(1, 5, 4)),
        "boxes": boxes,
        "label": 3,
    }
    for make in JITTERS.values():
        assert_same(partial(_applied, make, sample), FEATURE)


def test_a_large_mean_is_torchs(threads: int) -> None:
    def scenario() -> Any:
        bright = image(2, 3, 400, 500) // 8 + 220  # a sum beyond 2^24
        return F.adjust_contrast(bright, 0.6), v2.ColorJitter(0.1, 0.4, 0.4)(by_pixels(bright))

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("name", ADJUSTMENTS)
@pytest.mark.parametrize("factor", [-0.1, 0.6, -1, 1, 2, True, float("nan"), float("inf"), 1e30])
def test_unusual_factors(name: str, factor: Any) -> None:
    assert_same(lambda: ADJUSTMENTS[name](image(3, 6, 5), factor), FEATURE)
    assert_same(lambda: ADJUSTMENTS[name](photograph(6, 5), factor), FEATURE)


@pytest.mark.parametrize("name", ADJUSTMENTS)
@pytest.mark.parametrize(
    "pixels",
    [
        lambda: image(1, 6, 5),
        lambda: image(2, 6, 5),
        lambda: image(4, 6, 5),
        lambda: image(6, 5),
        lambda: image(3, 0, 5),
        lambda: image(0, 3, 4, 5),
        lambda: floats(3, 6, 5),
        lambda: floats(3, 6, 5).double(),
        lambda: floats(3, 6, 5).requires_grad_(),
        lambda: image(3, 6, 5).to(torch.int16),
        lambda: image(3, 6, 5).bool(),
        lambda: image(3, 6, 5).numpy(),
        lambda: "no image",
        lambda: tv_tensors.Mask(image(3, 6, 5)),
    ],
)
def test_unusual_images(name: str, pixels: Callable[[], Any]) -> None:
    assert_same(lambda: ADJUSTMENTS[name](pixels(), 0.3), FEATURE)


def test_unusual_factors_as_tensors_and_numpy() -> None:
    for name in ADJUSTMENTS:
        for factor in (torch.tensor(0.3), np.float64(0.3), np.float32(0.3), "0.3", None):
            assert_same(partial(ADJUSTMENTS[name], image(3, 6, 5), factor), FEATURE)


def test_another_default_dtype() -> None:
    def scenario() -> Any:
        torch.set_default_dtype(torch.float64)
        try:
            return [ADJUSTMENTS[name](image(3, 16, 15), 0.37) for name in ADJUSTMENTS]
        finally:
            torch.set_default_dtype(torch.float32)

    assert_same(scenario, FEATURE, 0)


def test_replaced_functions_are_called() -> None:
    """Whoever replaces a functional of torchvision's, or a method, is asked also in a chain."""

    def functional() -> Any:
        calls: list[float] = []
        original = F.adjust_hue

        def mine(inpt: Any, hue_factor: float) -> Any:
            calls.append(hue_factor)
            return inpt

        F.adjust_hue = mine
        try:
            return v2.ColorJitter(0.4, 0.4, 0.4, 0.1)(image(3, 6, 5)), calls
        except Exception as error:  # nothing is registered for it
            return type(error), calls
        finally:
            F.adjust_hue = original

    def method() -> Any:
        calls: list[Any] = []

        class Mine(v2.ColorJitter):  # type: ignore[misc]
            def _call_kernel(self, functional: Any, inpt: Any, *args: Any, **kwargs: Any) -> Any:
                calls.append(functional.__name__)
                return super()._call_kernel(functional, inpt, *args, **kwargs)

        return Mine(0.4, 0.4, 0.4, 0.1)(image(3, 6, 5)), calls

    assert_same(functional, FEATURE)
    assert_same(method, FEATURE)


def test_compiling_and_vmap() -> None:
    def compiled() -> Any:
        torch._dynamo.reset()
        return torch.compile(lambda t: F.adjust_saturation(t, 0.3), backend="eager")(image(3, 9, 8))

    def mapped() -> Any:
        return torch.func.vmap(lambda t: F.adjust_brightness(t, 0.3))(image(2, 3, 9, 8))

    assert_same(compiled, FEATURE)
    assert_same(mapped, FEATURE)


def test_uninstall_puts_back_the_very_objects() -> None:
    from torchvision.transforms.v2.functional._utils import _KERNEL_REGISTRY

    def all_of_it() -> list[Any]:
        kernels = [kernel for kinds in _KERNEL_REGISTRY.values() for kernel in kinds.values()]
        classes = (v2.Compose, v2.ColorJitter, v2.RandomPhotometricDistort)
        return [*kernels, *(dict(vars(c)) for c in classes)]

    before = all_of_it()
    torch_ops.install(["vision"])
    assert all(f.state == "on" for f in torch_ops.features() if f.name == FEATURE)
    torch_ops.uninstall()
    after = all_of_it()
    assert all(a is b or a == b for a, b in zip(before, after, strict=True))

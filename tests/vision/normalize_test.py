"""ToDtype, Normalize, ToTensor, alone and fused: torchvision's bits, errors and metadata."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

from both_ways import assert_same
from examples import examples
from images import LAYOUTS, by_pixels, floats, image, photograph
from kwker import torch_ops

FEATURE = "vision.to_dtype_normalize"
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
# Served in whatever order of dimensions, or left to torch.
EITHER = {"transposed", "expanded", "every second column", "every second image", "swapped batch"}
MANY = examples(150)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", [Tensor, tv_tensors.Image, tv_tensors.Video])
def test_to_dtype(layout: str, kind: type, threads: int) -> None:
    calls = None if layout in EITHER else 1

    def scenario() -> Any:
        pixels: Tensor = LAYOUTS[layout](image).as_subclass(kind)
        return F.to_dtype(pixels, torch.float32, scale=True)

    assert_same(scenario, FEATURE, calls)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", [Tensor, tv_tensors.Image])
def test_normalize(layout: str, kind: type, threads: int) -> None:
    calls = None if layout in EITHER | {"one pixel"} else 1

    def scenario() -> Any:
        return F.normalize(LAYOUTS[layout](floats).as_subclass(kind), MEAN, STD)

    assert_same(scenario, FEATURE, calls)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_normalize_in_place(layout: str) -> None:
    def scenario() -> Any:
        pixels = LAYOUTS[layout](floats)
        result = F.normalize(pixels, MEAN, STD, inplace=True)
        return pixels, result, result is pixels

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("maker", [image, floats])
def test_numbers_of_channels(channels: int, maker: Callable[..., Tensor]) -> None:
    layouts: tuple[Callable[[Tensor], Tensor], ...] = (lambda t: t, by_pixels)
    for layout in layouts:
        for mean, std in ((list(range(channels)), tuple(range(1, channels + 1))), ([0.5], [0.3])):

            def scenario(layout: Any = layout, mean: Any = mean, std: Any = std) -> Any:
                pixels = layout(maker(2, channels, 13, 11))
                return v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)])(
                    pixels
                )

            assert_same(scenario, FEATURE)


@MANY
@given(data=st.data())
def test_whatever_hypothesis_thinks_of(data: st.DataObject) -> None:
    batch = data.draw(st.lists(st.integers(1, 3), max_size=2))
    shape = (*batch, data.draw(st.integers(1, 5)), *data.draw(st.tuples(*[st.integers(1, 70)] * 2)))
    order = data.draw(st.permutations(range(len(shape))))
    maker = data.draw(st.sampled_from([image, floats]))
    numbers = st.floats(-1e3, 1e3)
    mean = data.draw(st.lists(numbers, min_size=shape[-3], max_size=shape[-3]))
    std = data.draw(st.lists(numbers, min_size=shape[-3], max_size=shape[-3]))

    def scenario() -> Any:
        made = maker(*(shape[i] for i in order))
        pixels = made.permute([order.index(i) for i in range(len(shape))])
        scaled = F.to_dtype(pixels, torch.float32, scale=True)
        return scaled, F.normalize(scaled, mean, std)

    assert_same(scenario, FEATURE)


START = {"to_image": v2.ToImage, "pil_to_tensor": v2.PILToTensor}


@pytest.mark.parametrize("start", START)
@pytest.mark.parametrize("size", [(1, 2), (2, 1), (7, 5), (64, 48), (333, 250)])
def test_fused_from_pil(start: str, size: tuple[int, int], threads: int) -> None:
    def scenario() -> Any:
        pipeline = v2.Compose(
            [START[start](), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
        )
        return pipeline(photograph(*size))

    assert_same(scenario, FEATURE, 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fused_from_tensors(layout: str) -> None:
    def scenario() -> Any:
        pipeline = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])
        return pipeline(LAYOUTS[layout](image)), pipeline(tv_tensors.Image(LAYOUTS[layout](image)))

    assert_same(scenario, FEATURE)


def _on_a_copy(pipeline: Callable[[Any], Any], sample: Any) -> Any:
    return pipeline(copy.deepcopy(sample))


def test_pipelines_that_are_not_one_image() -> None:
    pipeline = v2.Compose(
        [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    )
    mask = tv_tensors.Mask(torch.ones(1, 5, 4))
    boxes = tv_tensors.BoundingBoxes([[0, 1, 2, 3]], format="XYXY", canvas_size=(5, 4))
    for sample in (
        {"image": photograph(4, 5), "mask": mask, "boxes": boxes, "label": 3},
        (photograph(4, 5), mask),
        photograph(4, 5).convert("L"),
        photograph(4, 5).convert("RGBA"),
        photograph(4, 5).convert("CMYK"),
        image(3, 4, 5).numpy(),
        image(3, 4, 5),
        "no image",
        None,
    ):
        assert_same(partial(_on_a_copy, pipeline, sample), FEATURE)
    assert_same(lambda: pipeline(photograph(4, 5), 3), FEATURE)


def test_hooks_and_subclasses_are_honoured() -> None:
    class Mine(v2.Normalize):  # type: ignore[misc]
        def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
            return inpt + 1

    def with_hook(handle: str) -> Any:
        seen: list[str] = []
        normalize = v2.Normalize(MEAN, STD)
        getattr(normalize, handle)(lambda *arguments: seen.append(handle))
        pipeline = v2.Compose([v2.ToDtype(torch.float32, scale=True), normalize])
        return pipeline(image(3, 4, 5)), seen

    assert_same(lambda: with_hook("register_forward_hook"), FEATURE)
    assert_same(lambda: with_hook("register_forward_pre_hook"), FEATURE)
    mine = v2.Compose([v2.ToDtype(torch.float32, scale=True), Mine(MEAN, STD)])
    assert_same(lambda: mine(image(3, 4, 5)), FEATURE)


def test_pipelines_are_pickled_and_shown_as_before() -> None:
    pipeline = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])

    def scenario() -> Any:
        stream = io.BytesIO(pickle.dumps(pipeline))
        return repr(pipeline), pickle.load(stream)(image(3, 6, 5))

    assert_same(scenario, FEATURE)


@pytest.mark.parametrize(
    "scenario",
    [
        lambda: F.normalize(image(3, 4, 5), MEAN, STD),
        lambda: F.normalize(floats(4, 5), MEAN, STD),
        lambda: F.normalize(floats(3, 4, 5), MEAN, [0.1, 0.0, 0.2]),
        lambda: F.normalize(floats(3, 4, 5), [0.5, 0.5], STD),
        lambda: F.normalize(floats(3, 4, 5), MEAN, [0.1, 0.2, 0.3, 0.4]),
        lambda: F.normalize(floats(3, 4, 5), 0.5, 0.5),
        lambda: F.normalize(floats(3, 4, 5), torch.tensor(MEAN), torch.tensor(STD)),
        lambda: F.normalize(floats(3, 4, 5), MEAN, ["a", "b", "c"]),
        lambda: F.normalize(floats(3, 4, 5), [1e39, 0.0, 0.0], [1e-60, float("nan"), 1e39]),
        lambda: F.normalize(floats(3, 4, 5).double(), MEAN, STD),
        lambda: F.normalize(floats(3, 4, 5).half(), MEAN, STD),
        lambda: F.normalize(floats(3, 0, 5), MEAN, STD),
        lambda: F.normalize(floats(3, 4, 5).requires_grad_(), MEAN, STD),
        lambda: F.normalize(floats(3, 4, 5).requires_grad_(), MEAN, STD, inplace=True),
        lambda: F.to_dtype(image(3, 4, 5), torch.float64, scale=True),
        lambda: F.to_dtype(image(3, 4, 5), torch.float32),
        lambda: F.to_dtype(image(3, 4, 5).to(torch.int16), torch.float32, scale=True),
        lambda: F.to_dtype(image(3, 4, 5).bool(), torch.float32, scale=True),
        lambda: F.to_dtype(floats(3, 4, 5), torch.uint8, scale=True),
        lambda: F.to_dtype(floats(3, 4, 5), torch.float32, scale=True),
        lambda: F.to_dtype(image(0, 4, 5), torch.float32, scale=True),
        lambda: F.to_dtype(image(4, 5), torch.float32, scale=True),
        lambda: F.to_dtype(image(3, 4, 5), "float32", scale=True),
        lambda: F.to_dtype("no image", torch.float32, scale=True),
        lambda: torch.func.vmap(lambda t: F.normalize(t, MEAN, STD))(floats(2, 3, 4, 5)),
    ],
)
def test_what_is_not_covered_is_torchs(scenario: Callable[[], Any]) -> None:
    assert_same(scenario, FEATURE)


def test_reasons() -> None:
    normalize = v2.Normalize(MEAN, STD)
    for pixels, reason in (
        (floats(3, 4, 5).double(), "pixels of a type that is not covered"),
        (floats(3, 4, 5).requires_grad_(), "gradients are being recorded"),
        (floats(3, 0, 5), "an image without pixels"),
    ):
        with torch_ops.installed(["vision"], verify=False):
            torch_ops.reset_stats()
            normalize(pixels)
            assert torch_ops.stats()[FEATURE]["fallbacks"] == {reason: 1}


def test_under_modes() -> None:
    def inference() -> Any:
        with torch.inference_mode():
            return F.normalize(floats(3, 4, 5), MEAN, STD)

    def no_grad() -> Any:
        with torch.no_grad():
            return F.normalize(floats(3, 4, 5).requires_grad_(), MEAN, STD)

    def autocast() -> Any:
        with torch.autocast("cpu"):
            return F.normalize(floats(3, 4, 5), MEAN, STD)

    assert_same(inference, FEATURE, 0)
    assert_same(no_grad, FEATURE, 1)
    assert_same(autocast, FEATURE, 0)


def test_tracing_and_compiling() -> None:
    def traced() -> Any:
        trace: Any = torch.jit.trace
        return trace(lambda t: F.normalize(t, MEAN, STD), floats(3, 4, 5))(floats(3, 4, 5, seed=2))

    def compiled() -> Any:
        reset: Any = torch._dynamo.reset
        reset()
        pipeline = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])
        compiled_pipeline: Any = torch.compile(pipeline, backend="eager")
        return compiled_pipeline(image(3, 4, 5))

    assert_same(traced, FEATURE)
    assert_same(compiled, FEATURE)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (7, 5), (64, 48), (333, 250)])
def test_to_tensor_v1(size: tuple[int, int], threads: int) -> None:
    pipeline = v1.Compose([v1.ToTensor(), v1.Normalize(MEAN, STD)])
    assert_same(
        lambda: pipeline(photograph(*size)), "vision.to_tensor", None if size == (1, 1) else 2
    )


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I", "I;16", "F", "RGBA", "CMYK", "YCbCr"])
def test_other_modes_v1(mode: str) -> None:
    def scenario() -> Any:
        pixels = photograph(9, 7)
        pixels = (
            pixels.convert("L").convert(mode) if mode in ("LA", "I;16") else pixels.convert(mode)
        )
        return v1.ToTensor()(pixels), v2.PILToTensor()(pixels)

    assert_same(scenario, "vision.to_tensor")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("inplace", [False, True])
def test_normalize_v1(layout: str, inplace: bool) -> None:
    def scenario() -> Any:
        pixels = LAYOUTS[layout](floats)
        result = v1.Normalize(MEAN, STD, inplace)(pixels)
        return pixels, result, result is pixels

    assert_same(scenario, "vision.to_tensor")


@pytest.mark.parametrize(
    "scenario",
    [
        lambda: v1.functional.to_tensor("no image"),
        lambda: v1.functional.to_tensor(floats(3, 4, 5).numpy()),
        lambda: v1.functional.normalize(floats(3, 4, 5), MEAN, [1e-60, 1.0, 1.0]),
        lambda: v1.functional.normalize(floats(3, 4, 5), MEAN, [0.0, 1.0, 1.0]),
        lambda: v1.functional.normalize(image(3, 4, 5), MEAN, STD),
        lambda: v1.functional.normalize(floats(3, 4, 5), MEAN[:2], STD),
        lambda: v1.functional.normalize(tv_tensors.Image(floats(3, 4, 5)), MEAN, STD),
        lambda: v1.functional.normalize([1.0], MEAN, STD),
    ],
)
def test_errors_v1(scenario: Callable[[], Any]) -> None:
    assert_same(scenario, "vision.to_tensor")


def test_another_default_dtype_v1() -> None:
    def scenario() -> Any:
        torch.set_default_dtype(torch.float64)
        try:
            return v1.ToTensor()(photograph(5, 4))
        finally:
            torch.set_default_dtype(torch.float32)

    assert_same(scenario, "vision.to_tensor", 0)

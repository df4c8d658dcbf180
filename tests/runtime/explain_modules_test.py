"""explain() of modules and transforms: part by part, and what it says is what a call then does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from PIL import Image
from torch import nn
from torchvision import transforms as v1
from torchvision.transforms import v2

import kwker.torch_ops as sto
from kwker import _coverage
from processes import printed

MOMENTS = ([0.4, 0.5, 0.6], [0.2, 0.3, 0.4])
PIXELS = torch.arange(3 * 40 * 50).remainder(251).to(torch.uint8).reshape(3, 40, 50)
FLOATS = PIXELS / 255
PICTURE = Image.fromarray(PIXELS.permute(1, 2, 0).contiguous().numpy())


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    sto.install()
    sto.reset_stats()
    yield
    sto.uninstall()


def said(target: object) -> list[str]:
    return [str(part) for part in sto.explain(target)]


def to_dtype(dtype: Any = torch.float32, scale: bool = True) -> v2.ToDtype:
    return v2.ToDtype(dtype, scale=scale)


class OwnForward(v2.Normalize):  # type: ignore[misc]
    def forward(self, *inputs: Any) -> Any:
        return super().forward(*inputs)


class OwnName(v2.Normalize):  # type: ignore[misc]
    """Changes nothing that is called."""


NEAREST = v1.InterpolationMode.NEAREST
ONE_BY_ONE: list[tuple[Callable[[], Any], Any, str, str]] = [
    (to_dtype, PIXELS, "vision.to_dtype_normalize", ""),
    (lambda: to_dtype(torch.float64), PIXELS, "vision.to_dtype_normalize", "only ToDtype("),
    (lambda: to_dtype(scale=False), PIXELS, "vision.to_dtype_normalize", "only ToDtype("),
    (lambda: v2.Normalize(*MOMENTS), FLOATS, "vision.to_dtype_normalize", ""),
    (lambda: OwnName(*MOMENTS), FLOATS, "vision.to_dtype_normalize", ""),
    (lambda: v1.ToTensor(), PICTURE, "vision.to_tensor", ""),
    (lambda: v1.Normalize(*MOMENTS), FLOATS, "vision.to_tensor", ""),
    (lambda: v2.ColorJitter(0.5, 0.5), PIXELS, "vision.color", ""),
    (lambda: v2.ColorJitter(hue=0.3), PICTURE, "vision.color", ""),
    (lambda: v2.RandomSolarize(100, p=1), PIXELS, "vision.color", ""),
    (lambda: v2.RandomAutocontrast(p=1), PIXELS, "vision.color", ""),
    (lambda: v2.RandomEqualize(p=1), PIXELS, "vision.color", ""),
    (lambda: v1.Resize(20), PICTURE, "vision.resize", ""),
    (lambda: v2.Resize(20), PICTURE, "vision.resize", ""),
    (lambda: v2.RandomResizedCrop(20), PICTURE, "vision.resize", ""),
    (lambda: v2.RandomResize(10, 30), PICTURE, "vision.resize", ""),
    (lambda: v2.RandomShortestSize(20), PICTURE, "vision.resize", ""),
    (lambda: v2.ScaleJitter((20, 20)), PICTURE, "vision.resize", ""),
    (lambda: v1.Resize(20, NEAREST), PICTURE, "vision.resize", "the nearest filter is not"),
    (lambda: v2.Resize(20, NEAREST), PICTURE, "vision.resize", "the nearest filter is not"),
]


@pytest.mark.parametrize(("make", "image", "feature", "reason"), ONE_BY_ONE)
def test_says_what_a_transform_does(
    make: Callable[[], Any], image: Any, feature: str, reason: str
) -> None:
    transform = make()
    (part,) = sto.explain(transform)
    assert (part.feature, part.served) == (feature, not reason)
    assert part.reason.startswith(reason) and bool(part.reason) == bool(reason)
    transform(image)
    assert (sto.stats()[feature]["calls"] > 0) == part.served


@pytest.mark.parametrize("inplace", [True, False])
@pytest.mark.parametrize("kind", [v1.Normalize, v2.Normalize])
def test_normalize_in_place(kind: Any, inplace: bool) -> None:
    transform = kind(*MOMENTS, inplace=inplace)
    (part,) = sto.explain(transform)
    transform(FLOATS.clone())
    assert (sto.stats()[part.feature]["calls"] > 0) == part.served


def test_a_compose_step_by_step() -> None:
    fused = v2.Compose(
        [
            v2.RandomHorizontalFlip(),
            v2.ToImage(),
            to_dtype(),
            v2.Normalize(*MOMENTS),
            v2.RandomApply([v2.ColorJitter(0.1), nn.Identity()]),
            lambda image: image,
        ]
    )
    assert said(fused) == [
        "Compose, step 0: RandomHorizontalFlip: torch's own code: no feature covers it",
        "Compose, steps 1 to 3 at one go: ToImage, ToDtype, Normalize: "
        "accelerated by vision.to_dtype_normalize",
        "Compose, step 4: RandomApply, step 0: ColorJitter of uint8 tensors and PIL images: "
        "accelerated by vision.color",
        "Compose, step 4: RandomApply, step 1: Identity: torch's own code: no feature covers it",
        "Compose, step 5: test_a_compose_step_by_step.<locals>.<lambda>: torch's own code: "
        "no feature covers it",
    ]
    first = v2.Compose(fused.transforms[:4])
    first(PICTURE)
    assert sto.stats()["vision.to_dtype_normalize"]["calls"] == 1


def test_a_compose_of_v1_which_is_no_module() -> None:
    compose = v1.Compose([v1.Resize(20), v1.ToTensor(), v1.Normalize(*MOMENTS)])
    sto.disable("vision.resize")
    assert said(compose) == [
        "Compose, step 0: Resize: torch's own code (vision.resize): it is off by user",
        "Compose, step 1: ToTensor of PIL images: accelerated by vision.to_tensor",
        "Compose, step 2: Normalize of float32 tensors: accelerated by vision.to_tensor",
    ]


def test_steps_that_are_not_fused() -> None:
    steps = [to_dtype(), v2.Normalize(*MOMENTS)]
    hooked = v2.Normalize(*MOMENTS)
    hooked.register_forward_hook(lambda *_: None)
    for compose in (v2.Compose([to_dtype(), hooked]), v2.Compose([steps[0], OwnName(*MOMENTS)])):
        assert [part.served for part in sto.explain(compose)] == [True, True]
        compose(PIXELS)
        assert sto.stats()["vision.to_dtype_normalize"]["calls"] == 2
        sto.reset_stats()
    assert [part.reason for part in sto.explain(v2.Compose([steps[0], OwnForward(*MOMENTS)]))] == [
        "",
        "OwnForward has a forward() of its own",
    ]
    sto.uninstall()
    assert [part.reason for part in sto.explain(v2.Compose(steps))] == ["it is off"] * 2


def test_a_kernel_that_somebody_has_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchvision.transforms import functional as F

    theirs = F.normalize
    monkeypatch.setattr(F, "normalize", lambda *args: theirs(*args))
    (part,) = sto.explain(v1.Normalize(*MOMENTS))
    assert part.reason == "a function of torchvision's was replaced by somebody else"
    monkeypatch.undo()


def test_modules_that_no_feature_covers() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(2, 2), nn.ReLU()) for _ in "abc")
            self.head = nn.Linear(2, 1)
            self.transform = v2.Normalize(*MOMENTS)

    assert said(Net()) == [
        "Normalize of float32 tensors: accelerated by vision.to_dtype_normalize",
        "Linear (4 of them): torch's own code: no feature covers it",
        "ReLU (3 of them): torch's own code: no feature covers it",
    ]
    assert said(nn.Linear(1, 1)) == ["Linear: torch's own code: no feature covers it"]
    assert said(nn.Sequential()) == ["Sequential: torch's own code: no feature covers it"]
    kinds = {part.part for part in sto.explain(nn.TransformerEncoderLayer(4, 2))}
    assert {"TransformerEncoderLayer", "MultiheadAttention", "LayerNorm (2 of them)"} <= kinds
    shared = nn.Linear(1, 1)
    assert said(nn.Sequential(shared, shared)) == said(shared)  # one object


def test_a_later_feature_says_what_it_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_coverage, "_covered", list(_coverage._covered))
    _coverage.cover(
        _coverage.Covered(
            _coverage.Named("torch.nn", "Threshold"),
            "optim.sgd",  # as if it did
            "float32 tensors",
            lambda module: "inplace=True is not covered" if module.inplace else "",
        )
    )
    model = nn.Sequential(nn.Threshold(0, 1), nn.Threshold(0, 1, inplace=True), nn.ReLU())
    assert said(model) == [
        "Threshold of float32 tensors: accelerated by optim.sgd",
        "Threshold: torch's own code (optim.sgd): inplace=True is not covered",
        "ReLU: torch's own code: no feature covers it",
    ]


def test_imports_nothing() -> None:
    code = """
import sys, torch
import kwker.torch_ops as sto
sto.install()
before = set(sys.modules)
for part in sto.explain(torch.nn.Sequential(torch.nn.Linear(1, 1))):
    print(part)
print(sorted(set(sys.modules) - before))
"""
    assert printed(code) == "Linear: torch's own code: no feature covers it\n[]\n"


def test_functionals() -> None:
    for function, expected in (
        (
            v2.functional.adjust_hue,
            "adjust_hue of uint8 and float32 tensors and PIL images: accelerated by vision.color",
        ),
        (
            v2.functional.equalize,
            "equalize of uint8 tensors and PIL images: accelerated by vision.color",
        ),
        (
            v2.functional.normalize,
            "normalize of float32 tensors: accelerated by vision.to_dtype_normalize",
        ),
        (v2.functional.resize, "resize of PIL images: accelerated by vision.resize"),
        (v2.functional.erase, "erase: torch's own code: no feature stands for it"),
    ):
        (said,) = sto.explain(function)
        assert str(said) == expected

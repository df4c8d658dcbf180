"""The feature vision.color: colour adjustments of transforms.v2 on uint8 tensors and PIL images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from kwker import _C, _verify_vision, _vision
from kwker._coverage import Covered, Leading, Named, cover, lead
from kwker._library_patch import LibraryPatch, Place
from kwker._own import is_own
from kwker._registry import Feature, register

_ADJUSTMENTS = ("adjust_brightness", "adjust_contrast", "adjust_saturation", "adjust_hue")
# What is never part of a chain. Of tensors, torch's own posterize and invert are one pass each.
_OTHERS = (
    "adjust_gamma",
    "adjust_sharpness",
    "rgb_to_grayscale",
    "solarize",
    "autocontrast",
    "equalize",
)
_OTHERS_OF_PILLOW = (*_OTHERS, "posterize", "invert")


def _places() -> list[Place]:
    _vision.show_tensor_classes()
    with_pillow = _vision.show_pillow()
    kernels: list[Place] = []
    for name in _ADJUSTMENTS:
        kernels += _vision.dispatch_places(name, name)
        if with_pillow:
            kernels += _vision.dispatch_places(name, f"pillow_{name}", pillow=True)
    others = [p for name in _OTHERS for p in _vision.dispatch_places(name, name)]
    for name in _OTHERS_OF_PILLOW if with_pillow else ():
        others += _vision.dispatch_places(name, f"pillow_{name}", pillow=True)
    return [*kernels, *others, *_chains(kernels)]


def _chains(kernels: list[Place]) -> Iterator[Place]:
    """The transforms that draw several adjustments, which the extension does in one go."""
    from torchvision.transforms import v2
    from torchvision.transforms.v2 import functional as F

    if not all(is_own(getattr(F, name), "torchvision") for name in _ADJUSTMENTS):
        return  # whoever has replaced a functional wants it to be called

    def chain_hook(entry: str, original: Any) -> Any:
        # The kernels are hooked by now. A chain is served while all of them are ours, and the
        # functionals that lead to them torchvision's.
        expected = [(vars(F), name, getattr(F, name)) for name in _ADJUSTMENTS]
        expected += [(p.holder, p.key, p.hook) for p in kernels]
        _C.set_color_chain(
            v2.ColorJitter, v2.RandomPhotometricDistort, F.permute_channels, expected
        )
        return _vision.hook_maker(entry)(original)

    for transform, entry in (
        (v2.ColorJitter, "color_jitter"),
        (v2.RandomPhotometricDistort, "photometric_distort"),
    ):
        name = f"torchvision.transforms.v2.{transform.__name__}.transform"
        yield Place(transform, "transform", name, partial(chain_hook, entry))


patch = LibraryPatch("torchvision", _places)

register(
    Feature(
        name="vision.color",
        replaces="torchvision.transforms.v2: adjust_brightness, adjust_contrast, "
        "adjust_saturation, adjust_hue, ColorJitter, RandomPhotometricDistort, adjust_gamma, "
        "adjust_sharpness, rgb_to_grayscale, solarize, autocontrast, equalize of uint8 tensors and "
        "PIL images; posterize, invert of PIL images; adjust_saturation, adjust_hue, "
        "adjust_sharpness, solarize of float32 tensors",
        since="2.13",
        counters=_C.color_counters,
        patch=patch,
        checked_at="first call",  # the longest of the checks, and many pipelines adjust no colour
        obstacle=_vision.obstacle,
        verify=partial(_verify_vision.color_difference, _C.color_counters),
        verify_at_length=partial(_verify_vision.color_differences, _C.color_counters),
        library="torchvision.transforms.v2",
    )
)


def _why_not(functionals: Sequence[str], transform: object) -> str:
    return _vision.taken(patch, *functionals)


_BOTH, _ALL = "uint8 tensors and PIL images", "uint8 and float32 tensors and PIL images"
_INPUTS = {
    **dict.fromkeys((*_ADJUSTMENTS, *_OTHERS), _BOTH),
    **dict.fromkeys(("adjust_saturation", "adjust_hue", "adjust_sharpness", "solarize"), _ALL),
    **dict.fromkeys(("posterize", "invert"), "PIL images"),
}
for _name, _functionals in (
    ("ColorJitter", _ADJUSTMENTS),
    ("RandomPhotometricDistort", _ADJUSTMENTS),
    ("RandomSolarize", ("solarize",)),
    ("RandomAutocontrast", ("autocontrast",)),
    ("RandomEqualize", ("equalize",)),
    ("RandomAdjustSharpness", ("adjust_sharpness",)),
    ("Grayscale", ("rgb_to_grayscale",)),
    ("RandomGrayscale", ("rgb_to_grayscale",)),
    ("RandomPosterize", ("posterize",)),
    ("RandomInvert", ("invert",)),
):
    cover(
        Covered(
            Named("torchvision.transforms.v2", _name),
            "vision.color",
            _INPUTS[_functionals[0]],
            partial(_why_not, _functionals),
            ("forward", "transform", "_call_kernel"),
        )
    )

for _name in ("AutoAugment", "RandAugment", "TrivialAugmentWide", "AugMix"):
    cover(
        Covered(
            Named("torchvision.transforms.v2", _name),
            "vision.color",
            f"{_BOTH}, as far as the operations it draws change colours",
            partial(_why_not, tuple(_INPUTS)),
            ("forward", "transform", "_call_kernel"),
        )
    )

for _name, _inputs in _INPUTS.items():
    lead(
        Leading(
            Named("torchvision.transforms.v2.functional", _name),
            "vision.color",
            _inputs,
            partial(_vision.taken, patch, _name),
        )
    )

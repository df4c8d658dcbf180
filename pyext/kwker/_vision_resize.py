"""The feature vision.resize: PIL.Image.Image.resize, and so torchvision's Resize on PIL images."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from kwker import _C
from kwker._coverage import Covered, Leading, Named, cover, lead
from kwker._library_patch import LibraryPatch, Place
from kwker._registry import Feature, register
from kwker._self_check import undisturbed
from kwker._verify_resize import difference, differences


def _places() -> list[Place]:
    image = sys.modules["PIL.Image"]
    image_class: Any = vars(image)["Image"]

    def make_hook(original: Any) -> Any:
        _C.set_pillow(image_class, vars(image)["core"])
        return _C.resize_hook(original)

    return [Place(image_class, "resize", "PIL.Image.Image.resize", make_hook)]


_patch = LibraryPatch("PIL", _places)


def _verify() -> str:
    counters = _C.resize_counters
    (place,) = _patch.places
    return undisturbed(counters, lambda: difference(place.original, place.hook, counters))


def _verify_at_length() -> Iterator[str]:
    (place,) = _patch.places
    return differences(place.original, place.hook, _C.resize_counters)


register(
    Feature(
        name="vision.resize",
        replaces="PIL.Image.Image.resize",
        since="2.13",
        counters=_C.resize_counters,
        patch=_patch,
        verify=_verify,
        verify_at_length=_verify_at_length,
        library="PIL.Image",
    )
)


def _why_not(transform: Any) -> str:
    filter_name = getattr(transform.interpolation, "value", transform.interpolation)
    if filter_name in ("nearest", "nearest-exact", 0):
        return "the nearest filter is not covered"
    return ""


for _where, _names in (
    ("torchvision.transforms", ("Resize", "RandomResizedCrop")),
    (
        "torchvision.transforms.v2",
        ("Resize", "RandomResizedCrop", "RandomResize", "RandomShortestSize", "ScaleJitter"),
    ),
):
    for _name in _names:
        cover(
            Covered(
                Named(_where, _name),
                "vision.resize",
                "PIL images",
                _why_not,
                ("forward", "transform", "_call_kernel"),
            )
        )

for _where in ("torchvision.transforms.functional", "torchvision.transforms.v2.functional"):
    for _name in ("resize", "resized_crop"):
        lead(Leading(Named(_where, _name), "vision.resize", "PIL images"))
lead(Leading(Named("PIL.Image", "Image.thumbnail"), "vision.resize", "modes that resize() covers"))

"""The features vision.to_dtype_normalize (transforms.v2) and vision.to_tensor (v1)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kwker import _C, _verify_vision, _vision, _vision_compose
from kwker._library_patch import LibraryPatch, Place
from kwker._registry import Feature, register


def _places_v2() -> Iterator[Place]:
    _vision.show_tensor_classes()
    _vision.show_pillow()
    yield from _vision.dispatch_places("to_dtype", "to_dtype")
    yield from _vision.dispatch_places("normalize", "normalize")
    yield from _vision_compose.places(lambda: v2_patch.places)


def _places_v1() -> Iterator[Place]:
    from torchvision.transforms import functional as F

    _vision.show_pillow()
    for name, entry in (("to_tensor", "to_tensor"), ("normalize", "normalize_v1")):
        place = f"torchvision.transforms.functional.{name}"
        yield Place(F, name, place, _vision.hook_maker(entry))


v2_patch = LibraryPatch("torchvision", lambda: list(_places_v2()))
v1_patch = LibraryPatch("torchvision", lambda: list(_places_v1()))

register(
    Feature(
        name="vision.to_dtype_normalize",
        replaces="torchvision.transforms.v2: ToDtype(float32, scale=True) of uint8, Normalize of "
        "float32, and both with ToImage or PILToTensor before them in a Compose",
        since="2.13",
        counters=_C.to_dtype_normalize_counters,
        patch=v2_patch,
        verify=partial(_verify_vision.normalize_difference, _C.to_dtype_normalize_counters),
        library="torchvision.transforms.v2",
    )
)
register(
    Feature(
        name="vision.to_tensor",
        replaces="torchvision.transforms: ToTensor of PIL images, Normalize of float32",
        since="2.13",
        counters=_C.to_tensor_counters,
        patch=v1_patch,
        verify=partial(_verify_vision.to_tensor_difference, _C.to_tensor_counters),
        library="torchvision.transforms.functional",
    )
)

"""The features vision.to_dtype_normalize (transforms.v2) and vision.to_tensor (v1)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from kwker import _C, _verify_vision, _vision, _vision_compose
from kwker._coverage import Container, Covered, Leading, Named, contain, cover, lead
from kwker._library_patch import LibraryPatch, Place
from kwker._registry import Feature, register


def _places_v2() -> Iterator[Place]:
    _vision.show_tensor_classes()
    _vision.show_pillow()
    yield from _vision.dispatch_places("to_dtype", "to_dtype")
    yield from _vision.dispatch_places("normalize", "normalize")
    yield from _vision_compose.places(lambda: v2_patch.all_places)


def _places_v1() -> Iterator[Place]:
    from torchvision.transforms import functional as F

    _vision.show_pillow()
    for name, entry in (("to_tensor", "to_tensor"), ("normalize", "normalize_v1")):
        place = f"torchvision.transforms.functional.{name}"
        yield Place(F, name, place, _vision.hook_maker(entry))


def _why_not_to_dtype(transform: Any) -> str:
    dtypes = transform.dtype
    if not isinstance(dtypes, dict):
        dtypes = {"all": dtypes}
    if torch.float32 not in dtypes.values() or transform.scale is not True:
        return "only ToDtype(torch.float32, scale=True) is covered"
    return _vision.taken(v2_patch, "to_dtype")


def _why_not_normalize(patch: LibraryPatch, transform: object) -> str:
    return _vision.taken(patch, "normalize")


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
        obstacle=_vision.obstacle,
        verify=partial(_verify_vision.normalize_difference, _C.to_dtype_normalize_counters),
        verify_at_length=partial(
            _verify_vision.normalize_differences, _C.to_dtype_normalize_counters
        ),
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
        obstacle=_vision.obstacle,
        verify=partial(_verify_vision.to_tensor_difference, _C.to_tensor_counters),
        verify_at_length=partial(_verify_vision.to_tensor_differences, _C.to_tensor_counters),
        library="torchvision.transforms.functional",
    )
)

_V1, _V2 = "torchvision.transforms", "torchvision.transforms.v2"
_METHODS = ("forward", "transform", "_call_kernel")
_FUSED = "vision.to_dtype_normalize"

cover(Covered(Named(_V2, "ToDtype"), _FUSED, "uint8 tensors", _why_not_to_dtype, _METHODS))
cover(
    Covered(
        Named(_V2, "Normalize"),
        _FUSED,
        "float32 tensors",
        partial(_why_not_normalize, v2_patch),
        _METHODS,
    )
)
for _where in (_V1, _V2):
    cover(
        Covered(
            Named(_where, "ToTensor"),
            "vision.to_tensor",
            "PIL images",
            lambda transform: _vision.taken(v1_patch, "to_tensor"),
        )
    )
lead(
    Leading(
        Named(f"{_V2}.functional", "to_tensor"),
        "vision.to_tensor",
        "PIL images",
        partial(_vision.taken, v1_patch, "to_tensor"),
    )
)
cover(
    Covered(
        Named(_V1, "Normalize"),
        "vision.to_tensor",
        "float32 tensors",
        partial(_why_not_normalize, v1_patch),
    )
)
for _where, _name in (
    (_V1, "Compose"),
    (_V2, "Compose"),
    *((where, f"Random{how}") for where in (_V1, _V2) for how in ("Apply", "Choice", "Order")),
):
    contain(
        Container(
            Named(_where, _name),
            lambda container: list(container.transforms),
            _vision_compose.fused_steps if (_where, _name) == (_V2, "Compose") else None,
            _FUSED,
        )
    )

for _name, _inputs in (
    ("to_dtype", "uint8 tensors, to float32 with scale=True"),
    ("normalize", "float32 tensors"),
):
    lead(
        Leading(
            Named("torchvision.transforms.v2.functional", _name),
            _FUSED,
            _inputs,
            partial(_vision.taken, v2_patch, _name),
        )
    )

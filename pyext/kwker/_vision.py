"""What the vision features share: which torchvision and Pillow, their classes and registry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

import torch

from kwker import _C, _self_check
from kwker._library_patch import LibraryPatch, Place
from kwker._shared import behind

# Whose arithmetic the kernels have been compared with.
TORCHVISION_RELEASE = "0.28"
PILLOW_RELEASE = "13"


def unverified() -> str:
    """Why results are not known to be equal with the torchvision that is installed; or ""."""
    found = version("torchvision")
    if found.split("+")[0].rpartition(".")[0] == TORCHVISION_RELEASE:
        return ""
    return f"torchvision is {found}, and {TORCHVISION_RELEASE} is what was verified"


def obstacle() -> str:
    """Why nothing can be compared now; or ""."""
    return _self_check.default_dtype_obstacle([torch.float32])


def show_pillow() -> bool:
    """Tells the extension Pillow's classes. False for a release that was not verified."""
    import PIL
    from PIL import Image

    if PIL.__version__.split(".")[0] != PILLOW_RELEASE:
        return False
    core: Any = vars(Image)["core"]
    _C.set_pillow_images(Image.Image, core.new, Image.new("RGB", (1, 1)))
    return True


def show_tensor_classes() -> None:
    """Tells the extension the classes of images and videos."""
    from torchvision import tv_tensors

    _C.set_tensor_classes(tv_tensors.Image, tv_tensors.Video)


def hook_maker(entry: str) -> Callable[[Any], Any]:
    """Makes hooks with that entry of the extension's."""
    return partial(_C.vision_hook, entry)


def taken(patch: LibraryPatch, *functionals: str) -> str:
    """Says so where somebody else has replaced a function of these names."""
    for place in patch.all_places:
        names = set(re.split("[ .]", place.name))
        if behind(place.current) is not place.original and not names.isdisjoint(functionals):
            return "a function of torchvision's was replaced by somebody else"
    return ""


def dispatch_places(functional: str, entry: str, *, pillow: bool = False) -> Iterator[Place]:
    """Where torchvision.transforms.v2 keeps the kernels of one of its functionals.

    Args:
        functional: its name in torchvision.transforms.v2.functional.
        entry: of the extension, for tensors or for PIL images.
        pillow: whether it is the kernel for PIL images.
    """
    import PIL.Image
    from torchvision import tv_tensors
    from torchvision.transforms.v2 import functional as F
    from torchvision.transforms.v2.functional._utils import _KERNEL_REGISTRY

    kernels = _KERNEL_REGISTRY[getattr(F, functional)]
    classes = (PIL.Image.Image,) if pillow else (torch.Tensor, tv_tensors.Image, tv_tensors.Video)
    for kind in classes:
        name = f"torchvision's {functional} for {kind.__module__}.{kind.__qualname__}"
        yield Place(kernels, kind, name, hook_maker(entry))

"""The feature vision.resize: PIL.Image.Image.resize, and so torchvision's Resize on PIL images."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from kwker import _C
from kwker._registry import Feature, register
from kwker._self_check import undisturbed
from kwker._verify_resize import difference


class _ResizePatch:
    """Image.Image.resize and the hook in its place; Pillow is looked up, never imported.

    Both are kept for the life of the process, as kwker._patch.Patch keeps its own.
    """

    def __init__(self) -> None:
        self.original: Any = None  # until prepare() has been called
        self.hook: Any = None
        self._put_in = False

    def prepare(self) -> bool:
        """Makes the hook if need be. False where the method is not Pillow's own."""
        if self.hook is None:
            image_class = _image_class()
            if image_class is None or not _is_pillows_own(image_class.resize):
                return False
            self.original = image_class.resize
            _C.set_pillow(image_class, sys.modules["PIL.Image"].core)
            self.hook = _C.resize_hook(self.original)
        return True

    def stands_for(self, function: object) -> bool:
        """Whether this is the method or its hook."""
        image_class = _image_class()
        current = image_class.resize if image_class else None
        return any(function is f for f in (current, self.original, self.hook) if f is not None)

    def apply(self) -> bool:
        """Puts the hook in. False where a third object stands: somebody else's, left alone."""
        image_class = _image_class()
        if image_class.resize is self.original:
            image_class.resize = self.hook
        self._put_in = image_class.resize is self.hook
        return self._put_in

    def undo(self, stacklevel: int) -> None:
        """Puts the original back, unless somebody has replaced the hook since."""
        if self.hook is None:
            return
        image_class = _image_class()
        if image_class.resize is self.hook:
            image_class.resize = self.original
        elif self._put_in:
            warnings.warn(
                "PIL.Image.Image.resize was replaced after kwker's install(); it stays as it is, "
                "and what it calls of kwker's runs Pillow's own code from now on",
                RuntimeWarning,
                stacklevel=stacklevel + 1,
            )
        self._put_in = False


def _image_class() -> Any:
    return getattr(sys.modules.get("PIL.Image"), "Image", None)


def _is_pillows_own(method: Any) -> bool:
    return getattr(method, "__module__", "") == "PIL.Image" and not hasattr(method, "__wrapped__")


_patch = _ResizePatch()


def _verify() -> str:
    counters = _C.resize_counters
    return undisturbed(counters, lambda: difference(_patch.original, _patch.hook, counters))


register(
    Feature(
        name="vision.resize",
        replaces="PIL.Image.Image.resize",
        since="2.13",
        counters=_C.resize_counters,
        patch=_patch,
        verify=_verify,
        library="PIL.Image",
    )
)

"""Lets torchvision be imported where its C++ operators do not load.

Set-up copies this into .venv where the registry's torchvision was built for
another torch: `import torchvision` then stops, because it describes operators
that nothing has defined. Declaring the two is enough for transforms, models and
datasets; calling them stays an error. Nothing is imported before torchvision is.
"""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            import torch

            library = torch.library.Library("torchvision", "FRAGMENT")
            for name in ("nms", "qnms"):
                library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            _keep.append(library)  # its operators live as long as it does
        return None


_keep: list[Any] = []
sys.meta_path.insert(0, _Finder())

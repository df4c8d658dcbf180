"""Replacing an attribute of somebody else's module, and putting it back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any


@dataclass
class Patch:
    """One attribute and what stands in its place.

    The two objects are kept for the life of the process: the same replacement is used again by a
    later install, so that code which has kept it goes on working, with torch's own behaviour while
    nothing is installed.
    """

    module: ModuleType
    attribute: str
    replacement: Any
    original: Any = field(init=False)
    _put_in: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.original = getattr(self.module, self.attribute)

    def apply(self) -> bool:
        """Puts the replacement in. False where a third object stands: somebody else's, left."""
        if getattr(self.module, self.attribute) is self.original:
            setattr(self.module, self.attribute, self.replacement)
        self._put_in = getattr(self.module, self.attribute) is self.replacement
        return self._put_in

    def undo(self, stacklevel: int) -> None:
        """Puts the original back, unless somebody has replaced the replacement since.

        Args:
            stacklevel: of the user's call above this one, for the warning in that case.
        """
        if not self._put_in:
            return
        self._put_in = False
        if getattr(self.module, self.attribute) is self.replacement:
            setattr(self.module, self.attribute, self.original)
            return
        warnings.warn(
            f"{self.module.__name__}.{self.attribute} was replaced after kwker's install(); "
            "it stays as it is, and what it calls of kwker's runs torch's own code from now on",
            RuntimeWarning,
            stacklevel=stacklevel + 1,
        )

"""Replacing a function in one of torch's modules or classes, and putting it back."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

import torch

from kwker import _import_hook


class Patch:
    """One function of a module or class and the hook that stands in its place.

    Both are kept for the life of the process: the same hook is used again by a later install, so
    that code which has kept it goes on working, with torch's own behaviour while nothing is
    installed.

    Args:
        module: one of torch's, or a class.
        attribute: the function's name there.
        calls: names of the module's functions that it calls, and the hook does not.
        make_hook: makes the hook, once, when it is first wanted; gets the function and, by name,
            those of `calls`.
        also: patches that go in and out with this one; it works without those whose place is
            taken by others.
    """

    def __init__(
        self,
        module: ModuleType | type,
        attribute: str,
        calls: Sequence[str],
        make_hook: Callable[[Callable[..., Any], dict[str, Any]], Any],
        also: Sequence[Patch] = (),
    ) -> None:
        self.module = module
        self.attribute = attribute
        self.calls = calls
        self.original: Any = None  # until prepare() has been called
        self.hook: Any = None
        self._make_hook = make_hook
        self._also = also
        self._put_in = False
        self._shown_to_dynamo = False

    def prepare(self) -> bool:
        """Makes the hook if need be.

        False where the function, or one that it calls, is not torch's own: whoever has put
        another there wants that to be called.
        """
        if self.hook is None:
            current = getattr(self.module, self.attribute)
            called = {name: getattr(self.module, name) for name in self.calls}
            if not all(is_torchs_own(f) for f in (current, *called.values())):
                return False
            self.original, self.hook = current, self._make_hook(current, called)
        return True

    def stands_for(self, function: object) -> bool:
        """Whether this is the function or its hook."""
        current = getattr(self.module, self.attribute)
        return any(function is f for f in (current, self.original, self.hook) if f is not None)

    def apply(self) -> bool:
        """Puts the hook in. False where a third object stands: somebody else's, left alone."""
        if getattr(self.module, self.attribute) is self.original:
            setattr(self.module, self.attribute, self.hook)
        self._put_in = getattr(self.module, self.attribute) is self.hook
        if self._put_in and not self._shown_to_dynamo:
            _import_hook.when_imported("torch._dynamo", self._show_original_to_dynamo)
        for other in self._also:
            if self._put_in and other.prepare():
                other.apply()
        return self._put_in

    def undo(self, stacklevel: int) -> None:
        """Puts the original back, unless somebody has replaced the hook since.

        Args:
            stacklevel: of the user's call above this one, for the warning in that case.
        """
        for other in self._also:
            other.undo(stacklevel + 1)
        if self.hook is None:
            return
        _import_hook.cancel("torch._dynamo", self._show_original_to_dynamo)
        current = getattr(self.module, self.attribute)
        if current is self.hook:
            setattr(self.module, self.attribute, self.original)
        elif self._put_in:
            warnings.warn(
                f"{self._place()} was replaced after kwker's install(); "
                "it stays as it is, and what it calls of kwker's runs torch's own code from now on",
                RuntimeWarning,
                stacklevel=stacklevel + 1,
            )
        self._put_in = False

    def _place(self) -> str:
        owner = self.module
        module = f"{owner.__module__}." if isinstance(owner, type) else ""
        return f"{module}{owner.__name__}.{self.attribute}"

    def _show_original_to_dynamo(self, _: ModuleType) -> None:
        """torch.compile traces torch's own function where it meets the hook, as without Kwker.

        Left to itself it would take the hook for a Python function, and trip over its guards,
        which are in C and know better.
        """
        if self._shown_to_dynamo:
            return
        self._shown_to_dynamo = True
        original: FunctionType = self.original
        # A copy, as the registration may leave attributes on what it is given.
        copy = FunctionType(
            original.__code__,
            original.__globals__,
            original.__name__,
            original.__defaults__,
            original.__closure__,
        )
        copy.__kwdefaults__ = original.__kwdefaults__
        torch.compiler.substitute_in_graph(self.hook, skip_signature_check=True)(copy)


def is_torchs_own(function: object) -> bool:
    """Whether it is a function of torch's, and not what somebody has put in its place.

    Functions that torch itself has decorated count.
    """
    layer = function
    while True:
        if type(layer) is not FunctionType:
            return False
        if not str(layer.__globals__.get("__name__", "")).startswith("torch."):
            return False
        if not hasattr(layer, "__wrapped__"):
            return inspect.isfunction(layer)
        layer = layer.__wrapped__

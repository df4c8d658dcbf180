"""Replacing a function in one of torch's modules or classes, and putting it back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

import torch

from kwker import _import_hook
from kwker._own import is_own, is_same_code
from kwker._shared import behind, remember, shared

# By id: hooks, which live for the life of the process, that torch.compile knows.
_shown: set[int] = shared.setdefault("shown", set())


class Patch:
    """One function of a module or class and the hook that stands in its place.

    Both are kept: the same hook is used again by a later install, so that code which has kept it
    goes on working, with torch's own behaviour while nothing is installed. Only where the program
    has reloaded the module is a hook made for the new function.

    Args:
        module: one of torch's, or a class; or what returns the class, which a reload replaces.
        attribute: the function's name there.
        calls: names of the module's functions that it calls, and the hook does not.
        calls_in: where those are, if not beside the function.
        make_hook: makes the hook when it is first wanted; gets the function and, by name, those of
            `calls`.
        also: patches that go in and out with this one; it works without those whose place is
            taken by others.
    """

    def __init__(
        self,
        module: ModuleType | type | Callable[[], object],
        attribute: str,
        calls: Sequence[str],
        make_hook: Callable[[Callable[..., Any], dict[str, Any]], Any],
        also: Sequence[Patch] = (),
        calls_in: ModuleType | None = None,
    ) -> None:
        self._find_module = module
        self.module: ModuleType | type | None = None  # until prepare() has been called
        self.attribute = attribute
        self.calls = calls
        self.original: Any = None
        self.hook: Any = None
        self._make_hook = make_hook
        self._also = also
        self._calls_in = calls_in
        self._put_in = False

    def prepare(self) -> bool:
        """Makes the hook if need be.

        False where the function, or one that it calls, is not torch's own: whoever has put
        another there wants that to be called.
        """
        module = self._present_module()
        function = self._behind(_own_attribute(module, self.attribute))
        if self.hook is not None:
            if module is self.module and function is self.original:
                return True
            if not is_same_code(function, self.original):
                return False
        called = {name: getattr(self._calls_in or module, name, None) for name in self.calls}
        if not all(is_own(f, "torch") for f in (function, *called.values())):
            return False
        assert isinstance(module, ModuleType | type)
        self._forget()
        self.module, self.original = module, function
        self.hook = self._make_hook(function, called)
        remember(self.hook, function)
        return True

    def stands_for(self, function: object) -> bool:
        """Whether this is the function or its hook, or those of the patches that go with it."""
        current = _own_attribute(self._present_module(), self.attribute)
        known = [f for f in (current, self.original, self.hook) if f is not None]
        return any(function is f for f in known) or any(
            other.stands_for(function) for other in self._also
        )

    def covered(self) -> str:
        """The place, if the hook was put in and another function stands there now; else ""."""
        if not self._put_in or self._is_in() or self._is_under_dynamo():
            return ""
        return self._place()

    def apply(self) -> bool:
        """Puts the hook in. False where a third object stands: somebody else's, left alone."""
        if self._behind(self._current) is self.original and self._current is not self.hook:
            setattr(self.module, self.attribute, self.hook)
        self._put_in = self._current is self.hook
        if self._put_in:
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
        self._take_out()
        if self._is_under_dynamo():
            setattr(self.module, self.attribute, torch.compiler.disable(self.original))
            self._put_in = False
            return
        # A reload has put the very code back: nobody has to be told.
        replaced = self._put_in and not is_same_code(self._current, self.original)
        self._put_in = False
        if replaced:
            warnings.warn(
                f"{self._place()} was replaced after kwker's install(); "
                "it stays as it is, and what it calls of kwker's runs torch's own code from now on",
                RuntimeWarning,
                stacklevel=stacklevel + 1,
            )

    def _present_module(self) -> object:
        """Anything, where the program has put something else in a class's place."""
        found = self._find_module
        return found if isinstance(found, ModuleType | type) else found()

    @property
    def _current(self) -> Any:
        return getattr(self.module, self.attribute)

    def _behind(self, function: Any) -> Any:
        return self.original if function is self.hook and function is not None else behind(function)

    def _is_in(self) -> bool:
        """Whether a hook stands there: this one, or an older one that the program has kept."""
        return self._behind(self._current) is not self._current

    def _is_under_dynamo(self) -> bool:
        """Whether torch.compile has put its layer around the hook at its first compilation."""
        return getattr(self._current, "_torchdynamo_orig_callable", None) is self.hook

    def _take_out(self) -> None:
        if self._is_in():
            setattr(self.module, self.attribute, self._behind(self._current))

    def _forget(self) -> None:
        """Another hook is to be made, also for the patches that go with this one."""
        for other in self._also:
            other._forget()
        if self.hook is not None:
            self._take_out()
            _import_hook.cancel("torch._dynamo", self._show_original_to_dynamo)
        self.hook = self.original = None
        self._put_in = False

    def _place(self) -> str:
        owner = self.module
        assert owner is not None
        module = f"{owner.__module__}." if isinstance(owner, type) else ""
        return f"{module}{owner.__name__}.{self.attribute}"

    def _show_original_to_dynamo(self, _: ModuleType) -> None:
        """torch.compile traces torch's own function where it meets the hook, as without Kwker.

        Left to itself it would take the hook for a Python function, and trip over its guards,
        which are in C and know better.
        """
        show_to_dynamo(self.hook, self.original)


def _own_attribute(owner: object, name: str) -> Any:
    """Not an inherited one, which would stay in the class for ever once it is put back."""
    return vars(owner).get(name) if isinstance(owner, ModuleType | type) else None


def show_to_dynamo(hook: Any, original: FunctionType) -> None:
    """Makes torch.compile trace the original where it meets the hook. Once is enough."""
    if id(hook) in _shown:
        return
    _shown.add(id(hook))
    # A copy, as the registration may leave attributes on what it is given.
    copy = FunctionType(
        original.__code__,
        original.__globals__,
        original.__name__,
        original.__defaults__,
        original.__closure__,
    )
    copy.__kwdefaults__ = original.__kwdefaults__
    torch.compiler.substitute_in_graph(hook, skip_signature_check=True)(copy)

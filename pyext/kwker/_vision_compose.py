"""Fusing ToImage or PILToTensor, ToDtype and Normalize where they follow each other in a Compose.

Compose.forward runs as it is, on a stand-in whose list of transforms has the fused ones as one
item; so a traceback through it is as without Kwker. An item that meets what is not covered calls
the transforms it stands for, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from torch.nn.modules import module as nn_module

from kwker import _C, _vision
from kwker._library_patch import Place
from kwker._own import is_own
from kwker._shared import behind

_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
_plan: Callable[[Any], Any] | None = None  # of the hook that was made last
# The very dicts, which torch fills in place.
_GLOBAL_HOOKS = tuple(getattr(nn_module, f"_global{name}") for name in _HOOKS)
_METHODS = frozenset(
    ("forward", "transform", "check_inputs", "make_params", "_call_kernel", "_call_impl")
)


def places(kernels: Callable[[], Sequence[Place]]) -> Iterator[Place]:
    """Compose.forward, as the one place.

    Args:
        kernels: the places that must still be ours for anything to be fused.
    """
    from torchvision.transforms import v2

    def make_hook(original: Any) -> Any:
        global _plan
        _plan = _planner(kernels)
        _C.set_compose(_plan, original)
        return _vision.hook_maker("compose")(original)

    yield Place(v2.Compose, "forward", "torchvision.transforms.v2.Compose.forward", make_hook)


def fused_steps(compose: Any) -> list[int]:
    """How many transforms each thing that a call does stands for: all 1 where nothing is fused."""
    forward = type(compose).forward
    is_ours = behind(forward) is not forward
    planned = _plan(compose) if is_ours and _plan is not None else None
    if planned is None:
        return [1] * len(compose.transforms)
    return [
        sum(part is not None for part in item.args[:3]) if type(item) is partial else 1
        for item in planned.transforms
    ]


def _planner(kernels: Callable[[], Sequence[Place]]) -> Callable[[Any], Any]:
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    compose, to_dtype, normalize = v2.Compose, v2.ToDtype, v2.Normalize
    starts = {v2.ToImage: tv_tensors.Image, v2.PILToTensor: None}
    # To see that nobody has replaced a method for all instances, neither since nor before.
    methods = {
        c: [(name, getattr(c, name)) for name in _METHODS] for c in (*starts, to_dtype, normalize)
    }
    replaced = [
        c
        for c, pairs in methods.items()
        if not all(is_own(m, "torchvision") or is_own(m, "torch") for _, m in pairs)
    ]
    fused = _vision.hook_maker("fused")(_one_by_one)

    def plan(whole: Any) -> Any:
        """A stand-in for that Compose, None where nothing can be fused in it."""
        before = whole.transforms
        if type(whole) is not compose or type(before) is not list:
            return None
        after: list[Any] = []
        for transform in before:
            last: Any = after[-1] if after else None
            if (
                type(transform) is normalize
                and type(last) is to_dtype
                and not transform.inplace
                and last.dtype is torch.float32
                and last.scale is True
            ):
                after.pop()
                start = after.pop() if after and type(after[-1]) in starts else None
                fusable = [t for t in (start, last, transform) if t is not None]
                if not all(_is_usual(t, methods) for t in fusable):
                    return None
                if replaced and any(type(t) in replaced for t in fusable):
                    return None
                moments = (transform.mean, transform.std)
                arguments = (start, last, transform, *moments, starts.get(type(start)))
                after.append(partial(fused, *arguments))
            else:
                after.append(transform)
        if len(after) == len(before) or not _all_in_place(kernels()):
            return None
        return SimpleNamespace(transforms=after)

    return plan


# Both run at each call of a Compose.


def _all_in_place(kernels: Sequence[Place]) -> bool:
    for hooks in _GLOBAL_HOOKS:
        if hooks:
            return False
    for place in kernels:
        holder = place.holder
        if type(holder) is dict and holder.get(place.key) is not place.hook:
            return False
    return True


def _is_usual(transform: Any, methods: dict[type, list[tuple[str, Any]]]) -> bool:
    """Whether nobody hooks into the transform, or has changed what it calls."""
    own = vars(transform)
    for name in _HOOKS:
        if own[name]:
            return False
    if not _METHODS.isdisjoint(own):
        return False
    kind = type(transform)
    return all(getattr(kind, name) is method for name, method in methods[kind])


def _one_by_one(*arguments: Any) -> Any:
    """What a fused item stands for; for its name only, as the entry does this itself."""
    start, to_dtype, normalize, _, _, _, image = arguments
    return normalize(to_dtype(image if start is None else start(image)))

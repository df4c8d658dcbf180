"""The feature optim.clip_grad_norm: norms of gradients, and their scaling, in one pass each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import torch

from kwker import _C, _verify_clip
from kwker._coverage import Leading, Named, lead
from kwker._patch import Patch
from kwker._registry import Feature, register

_clip_grad = import_module("torch.nn.utils.clip_grad")
_ON_THE_WAY = (
    "_device_has_foreach_support",
    "_group_tensors_by_device_and_dtype",
    "_has_foreach_support",
)


_hooks: dict[Callable[..., Any], Any] = {}  # a function under two names is one object under both


def _norm_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    _C.set_clip_grad(vars(_clip_grad), calls)
    return _hooks.setdefault(original, _C.total_norm_hook(original))


def _clip_hook(original: Callable[..., Any], calls: dict[str, Any]) -> Any:
    _C.set_clip_grad(vars(_clip_grad), calls)
    return _hooks.setdefault(original, _C.clip_grads_hook(original))


# What clip_grad_norm_() calls, and the same under their public names.
_clip_patch = Patch(_clip_grad, "_clip_grads_with_norm_", _ON_THE_WAY, _clip_hook)
_norm_patch = Patch(
    _clip_grad,
    "_get_total_norm",
    _ON_THE_WAY,
    _norm_hook,
    also=[
        _clip_patch,
        Patch(torch.nn.utils, "get_total_norm", _ON_THE_WAY, _norm_hook, calls_in=_clip_grad),
        Patch(
            torch.nn.utils, "clip_grads_with_norm_", _ON_THE_WAY, _clip_hook, calls_in=_clip_grad
        ),
    ],
)
register(
    Feature(
        name="optim.clip_grad_norm",
        replaces="torch.nn.utils.clip_grad_norm_, .get_total_norm, .clip_grads_with_norm_, "
        "Euclidean norms of float32",
        since="2.13",
        counters=_C.clip_grad_norm_counters,
        patch=_norm_patch,
        checked_at="first call",
        verify=partial(
            _verify_clip.difference, _norm_patch, _clip_patch, _C.clip_grad_norm_counters
        ),
        verify_at_length=partial(
            _verify_clip.differences, _norm_patch, _clip_patch, _C.clip_grad_norm_counters
        ),
    )
)
for _name in ("clip_grad_norm_", "clip_grad_norm"):
    lead(
        Leading(
            Named("torch.nn.utils", _name),
            "optim.clip_grad_norm",
            "float32 gradients, by their Euclidean norm",
        )
    )

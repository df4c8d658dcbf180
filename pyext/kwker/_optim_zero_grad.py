"""The feature optim.zero_grad: gradients of optimizers and modules, reset in one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from kwker import _C, _modules, _self_check, _verify_zero_grad
from kwker._patch import Patch
from kwker._registry import Feature, register


def _optimizer_hook(original: Callable[..., None], _: dict[str, Any]) -> Any:
    return _C.optimizer_zero_grad_hook(original)


def _module_hook(original: Callable[..., None], _: dict[str, Any]) -> Any:
    _modules.prepare()
    return _C.module_zero_grad_hook(original)


_module_patch = Patch(nn.Module, "zero_grad", (), _module_hook)
_patch = Patch(torch.optim.Optimizer, "zero_grad", (), _optimizer_hook, also=[_module_patch])
register(
    Feature(
        name="optim.zero_grad",
        replaces="torch.optim.Optimizer.zero_grad, torch.nn.Module.zero_grad",
        since="2.13",
        counters=_C.zero_grad_counters,
        patch=_patch,
        checked_at="first call",
        obstacle=_self_check.module_hooks_obstacle,
        verify=partial(_verify_zero_grad.difference, _patch, _module_patch, _C.zero_grad_counters),
        verify_at_length=partial(
            _verify_zero_grad.differences, _patch, _module_patch, _C.zero_grad_counters
        ),
    )
)

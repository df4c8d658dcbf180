"""The features optim.adam, optim.adamw and optim.sgd: the loops of torch.optim in one pass."""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import torch

from kwker import _C, _verify_optim
from kwker._import_hook import when_imported
from kwker._patch import Patch
from kwker._registry import Feature, register


@cache
def _adam_patch() -> Patch:
    module = import_module("torch.optim.adam")  # torch.optim has no such attribute
    _C.set_adam_loop(module.__dict__, module._single_tensor_adam)
    return _make_patch(module, "adam", _C.adam_hook(module.adam))


@cache
def _sgd_patch() -> Patch:
    module = import_module("torch.optim.sgd")
    _C.set_sgd_loop(module.__dict__, module._single_tensor_sgd)
    return _make_patch(module, "sgd", _C.sgd_hook(module.sgd))


def _make_patch(module: ModuleType, attribute: str, hook: Any) -> Patch:
    patch = Patch(module, attribute, hook)
    when_imported("torch._dynamo", partial(_show_original_to_dynamo, patch=patch))
    return patch


def _show_original_to_dynamo(dynamo: ModuleType, *, patch: Patch) -> None:
    """torch.compile traces torch's own function where it meets the hook, as it would without.

    Left to itself it would take the hook for a Python function, and trip over its guards, which
    are in C and know better.
    """
    original: FunctionType = patch.original
    # A copy, as the registration may leave attributes on what it is given.
    copy = FunctionType(
        original.__code__,
        original.__globals__,
        original.__name__,
        original.__defaults__,
        original.__closure__,
    )
    copy.__kwdefaults__ = original.__kwdefaults__
    torch.compiler.substitute_in_graph(patch.replacement, skip_signature_check=True)(copy)


for _name, _function, _counters, _patch in (
    ("optim.adam", "adam.adam", _C.adam_counters, _adam_patch),
    ("optim.adamw", "adam.adam", _C.adamw_counters, _adam_patch),
    ("optim.sgd", "sgd.sgd", _C.sgd_counters, _sgd_patch),
):
    register(
        Feature(
            name=_name,
            replaces=f"torch.optim.{_function}, default (for-loop) path"
            + (", decoupled weight decay" if _name == "optim.adamw" else ""),
            since="2.13",
            counters=_counters,
            patch=_patch,
            verify=partial(_verify_optim.difference, _name, _patch, _counters),
        )
    )

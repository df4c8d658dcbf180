"""The self-check of zero_grad(): what is left of gradients, with Kwker and without."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import torch
from torch import Tensor, nn

from kwker import _C, _self_check
from kwker._bits import same_bits
from kwker._patch import Patch

_SIZES = (1, 0, 33, 1000)


class _Groups:
    """What zero_grad() looks at in an optimizer, but for the marks that one leaves on its class."""

    def __init__(self, params: list[Tensor]) -> None:
        self.param_groups = [{"params": params}]
        self.defaults: dict[str, object] = {}
        self._zero_grad_profile_name = "kwker's self-check"


def difference(patch: Patch, module_patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere; a millisecond."""

    def compare() -> str:
        for each in (patch, module_patch):
            if not each.prepare():
                continue  # its place is somebody else's
            # Without what keeps torch.compile out, which would import it.
            original = inspect.unwrap(each.original)
            for set_to_none in (False, True):
                before = counters.calls
                theirs = _run(original, each is module_patch, set_to_none)
                ours = _run(each.hook, each is module_patch, set_to_none)
                label = f"{original.__qualname__}, set_to_none={set_to_none}"
                if counters.calls != before + 1:
                    return f"{label}: {_self_check.not_taken(counters)}"
                if not all(_same(a, b) for a, b in zip(theirs, ours, strict=True)):
                    return f"{label}: gradients differ"
        return ""

    return _self_check.undisturbed(counters, compare)


def _same(a: Tensor | None, b: Tensor | None) -> bool:
    if a is None or b is None:
        return a is b
    return same_bits(a, b) and a._version == b._version


def _run(reset: Callable[..., None], of_module: bool, set_to_none: bool) -> list[Tensor | None]:
    module = nn.Module()
    for i, n in enumerate(_SIZES):
        param = nn.Parameter(torch.ones(n, dtype=torch.float32, device="cpu"))
        param.grad = torch.full_like(param, -1.5) if i != 2 else None
        module.register_parameter(f"p{i}", param)
    reset(module if of_module else _Groups(list(module.parameters())), set_to_none)
    return [param.grad for param in module.parameters()]

"""The self-check of zero_grad(): what is left of gradients, with Kwker and without."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

import torch
from torch import Tensor, nn

from kwker import _C, _self_check
from kwker._patch import Patch

_SIZES = (1, 0, 33, 1000)
# Every width up to two vectors; many small ones, which share threads; and large ones.
_SIZES_AT_LENGTH = (range(34), (7, 15, 33, 1000) * 20, (40_000, 1, 17, 1_000_003))


class _Groups:
    """What zero_grad() looks at in an optimizer, but for the marks that one leaves on its class."""

    def __init__(self, params: list[Tensor]) -> None:
        self.param_groups = [{"params": params}]
        self.defaults: dict[str, object] = {}
        self._zero_grad_profile_name = "kwker's self-check"


def difference(patch: Patch, module_patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere; a millisecond."""

    def compare() -> str:
        outcomes = _outcomes(patch, module_patch, counters, [torch.float32], [_SIZES])
        return next(filter(None, outcomes), "")

    return _self_check.undisturbed(counters, compare)


def differences(patch: Patch, module_patch: Patch, counters: _C.Counters) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    dtypes = (torch.float32, torch.float64)
    yield from _outcomes(patch, module_patch, counters, dtypes, _SIZES_AT_LENGTH)


def _outcomes(
    patch: Patch,
    module_patch: Patch,
    counters: _C.Counters,
    dtypes: Sequence[torch.dtype],
    all_sizes: Sequence[Sequence[int]],
) -> Iterator[str]:
    for each in (patch, module_patch):
        if not each.prepare():
            continue  # its place is somebody else's
        # Without what keeps torch.compile out, which would import it.
        original = inspect.unwrap(each.original)
        for dtype, sizes, set_to_none in product(dtypes, all_sizes, (False, True)):
            label = f"{original.__qualname__}, {dtype}, set_to_none={set_to_none}"
            theirs, ours = (
                partial(_run, f, each is module_patch, dtype, sizes, set_to_none)
                for f in (original, each.hook)
            )
            yield _self_check.outcome(label, counters, 1, theirs, ours)


def _run(
    reset: Callable[..., None],
    of_module: bool,
    dtype: torch.dtype,
    sizes: Sequence[int],
    set_to_none: bool,
) -> dict[str, list[Tensor]]:
    """What is left of the gradients, of which parameters, and how often they were written to."""
    module = nn.Module()
    for i, n in enumerate(sizes):
        param = nn.Parameter(torch.ones(n, dtype=dtype, device="cpu"))
        param.grad = torch.full_like(param, -1.5) if i != 2 else None
        module.register_parameter(f"p{i}", param)
    reset(module if of_module else _Groups(list(module.parameters())), set_to_none)
    left = [(i, p.grad) for i, p in enumerate(module.parameters()) if p.grad is not None]
    return {
        "gradient": [grad for _, grad in left],
        "which are left": [torch.tensor([i for i, _ in left], device="cpu")],
        "version": [torch.tensor([grad._version for _, grad in left], device="cpu")],
    }

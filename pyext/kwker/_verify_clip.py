"""The self-check of gradient clipping: Kwker's norms and factors beside torch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from kwker import _C, _self_check
from kwker._patch import Patch

_SIZES = (1, 8, 33, 2, 15, 16, 70)
_SIZES_AT_LENGTH = (range(70), (64,) * 99, (40_000, 1, 17, 30_011), (70_001,))
_SCALES = (1.0, 1e-22, 1e18)


def difference(norm_patch: Patch, clip_patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere; a few milliseconds."""

    def compare() -> str:
        return next(filter(None, _outcomes(norm_patch, clip_patch, counters, _SIZES)), "")

    return _self_check.undisturbed(counters, compare)


def differences(norm_patch: Patch, clip_patch: Patch, counters: _C.Counters) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    for sizes in _SIZES_AT_LENGTH:
        yield from _outcomes(norm_patch, clip_patch, counters, sizes)


def _outcomes(
    norm_patch: Patch, clip_patch: Patch, counters: _C.Counters, sizes: Sequence[int]
) -> Iterator[str]:
    patches = [norm_patch, clip_patch]
    if not clip_patch.prepare():  # its place is somebody else's
        patches.pop()
    for scale in _SCALES:
        for max_norm in (0.5, 1e30):
            label = f"gradients of {scale:g}, at most {max_norm:g}"
            originals, hooks = [p.original for p in patches], [p.hook for p in patches]
            theirs, ours = (partial(_run, f, scale, max_norm, sizes) for f in (originals, hooks))
            yield _self_check.outcome(label, counters, len(patches), theirs, ours)


def _run(
    functions: Sequence[Callable[..., Any]], scale: float, max_norm: float, sizes: Sequence[int]
) -> dict[str, list[Tensor]]:
    """The norm of fixed gradients and, where there is a second function, what that leaves."""
    generator = torch.Generator().manual_seed(1)
    params = [torch.empty(n, dtype=torch.float32, device="cpu") for n in sizes]
    for param in params:
        param.grad = torch.randn(param.shape, generator=generator, dtype=torch.float32) * scale
    grads = [p.grad for p in params if p.grad is not None]
    norm = functions[0](grads)
    for clip in functions[1:]:
        clip(params, max_norm, norm)
    return {"norm": [norm], "gradients": grads}

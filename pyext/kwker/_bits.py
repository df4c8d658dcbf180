"""Equality of tensors by their bits, in which any NaN equals any other."""

from __future__ import annotations

import torch
from torch import Tensor

_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Whether two strided tensors have one dtype, one shape and the same elements.

    Signed zeros differ from each other. A NaN equals any NaN at its place.
    """
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.is_complex():
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    if not a.is_floating_point():
        return torch.equal(a, b)
    integer = _INTEGERS[a.dtype.itemsize]
    same = a.contiguous().view(integer) == b.contiguous().view(integer)
    return bool((same | (a.isnan() & b.isnan())).all())

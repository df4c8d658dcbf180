"""What two tensors must share to be called equal: everything a user can see.

A NaN equals any NaN at the same place (torch itself gives other payloads in vector bodies and
tails), but -0.0 differs from +0.0.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

_INTEGER = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _plain_bits(values: Tensor) -> Tensor:
    """The elements' bits as integers in logical order, every NaN as one same pattern; 1-dim."""
    flat = values.contiguous().reshape(-1)
    if not flat.dtype.is_floating_point:
        return flat.clone()
    integers = flat.view(_INTEGER[flat.element_size()])
    return integers.masked_fill(torch.isnan(flat), -1)


def _dense(values: Tensor) -> Tensor:
    """The values as a plain strided tensor, without lazy sign or conjugation."""
    values = values.detach()
    if values.layout != torch.strided:
        values = values.to_dense()
    values = values.as_subclass(Tensor).resolve_conj().resolve_neg()
    return torch.view_as_real(values) if values.is_complex() else values


@dataclass(frozen=True)
class Picture:
    """A tensor at one moment: its bits in logical order and what surrounds them."""

    kind: str
    bits: Tensor
    dtype: torch.dtype

    @staticmethod
    def of(tensor: Tensor) -> Picture:
        surroundings = [
            type(tensor).__name__,
            str(tensor.dtype),
            str(tensor.device),
            str(tensor.layout),
            f"shape {tuple(tensor.shape)}",
            f"requires_grad {tensor.requires_grad}",
            f"leaf {tensor.is_leaf}",
            f"neg {tensor.is_neg()}",
        ]
        if tensor.layout == torch.strided:
            surroundings.append(f"strides {tensor.stride()}")
        if not tensor.is_inference():  # these have no version
            surroundings.append(f"version {tensor._version}")
        if tensor.device.type == "meta":
            values = torch.zeros(0)
        else:
            with torch.no_grad():
                values = _dense(tensor)
        return Picture("; ".join(surroundings), _plain_bits(values), values.dtype)

    def difference(self, other: Picture) -> str | None:
        """None if equal; otherwise one line that says where the first difference is."""
        if self.kind != other.kind:
            return f"{self.kind}  !=  {other.kind}"
        if torch.equal(self.bits, other.bits):
            return None
        places = (self.bits != other.bits).nonzero().flatten()
        first = int(places[0])
        return (
            f"{len(places)} of {len(self.bits)} elements differ, the first at {first}:"
            f" {self._element(first)!r} != {other._element(first)!r}; {self.kind}"
        )

    def _element(self, place: int) -> float:
        element: float = self.bits[place : place + 1].view(self.dtype).item()
        return element

"""A small network and batches for it, the same each time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

BATCHES = 8  # an epoch


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(7, 40), nn.BatchNorm1d(40), nn.Tanh(), nn.Linear(40, 3))


def loader() -> DataLoader[tuple[Tensor, ...]]:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(8 * BATCHES, 7, generator=generator)
    targets = torch.randn(8 * BATCHES, 3, generator=generator)
    return DataLoader(TensorDataset(inputs, targets), batch_size=8, shuffle=True)

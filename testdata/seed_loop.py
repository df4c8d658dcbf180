"""A two-layer perceptron fitted to random labels with AdamW: the smallest real training loop.

    python seed_loop.py --epochs 1

Two runs with the same seed and number of threads end with the same parameters.
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn


def make_data(samples: int, features: int, classes: int) -> tuple[Tensor, Tensor]:
    return torch.randn(samples, features), torch.randint(classes, (samples,))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5000, help="steps an epoch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    model = nn.Sequential(
        nn.Linear(args.features, args.hidden), nn.ReLU(), nn.Linear(args.hidden, args.classes)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    inputs, labels = make_data(args.samples, args.features, args.classes)
    for epoch in range(1, args.epochs + 1):
        for _ in range(args.steps):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()

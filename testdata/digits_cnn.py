"""Trains a small convolutional network (or --model mlp) on scikit-learn's handwritten digits.

    python digits_cnn.py --epochs 1

The 1,797 images of 8x8 pixels come with scikit-learn; nothing is downloaded. Two runs with the
same seed and number of threads print the same losses.
"""

from __future__ import annotations

import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import Tensor, nn


def convolution(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Residual(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = convolution(channels, channels)
        self.second = nn.Conv2d(channels, channels, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.norm(self.second(self.first(x))))


def make_cnn(width: int) -> nn.Sequential:
    """Images (n, 1, 8, 8) to logits (n, 10); about 220 * width**2 parameters."""
    return nn.Sequential(
        convolution(1, width),
        Residual(width),
        convolution(width, 2 * width),
        nn.MaxPool2d(2),
        Residual(2 * width),
        convolution(2 * width, 4 * width),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(4 * width * 4, 10),
    )


def make_mlp(width: int) -> nn.Sequential:
    hidden = 16 * width
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(64, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(hidden, 10),
    )


def load_data(held_out: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training images and labels, then those of the last `held_out` digits for testing."""
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    labels = torch.tensor(digits.target)
    mean, std = images[:-held_out].mean(), images[:-held_out].std()
    images = (images - mean) / std
    return images[:-held_out], labels[:-held_out], images[-held_out:], labels[-held_out:]


def shift(images: Tensor, rng: torch.Generator) -> Tensor:
    """Each image of (n, 1, 8, 8) moved by up to a pixel each way: the augmentation."""
    n, _, height, width = images.shape
    moves = torch.randint(0, 3, (n, 2), generator=rng)
    rows = moves[:, :1] + torch.arange(height)
    columns = moves[:, 1:] + torch.arange(width)
    padded = F.pad(images, (1, 1, 1, 1), mode="replicate").squeeze(1)
    moved = padded[torch.arange(n)[:, None, None], rows[:, :, None], columns[:, None, :]]
    return moved.unsqueeze(1)


@torch.no_grad()
def evaluate(model: nn.Module, images: Tensor, labels: Tensor) -> tuple[float, float]:
    """Mean loss and accuracy."""
    model.eval()
    logits = model(images)
    model.train()
    accuracy = (logits.argmax(1) == labels).float().mean().item()
    return F.cross_entropy(logits, labels).item(), accuracy


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", choices=("cnn", "mlp"), default="cnn")
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--nesterov", action="store_true")
    parser.add_argument("--repeats", type=int, default=4, help="augmented passes in an epoch")
    return parser.parse_args()


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    rng = torch.Generator().manual_seed(args.seed)

    images, labels, test_images, test_labels = load_data(held_out=360)
    model = make_cnn(args.width) if args.model == "cnn" else make_mlp(args.width)
    optimizer = torch.optim.SGD(
        model.parameters(),
        lr=args.lr,
        momentum=args.momentum,
        weight_decay=args.weight_decay,
        nesterov=args.nesterov,
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    print(f"{len(images)} images, {sum(p.numel() for p in model.parameters()):,} parameters")

    for epoch in range(1, args.epochs + 1):
        total, steps = 0.0, 0
        for _ in range(args.repeats):
            for batch in torch.randperm(len(images), generator=rng).split(args.batch_size):
                loss = F.cross_entropy(model(shift(images[batch], rng)), labels[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
                steps += 1
        schedule.step()
        test_loss, accuracy = evaluate(model, test_images, test_labels)
        print(
            f"epoch {epoch}: train loss {total / steps:.6f},"
            f" test loss {test_loss:.6f}, accuracy {accuracy:.4f}"
        )


if __name__ == "__main__":
    main()

"""Trains a small convolutional network on JPEG files, which data-loading workers augment.

    python image_training.py --epochs 1
    python image_training.py --data FOLDER

The files are made first, in a temporary folder or, once for many runs, in FOLDER: scenes of shapes
with textures, whose class is the shape in front. The recipe is that of ImageNet: a random crop,
resized, mirrored, jittered in colour, normalised. Runs with the same seed print the same losses.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path

import numpy as np
import PIL.Image
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

CLASSES = 4
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def make_texture(rng: np.random.Generator, side: int) -> np.ndarray:
    """Noise of all scales, the coarser the stronger, as in photographs: (side, side, 3)."""
    spectrum = rng.normal(size=(2, 3, side, side // 2 + 1))
    y, x = np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None]
    amplitude = np.maximum(np.hypot(x, y), 1 / side) ** -1.3
    noise = np.fft.irfft2((spectrum[0] + 1j * spectrum[1]) * amplitude).transpose(1, 2, 0)
    return np.asarray((noise - noise.mean()) / noise.std(), np.float32)


def cut_out(
    rng: np.random.Generator, textures: list[np.ndarray], height: int, width: int
) -> np.ndarray:
    """A part of some texture in some colour."""
    texture = textures[rng.integers(len(textures))]
    top, left = rng.integers(len(texture) - height), rng.integers(len(texture) - width)
    tint = rng.uniform(60, 190, size=3).astype(np.float32)
    return np.asarray(tint + 35 * texture[top : top + height, left : left + width])


def scene(
    rng: np.random.Generator, textures: list[np.ndarray], label: int, height: int, width: int
) -> PIL.Image.Image:
    """A picture with a shape in front: a disc, a ring, stripes or a lattice."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    size = 0.3 * min(height, width)
    y -= height * rng.uniform(0.35, 0.65)
    x -= width * rng.uniform(0.35, 0.65)
    radius, turn = np.hypot(x, y), rng.uniform(0, math.pi)
    along = (x * math.cos(turn) + y * math.sin(turn)) * (8 / size)
    across = (y * math.cos(turn) - x * math.sin(turn)) * (8 / size)
    inside = radius < size
    shape = (
        inside,
        inside & (radius > 0.6 * size),
        inside & (np.sin(along) > 0),
        inside & (np.sin(along) * np.sin(across) > 0),
    )[label]
    front, back = (cut_out(rng, textures, height, width) for _ in range(2))
    pixels = np.where(shape[..., None], front, back * 0.6)
    return PIL.Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def prepare_files(folder: Path, count: int, seed: int) -> list[tuple[Path, int]]:
    """JPEG files of some 500x400 pixels, with their classes. Those that are there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [(folder / f"{seed}-{number:05}.jpeg", number % CLASSES) for number in range(count)]
    textures: list[np.ndarray] = []
    for number, (path, label) in enumerate(files):
        if path.exists():
            continue
        textures = textures or [make_texture(np.random.default_rng(n), 640) for n in range(6)]
        rng = np.random.default_rng((seed, number))
        height, width = (int(side) for side in rng.integers((360, 460), (440, 540)))
        unfinished = path.with_suffix(".part")
        scene(rng, textures, label, height, width).save(unfinished, "JPEG", quality=90)
        unfinished.replace(path)
    return files


class Files(Dataset[tuple[Tensor, int]]):
    """Images from files, transformed."""

    def __init__(self, files: list[tuple[Path, int]], transform: nn.Module) -> None:
        self.files, self.transform = files, transform

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        path, label = self.files[index]
        with PIL.Image.open(path) as image:
            return self.transform(image.convert("RGB")), label


def training_recipe(size: int) -> v2.Compose:
    """What a worker does with an image of the training set."""
    return v2.Compose(
        [
            v2.RandomResizedCrop(size),
            v2.RandomHorizontalFlip(),
            v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
            v2.RandomGrayscale(0.1),
            v2.ToImage(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )


def evaluation_recipe(size: int) -> v2.Compose:
    """What a worker does with an image to be tested."""
    return v2.Compose(
        [
            v2.Resize(size * 8 // 7),
            v2.CenterCrop(size),
            v2.ToImage(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD),
        ]
    )


def make_network(width: int) -> nn.Sequential:
    """Images to logits. It looks at a quarter of each side, so that the workers are what counts."""

    def stage(inputs: int, outputs: int) -> list[nn.Module]:
        layer = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        return [layer, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]

    return nn.Sequential(
        nn.AvgPool2d(4),
        *stage(3, width),
        *stage(width, 2 * width),
        *stage(2 * width, 4 * width),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, CLASSES),
    )


def train(
    network: nn.Module, loader: DataLoader[tuple[Tensor, int]], epochs: int, rate: float
) -> None:
    """Prints the mean loss of each epoch."""
    optimizer = torch.optim.SGD(network.parameters(), rate, momentum=0.9, weight_decay=1e-4)
    network.train()
    for epoch in range(epochs):
        total = torch.zeros(())
        for images, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(network(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        print(f"epoch {epoch + 1}: loss {total.item() / len(loader):.6f}")


@torch.no_grad()
def test(network: nn.Module, loader: DataLoader[tuple[Tensor, int]]) -> Tensor:
    """The logits of all images."""
    network.eval()
    return torch.cat([network(images) for images, _ in loader])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--images", type=int, default=256, help="files to train with (256)")
    parser.add_argument("--size", type=int, default=224, help="of the crops (224)")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--start-method", choices=["fork", "spawn", "forkserver"])
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="folder to keep the files in")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    held_out = max(CLASSES, options.images // 8)
    method = options.start_method if options.workers else None
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data or Path(temporary)
        files = prepare_files(folder, options.images + held_out, options.seed)

        def loader(
            part: list[tuple[Path, int]], transform: nn.Module
        ) -> DataLoader[tuple[Tensor, int]]:
            return DataLoader(
                Files(part, transform),
                options.batch,
                shuffle=part[0] == files[0],
                num_workers=options.workers,
                multiprocessing_context=method,
            )

        network = make_network(16)
        training = loader(files[: options.images], training_recipe(options.size))
        train(network, training, options.epochs, options.rate)
        logits = test(network, loader(files[options.images :], evaluation_recipe(options.size)))
    labels = torch.tensor([label for _, label in files[options.images :]])
    print(f"accuracy {(logits.argmax(1) == labels).double().mean().item():.3f}")


if __name__ == "__main__":
    main()

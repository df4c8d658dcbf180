"""Whole recipes for images, and a dataset that follows one and tells what Kwker did of it."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable, Iterable
from typing import Any

import PIL.Image
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.transforms import InterpolationMode, v2

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
SIDE = 64
IMAGES = 12

POLICIES: dict[str, Callable[[], nn.Module]] = {
    "RandAugment": lambda: v2.RandAugment(interpolation=InterpolationMode.BILINEAR, magnitude=9),
    "TrivialAugmentWide": lambda: v2.TrivialAugmentWide(interpolation=InterpolationMode.BILINEAR),
    "AutoAugment": lambda: v2.AutoAugment(interpolation=InterpolationMode.BILINEAR),
    "AugMix": lambda: v2.AugMix(interpolation=InterpolationMode.BILINEAR),
    "jitter": lambda: v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
    "SimCLR": lambda: v2.Compose(
        [
            v2.RandomApply([v2.ColorJitter(0.8, 0.8, 0.8, 0.2)], p=0.8),
            v2.RandomGrayscale(0.2),
            v2.GaussianBlur(5),
            v2.RandomSolarize(128, 0.2),
        ]
    ),
    "distort": lambda: v2.RandomPhotometricDistort(p=0.9),
}
FILTERS = (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
# What the images are while they are worked on.
BACK_ENDS: dict[str, list[Callable[[], nn.Module]]] = {
    "PIL": [],
    "tensors": [v2.PILToTensor],
    "tv_tensors": [v2.ToImage],
}


def _tail(back_end: str) -> list[nn.Module]:
    tail = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    return [*([v2.PILToTensor()] if back_end == "PIL" else []), *tail]


def training(back_end: str, policy: str, interpolation: InterpolationMode) -> v2.Compose:
    """As ImageNet is trained with: a random part, mirrored, altered, some of it erased."""
    return v2.Compose(
        [
            *(make() for make in BACK_ENDS[back_end]),
            v2.RandomResizedCrop(SIDE, interpolation=interpolation, antialias=True),
            v2.RandomHorizontalFlip(0.5),
            POLICIES[policy](),
            *_tail(back_end),
            v2.RandomErasing(0.5),
            v2.ToPureTensor(),
        ]
    )


def evaluation(back_end: str, interpolation: InterpolationMode) -> v2.Compose:
    """As it is tested with: the middle of the whole image."""
    return v2.Compose(
        [
            *(make() for make in BACK_ENDS[back_end]),
            v2.Resize(SIDE * 8 // 7, interpolation=interpolation, antialias=True),
            v2.CenterCrop(SIDE),
            *_tail(back_end),
            v2.ToPureTensor(),
        ]
    )


def jpeg(number: int) -> bytes:
    """A file with coarse and fine structure, as photographs have."""
    generator = torch.Generator().manual_seed(number)
    height, width = (int(n) for n in torch.randint(70, 150, (2,), generator=generator))
    layers = [
        torch.rand(1, 3, height // step + 1, width // step + 1, generator=generator)
        for step in (32, 8, 2)
    ]
    grown = [nn.functional.interpolate(layer, (height, width), mode="bilinear") for layer in layers]
    pixels = sum(x * weight for x, weight in zip(grown, (0.6, 0.3, 0.1), strict=True))
    assert isinstance(pixels, Tensor)
    buffer = io.BytesIO()
    array = (pixels[0] * 255).byte().permute(1, 2, 0).contiguous().numpy()
    PIL.Image.fromarray(array).save(buffer, "JPEG")
    return buffer.getvalue()


class Files(Dataset[tuple[Tensor, int]]):
    """JPEG files, each transformed; with each, how many calls Kwker has served in this process."""

    def __init__(self, transform: nn.Module) -> None:
        self.transform = transform
        self.files = [jpeg(number) for number in range(IMAGES)]

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        image = PIL.Image.open(io.BytesIO(self.files[index])).convert("RGB")
        result = self.transform(image)
        assert type(result) is Tensor and not isinstance(result, tv_tensors.TVTensor)
        return result, served()


def served() -> int:
    """The calls that vision features have served in this process."""
    torch_ops: Any = sys.modules.get("kwker.torch_ops")
    if torch_ops is None:
        return 0
    stats = torch_ops.stats()
    return sum(counts["calls"] for name, counts in stats.items() if name.startswith("vision."))


def digest(batches: Iterable[tuple[Tensor, Tensor]]) -> tuple[str, int]:
    """A hash of all images to the bit, and the largest of the counts."""
    sha, calls = hashlib.sha256(), 0
    for images, counts in batches:
        sha.update(repr((images.shape, images.stride(), images.dtype)).encode())
        sha.update(images.numpy().tobytes())
        calls = max(calls, int(counts.max()))
    return sha.hexdigest(), calls


def load(transform: nn.Module, workers: int, start: str | None) -> tuple[str, int]:
    """The digest of an epoch in batches."""
    torch.manual_seed(7)
    loader = DataLoader(
        Files(transform),
        batch_size=4,
        shuffle=True,
        num_workers=workers,
        multiprocessing_context=start,
    )
    return digest(loader)

"""Resizing PIL images: Pillow beside Kwker, and beside another Pillow where one is given.

    python tests/benchmarks/vision/resize_bench.py --quick
    python tests/benchmarks/vision/resize_bench.py --peer FOLDER   # with Pillow-SIMD's PIL in it

Times are of the whole call on one thread. The other Pillow runs in a process of its own, which
times itself; all take turns. Its bits may be others: Pillow-SIMD's are. OpenCV, where it is
installed, does something else under the same names: without antialiasing, but for "area".
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from PIL import Image

from harness import Times, describe, duration, machine, table
from kwker import torch_ops

# What the peer's process runs: a line in for each turn, the seconds a call out.
_PEER = """
import sys, time
from PIL import Image
images = {}
for line in sys.stdin:
    mode, width, height, new_width, new_height, resample, count = line.split()
    key = mode, int(width), int(height)
    if key not in images:
        noise = Image.effect_noise(key[1:], 60)
        images[key] = noise if mode == "L" else Image.merge(mode, [noise] * len(mode))
    image, size, count = images[key], (int(new_width), int(new_height)), int(count)
    image.resize(size, int(resample))
    start = time.perf_counter()
    for _ in range(count):
        image.resize(size, int(resample))
    print((time.perf_counter() - start) / count, flush=True)
"""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    mode: str
    size: tuple[int, int]
    new_size: tuple[int, int]
    resample: Image.Resampling

    @property
    def work(self) -> str:
        (w, h), (new_w, new_h) = self.size, self.new_size
        return f"{self.mode} {w}x{h} to {new_w}x{new_h} {self.resample.name.lower()}"

    def image(self) -> Image.Image:
        noise = Image.effect_noise(self.size, 60)
        return noise if self.mode == "L" else Image.merge(self.mode, [noise] * len(self.mode))


def rows(quick: bool) -> list[Row]:
    modes = ["RGB", "L"] if quick else ["RGB", "L", "RGBA"]
    sizes = [((500, 375), (224, 224)), ((1280, 720), (224, 224)), ((224, 224), (300, 300))]
    if not quick:
        sizes += [((28, 28), (32, 32)), ((32, 32), (64, 64)), ((8, 8), (4, 4))]
    chosen = ["BILINEAR", "BICUBIC", "LANCZOS"] + ([] if quick else ["BOX", "HAMMING"])
    return [Row(m, a, b, Image.Resampling[f]) for m in modes for a, b in sizes for f in chosen]


class Peer:
    """Another Pillow, in a process of its own."""

    def __init__(self, folder: str) -> None:
        environment = {**os.environ, "PYTHONPATH": folder, "KWKER_INSTALL": "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PEER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def seconds(self, row: Row, count: int) -> float:
        assert self._process.stdin and self._process.stdout
        numbers = (*row.size, *row.new_size, int(row.resample), count)
        self._process.stdin.write(f"{row.mode} {' '.join(map(str, numbers))}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def measure(row: Row, seconds: float, peer: Peer | None) -> Times:
    image = row.image()

    def resize() -> object:
        return image.resize(row.new_size, row.resample)

    def timed(count: int, work: Callable[[], object]) -> float:
        work()
        start = time.perf_counter()
        for _ in range(count):
            work()
        return (time.perf_counter() - start) / count

    def by_kwker(count: int) -> float:
        with torch_ops.installed(["vision.resize"], verify=False):
            return timed(count, resize)

    contenders: dict[str, Callable[[int], float]] = {
        "pillow": lambda count: timed(count, resize),
        "kwker": by_kwker,
    }
    if peer is not None:
        contenders["peer"] = lambda count: peer.seconds(row, count)
    opencv = _opencv(row, image)
    if opencv is not None:
        contenders["opencv"] = lambda count: timed(count, opencv)

    counts = {name: max(1, int(1e-3 / run(1))) for name, run in contenders.items()}
    times = Times({name: [] for name in contenders})
    deadline = time.perf_counter() + seconds
    turn = 0
    while turn < 5 or time.perf_counter() < deadline:
        names = list(contenders)
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            times.wall[name].append(contenders[name](counts[name]))
        turn += 1
    return times


def _opencv(row: Row, image: Image.Image) -> Callable[[], object] | None:
    kinds = {"BILINEAR": "INTER_LINEAR", "BICUBIC": "INTER_CUBIC", "BOX": "INTER_AREA"}
    if row.resample.name not in kinds:
        return None
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(1)
    pixels, kind = np.asarray(image), getattr(cv2, kinds[row.resample.name])
    return lambda: cv2.resize(pixels, row.new_size, interpolation=kind)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows, about a minute")
    parser.add_argument("--peer", metavar="FOLDER", help="where another PIL is installed")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    parser.add_argument("--json", metavar="FILE", help="also write all figures there")
    options = parser.parse_args(arguments)

    torch_ops.install(["vision.resize"])
    torch_ops.uninstall()
    facts: dict[str, Any] = machine()
    print(describe(facts))
    peer = Peer(options.peer) if options.peer else None
    lines, figures = [], []
    for row in rows(options.quick):
        times = measure(row, options.seconds, peer)
        others = [name for name in times.wall if name not in ("pillow", "kwker")]
        cells = [row.work, duration(times.median("pillow")), duration(times.median("kwker"))]
        cells.append(f"{times.ratio('pillow', 'kwker'):.2f}x")
        cells.append(
            ", ".join(f"{name} {times.ratio('pillow', name):.2f}x" for name in others) or "-"
        )
        lines.append(cells)
        figures.append({"work": row.work, **times.summary()})
    if peer is not None:
        peer.close()
    print(table(["work", "Pillow", "Kwker", "ratio", "others against Pillow"], lines))
    if options.json:
        Path(options.json).write_text(json.dumps({"machine": facts, "rows": figures}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Around the pixels: what calls resize, what it returns, what it raises, what it leaves alone."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image, ImageFile, ImageOps
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import InterpolationMode, v2
from torchvision.transforms import functional as v1

from kwker import torch_ops
from pictures import FEATURE, assert_same, noise, outcome, picture

BILINEAR = Image.Resampling.BILINEAR


def jpeg(size: tuple[int, int] = (90, 70), **options: Any) -> bytes:
    held = io.BytesIO()
    noise("RGB", size).save(held, "JPEG", quality=90, **options)
    return held.getvalue()


def test_everything_an_image_carries() -> None:
    image = noise("RGB", (50, 40))
    image.info["dpi"] = (72, 72)
    image.info["comment"] = b"x"
    image.getexif()[0x0112] = 6

    def resized() -> Image.Image:
        result = image.resize((20, 30), BILINEAR)
        assert result.info is not image.info
        return result

    assert_same(resized)


def test_files_are_loaded_first() -> None:
    exif = Image.Exif()
    exif[0x0112] = 3
    for data in (jpeg(exif=exif), jpeg(dpi=(30, 30))):
        assert_same(lambda: Image.open(io.BytesIO(data)).resize((31, 23)))  # noqa: B023


def test_mapped_files(tmp_path: Path) -> None:
    path = tmp_path / "mapped.bmp"
    noise("L", (64, 40)).save(path)
    for opened in (True, False):
        assert_same(lambda: Image.open(path).resize((20, 50)), served=None)
        assert_same(lambda: Image.open(path).copy().resize((20, 50)), served=True)
        del opened


@pytest.mark.parametrize("draft", [None, (30, 30)])
def test_thumbnails(draft: tuple[int, int] | None) -> None:
    data = jpeg((400, 300))

    def thumbnail() -> list[Any]:
        image = Image.open(io.BytesIO(data))
        if draft:
            image.draft("RGB", draft)
        image.thumbnail((33, 40))
        other = noise("RGBA", (200, 100))
        other.thumbnail((50, 50), reducing_gap=1.5)
        return [image, other]

    assert_same(thumbnail)


def test_operations_on_top() -> None:
    image = noise("RGB", (120, 90))
    assert_same(lambda: ImageOps.fit(image, (40, 40)))
    assert_same(lambda: ImageOps.contain(image, (40, 40)))
    assert_same(lambda: ImageOps.pad(image, (40, 40)))
    assert_same(lambda: ImageOps.scale(image, 0.37))


@pytest.mark.parametrize(
    "interpolation",
    [
        InterpolationMode.BILINEAR,
        InterpolationMode.BICUBIC,
        InterpolationMode.LANCZOS,
        InterpolationMode.BOX,
        InterpolationMode.HAMMING,
    ],
)
def test_torchvision(interpolation: InterpolationMode) -> None:
    image = noise("RGB", (120, 90))

    def crop() -> Image.Image:
        torch.manual_seed(1)
        crop = v2.RandomResizedCrop(64, interpolation=interpolation)
        return crop(image)  # type: ignore[no-any-return]

    assert_same(lambda: v2.Resize(64, interpolation)(image))
    assert_same(lambda: v2.Resize((50, 64), interpolation)(image))
    assert_same(crop)
    assert_same(lambda: v1.resize(image, [30, 40], interpolation))


def test_shortcuts_are_pillows() -> None:
    image = noise("RGB", (50, 40))
    for action in (
        lambda: image.resize((50, 40)),
        lambda: image.resize((20, 20), BILINEAR, (10, 10, 30, 30)),
        lambda: image.resize((20, 20), Image.Resampling.NEAREST),
        lambda: image.convert("P").resize((20, 20)),
    ):
        counted = assert_same(action, served=False)
        assert sum(counted["fallbacks"].values()) == 1
    result = image.resize((50, 40))
    assert result is not image


def test_tiny_images_are_pillows() -> None:
    counted = assert_same(lambda: noise("L", (9, 9)).resize((5, 5)), served=False)
    assert counted["fallbacks"] == {"too small to gain anything": 1}


def test_what_is_not_covered_is_counted() -> None:
    counted = assert_same(lambda: noise("L", (30, 20)).convert("PA").resize((9, 9)), served=False)
    assert counted["fallbacks"] == {"an image of a class or mode that is not covered": 1}


def test_larger_than_a_block() -> None:
    image = noise("L", (40, 30)).resize((4200, 4100), Image.Resampling.NEAREST)
    counted = assert_same(lambda: image.resize((20, 30)), served=False)
    assert counted["fallbacks"] == {"an image that does not lie in one block of memory": 1}
    small = noise("L", (40, 30))
    assert_same(lambda: small.resize((4200, 4100), BILINEAR), served=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ((0, 5),),
        ((5, -1),),
        ((5,),),
        ((5, 5, 5),),
        ("ab",),
        (None,),
        ((5.5, 6),),
        ((5, 5), 99),
        ((5, 5), "bilinear"),
        ((5, 5), 2, (0, 0, 100, 10)),
        ((5, 5), 2, (-1, 0, 10, 10)),
        ((5, 5), 2, (9, 9, 3, 3)),
        ((5, 5), 2, (0, 0, 10)),
        ((5, 5), 2, "abcd"),
        ((5, 5), 2, (0, 0, float("nan"), 10)),
        ((5, 5), 2, None, 0.5),
        ((5, 5), 2, None, float("nan")),
        ((5, 5), 2, None, "2"),
        ((5, 5), 2, (30, 30, 10, 10), 1.0),
        (),
        ((5, 5), 2, None, None, 1),
    ],
    ids=repr,
)
def test_errors_are_pillows(arguments: tuple[Any, ...]) -> None:
    image = noise("RGB", (50, 40))
    assert_same(lambda: image.resize(*arguments), served=False)


def test_errors_of_names() -> None:
    image: Any = noise("RGB", (50, 40))
    assert_same(lambda: image.resize((5, 5), filter=2), served=False)
    assert_same(lambda: image.resize((5, 5), size=(4, 4)), served=False)
    assert_same(lambda: Image.Image.resize(3, (5, 5)), served=False)  # type: ignore[arg-type]
    assert_same(lambda: image.resize(resample=2, size=(5, 5)))


def test_truncated_files() -> None:
    data = jpeg((90, 70))[:900]
    assert outcome(lambda: Image.open(io.BytesIO(data)).resize((20, 20)))[0] is OSError
    assert_same(lambda: Image.open(io.BytesIO(data)).resize((20, 20)), served=False)
    lenient = ImageFile.LOAD_TRUNCATED_IMAGES
    try:
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        assert_same(lambda: Image.open(io.BytesIO(data)).resize((20, 20)))
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = lenient


def test_closed_and_empty_images() -> None:
    def closed() -> Image.Image:
        image = Image.open(io.BytesIO(jpeg()))
        image.close()
        return image.resize((5, 5))

    assert_same(closed, served=False)
    assert_same(lambda: Image.Image().resize((5, 5)), served=False)
    for size in ((0, 5), (5, 0), (0, 0)):
        assert_same(lambda: Image.new("RGB", size).resize((5, 5)), served=None)  # noqa: B023


class Photo(Image.Image):
    """A subclass that sees what happens to it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def load(self) -> Any:
        self.seen.append("load")
        return super().load()

    def _new(self, im: Any) -> Image.Image:
        self.seen.append("_new")
        return super()._new(im)


def test_subclasses_are_asked_as_before() -> None:
    def resized() -> Any:
        photo = Photo()
        image = noise("RGB", (50, 40))
        photo.im, photo._mode, photo._size = image.im, image.mode, image.size
        result = photo.resize((20, 20), BILINEAR)
        return [result, photo.seen]

    assert_same(resized)


def test_the_source_may_be_written_to_afterwards() -> None:
    image = noise("RGB", (50, 40))
    with torch_ops.installed([FEATURE], verify=False):
        result = image.resize((20, 20))
        before = picture(result)
        image.paste((1, 2, 3), (0, 0, 50, 40))
        assert picture(result) == before
        result.putpixel((0, 0), (9, 9, 9))
        assert image.getpixel((0, 0)) == (1, 2, 3)


def test_threads_at_once() -> None:
    images = [noise("RGB", (300, 200), seed) for seed in range(4)]
    expected = [picture(image.resize((150, 120))) for image in images]
    failures: list[int] = []

    def work(number: int) -> None:
        for _ in range(10):
            if picture(images[number].resize((150, 120))) != expected[number]:
                failures.append(number)

    with torch_ops.installed([FEATURE], verify=False):
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_the_method_looks_as_before() -> None:
    original = Image.Image.resize
    with torch_ops.installed([FEATURE], verify=False):
        hook = Image.Image.resize
        assert hook is not original
        assert inspect.signature(hook) == inspect.signature(original)
        assert inspect.getsource(hook) == inspect.getsource(original)
        assert hook.__doc__ == original.__doc__
        assert pickle.loads(pickle.dumps(hook)) is hook
        assert noise("L", (5, 5)).resize.__func__ is hook  # type: ignore[attr-defined]
    assert Image.Image.resize is original


def test_another_patch_is_left_alone() -> None:
    original = Image.Image.resize

    def mine(self: Image.Image, *args: Any, **kwargs: Any) -> Image.Image:
        return original(self, *args, **kwargs)

    torch_ops.install([FEATURE])
    try:
        Image.Image.resize = mine  # type: ignore[method-assign]
        with pytest.warns(RuntimeWarning, match=r"Image\.resize was replaced"):
            torch_ops.uninstall()
        assert Image.Image.resize is mine
    finally:
        Image.Image.resize = original  # type: ignore[method-assign]


def test_the_self_check_passes() -> None:
    torch_ops.reset_stats()
    torch_ops.install([FEATURE])
    states = {feature.name: feature.state for feature in torch_ops.features()}
    assert states[FEATURE] == "on"
    assert torch_ops.stats()[FEATURE]["calls"] == 0


def test_another_pillow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import PIL

    from kwker import _C, _verify_resize

    monkeypatch.setattr(PIL, "__version__", "12.1.1")
    original = Image.Image.resize
    said = _verify_resize.difference(original, original, _C.resize_counters)
    assert said == "Pillow 12.1.1: verified with 13.0 only"


def test_pillow_may_come_later() -> None:
    script = """if True:
        import sys
        from kwker import torch_ops
        torch_ops.install(["vision.resize"])
        state = lambda: {f.name: f.state for f in torch_ops.features()}["vision.resize"]
        assert "PIL" not in sys.modules and state() == "not yet imported", state()
        from PIL import Image
        assert state() == "on", state()
        Image.new("RGB", (50, 40)).resize((30, 20))
        assert torch_ops.stats()["vision.resize"]["calls"] == 1
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Pictures(Dataset[Any]):
    """Images from files in memory, resized in whatever process asks."""

    def __init__(self) -> None:
        self.files = [jpeg((80 + n, 60)) for n in range(6)]
        self.transform = v2.Compose([v2.Resize((32, 40)), v2.PILToTensor()])

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> Any:
        tensor = self.transform(Image.open(io.BytesIO(self.files[index])))
        calls = torch_ops.stats()[FEATURE]["calls"]
        return tensor, calls


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers(context: str) -> None:
    dataset = Pictures()
    expected = [copy.deepcopy(dataset[i][0]) for i in range(len(dataset))]
    torch_ops.install([FEATURE])
    torch_ops.reset_stats()
    loader = DataLoader(dataset, batch_size=None, num_workers=1, multiprocessing_context=context)
    got = list(loader)
    assert all(torch.equal(a, b[0]) for a, b in zip(expected, got, strict=True))
    if context == "fork":  # the others install by way of the wheel: tests/package
        assert [calls for _, calls in got] == [1, 2, 3, 4, 5, 6]

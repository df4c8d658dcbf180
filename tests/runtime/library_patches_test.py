"""Patches that a program makes in torchvision, before and after install(), and takes back."""

from __future__ import annotations

import pytest

from processes import printed, run

COMMON = """
import torch, warnings
import torchvision.transforms.functional as F1
from torchvision import transforms as v1
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F2
from torchvision.transforms.v2.functional._utils import _KERNEL_REGISTRY
import kwker.torch_ops as sto
warnings.simplefilter("error")

PIXELS = torch.arange(189, dtype=torch.uint8).reshape(3, 7, 9)
MOMENTS = [0.4, 0.5, 0.6], [0.2, 0.3, 0.4]
BOTH = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(*MOMENTS)])
seen = []

def state(name):
    return next(f.state for f in sto.features() if f.name == name)

def served(name, call):
    before = sto.stats()[name]["calls"]
    call()
    return sto.stats()[name]["calls"] - before

def over(function):
    def mine(*args, **kwargs):
        seen.append(1)
        return function(*args, **kwargs)
    return mine
"""

BEFORE = """
theirs = {get}
{put}(over(theirs))
for _ in range(2):
    sto.install()
    seen.clear()
    calls = served("vision.to_dtype_normalize", lambda: BOTH(PIXELS))
    print(len(seen), calls, state("vision.to_dtype_normalize"))
    {put}(theirs)
sto.uninstall()
assert {get} is theirs
"""

KERNELS = "_KERNEL_REGISTRY[F2.normalize]"


@pytest.mark.parametrize(
    ("get", "put", "before"),
    [
        # The kernel in the other place is Kwker's.
        (f"{KERNELS}[torch.Tensor]", f"(lambda f: {KERNELS}.update({{torch.Tensor: f}}))", 1),
        # Both kernels are.
        (
            "vars(v2.Normalize)['transform']",
            "(lambda f: setattr(v2.Normalize, 'transform', f))",
            2,
        ),
    ],
    ids=["kernel", "method"],
)
def test_one_made_before_is_called_in_a_compose_too(get: str, put: str, before: int) -> None:
    code = COMMON + BEFORE.format(get=get, put=put)
    lines = printed(code).splitlines()
    assert lines[0] == f"1 {before} on"
    if before == 1:  # back in its place, it is served, and both are in one go
        assert lines[1] == "0 1 on"


BY_HAND = """
theirs = F1.normalize
image = PIXELS / 255
normalize = lambda: F1.normalize(image, *MOMENTS)

F1.normalize = over(theirs)
sto.install(["vision.to_tensor"])
print(served("vision.to_tensor", normalize), len(seen), state("vision.to_tensor"))
F1.normalize = theirs
sto.enable("vision.to_tensor")
hook = F1.normalize
print(served("vision.to_tensor", normalize), len(seen), hook is not theirs)
sto.uninstall()
F1.normalize = hook
print(served("vision.to_tensor", normalize), len(seen), state("vision.to_tensor"))
sto.uninstall()
assert F1.normalize is theirs
F1.normalize = hook
sto.install()
print(served("vision.to_tensor", normalize), state("vision.to_tensor"))
F1.normalize = over(hook)
print({f.name: f.detail for f in sto.features()}["vision.to_tensor"])
sto.install()
print(served("vision.to_tensor", normalize), len(seen))
F1.normalize = hook
sto.uninstall()
assert F1.normalize is theirs
"""


def test_put_in_and_taken_back_by_hand() -> None:
    assert printed(COMMON + BY_HAND).splitlines() == [
        "0 1 on",  # to_tensor's own place is free
        "1 1 True",
        "0 1 off",
        "1 on",
        "somebody else's function stands over torchvision.transforms.functional.normalize "
        "since install()",
        "1 2",  # called by theirs, as to_tensor is on
    ]


def test_another_release_of_the_library_is_left_alone() -> None:
    code = """
del v2.RandomPhotometricDistort
sto.install(["vision.color", "vision.to_tensor"])
print(state("vision.color"), state("vision.to_tensor"))
"""
    done = run(COMMON + code)
    assert (done.returncode, done.stdout) == (0, "replaced by others on\n")
    assert done.stderr == (
        "nothing of torchvision's is replaced: "
        "module 'torchvision.transforms.v2' has no attribute 'RandomPhotometricDistort'\n"
    )

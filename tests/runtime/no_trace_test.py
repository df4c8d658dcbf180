"""After uninstall() every attribute and dispatcher entry is the very object that it was."""

from __future__ import annotations

from processes import printed

CODE = """
import gc, os, sys, threading, importlib, torch, warnings
warnings.simplefilter("error")
import PIL.Image
import torchvision.transforms.functional
from torchvision.transforms import v2
from torchvision.transforms.v2.functional import _utils

parameter = torch.nn.Parameter(torch.ones(3, 1))
for kind in vars(torch.optim).values():  # torch itself wraps a class's step() at its first object
    if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer):
        if kind not in (torch.optim.Optimizer, torch.optim.SparseAdam, torch.optim.LBFGS):
            kind([parameter], lr=0.1)
import torch._dynamo

def everything():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in ("torch", "torchvision", "PIL") or module is None:
            continue
        for key, value in list(vars(module).items()):
            found[name, key] = value
            if issubclass(type(value), type) and value.__module__ == name:
                found |= {(name, key, inner): x for inner, x in vars(value).items()}
    for functional, kernels in _utils._KERNEL_REGISTRY.items():
        found |= {(functional, kind): kernel for kind, kernel in kernels.items()}
    return found

def surroundings():
    variables = {k: v for k, v in os.environ.items() if k.startswith("KWKER")}
    return [*sys.meta_path], variables, [t.name for t in threading.enumerate()]

import kwker.torch_ops as sto  # which imports nothing of torch's
# Found at torch's own first use, whoever makes it.
sto.install(); sto.uninstall()
before, around = everything(), surroundings()
sto.install()
changed = {place for place, value in everything().items() if before.get(place) is not value}
with sto.installed(["optim.sgd"]):
    sto.enable("vision")
sto.disable("optim.adam")
sto.uninstall()
after = everything()
assert before.keys() == after.keys(), before.keys() ^ after.keys()
left = [place for place, value in after.items() if before[place] is not value]
assert left == [], left
assert surroundings() == around
print(len(changed) >= 9 + 2 + 2 + 15, len(before) > 10_000)
"""


def test_every_object_is_back() -> None:
    assert printed(CODE) == "True True\n"

"""importlib.reload() of torch's modules and torchvision's, and purges of sys.modules."""

from __future__ import annotations

from processes import printed

COMMON = """
import importlib, sys, threading, warnings, os, torch
warnings.simplefilter("error")
import kwker.torch_ops as sto
from kwker._shared import behind

def step(kind=torch.optim.Adam, name="optim.adam"):
    "What a step gives, and how many calls Kwker served."
    before = sto.stats()[name]["calls"]
    parameter = torch.nn.Parameter(torch.ones(10))
    parameter.grad = torch.full((10,), 0.25)
    optimizer = kind([parameter], lr=0.125)
    for _ in range(3):
        optimizer.step()
    return parameter.tolist(), sto.stats()[name]["calls"] - before

def state(name="optim.adam"):
    return next(f.state for f in sto.features() if f.name == name)

ADAM = importlib.import_module("torch.optim.adam")
"""

RELOAD_TORCH = """
expected, _ = step()
for the_package_too in (False, True):
    first, first_class = ADAM.adam, torch.optim.Adam
    first_group = vars(first_class)["_init_group"]
    sto.install()
    assert step() == (expected, 3)
    hook = ADAM.adam
    importlib.reload(ADAM)
    if the_package_too:  # which torch itself cannot reload
        torch.optim.Adam = ADAM.Adam
    second, second_class = ADAM.adam, ADAM.Adam
    second_group = vars(second_class)["_init_group"]
    assert second is not first and behind(second) is second
    assert step() == (expected, 0)  # torch's code, until
    assert step(second_class) == (expected, 0)
    sto.install()
    assert behind(ADAM.adam) is second and ADAM.adam is not second
    assert step(torch.optim.Adam) == (expected, 3)
    assert step(first_class) == (expected, 3)
    assert step(second_class) == (expected, 3)
    assert state() == "on"
    hooked = torch.optim.Adam
    assert behind(vars(hooked)["_init_group"]) is not vars(hooked)["_init_group"]
    assert (hooked is second_class) == the_package_too
    sto.uninstall()
    assert ADAM.adam is second
    assert vars(first_class)["_init_group"] is first_group
    assert vars(second_class)["_init_group"] is second_group
    assert step() == (expected, 0)
    ADAM.adam = hook  # one that the program has kept from before
    assert step() == (expected, 0)
    sto.install()
    assert step() == (expected, 3)
    sto.uninstall()
    assert ADAM.adam is first
    ADAM.adam = second

# Without another install() in between, and without a warning.
sto.install()
importlib.reload(ADAM)
third = ADAM.adam
sto.uninstall()
assert ADAM.adam is third
print("done")
"""


def test_torchs_modules() -> None:
    assert printed(COMMON + RELOAD_TORCH) == "done\n"


A_USERS_PATCH = """
sto.install()
importlib.reload(ADAM)
second = ADAM.adam
def mine(*args, **kwargs):
    return second(*args, **kwargs)
ADAM.adam = mine
sto.install()
print(state(), ADAM.adam is mine, step()[1])
ADAM.adam = second
sto.install()
print(state(), step()[1])
sto.uninstall()
assert ADAM.adam is second
"""


def test_a_users_patch_of_a_reloaded_module() -> None:
    assert printed(COMMON + A_USERS_PATCH) == "replaced by others True 0\non 3\n"


RELOAD_TORCHVISION = """
from PIL import Image
from torchvision import transforms as v1
from torchvision.transforms import functional as F1, v2
from torchvision.transforms.v2 import functional as F2

picture = Image.new("RGB", (9, 7), (10, 200, 30))
pixels = torch.arange(189, dtype=torch.uint8).reshape(3, 7, 9)
MOMENTS = [0.4, 0.5, 0.6], [0.2, 0.3, 0.4]

def run():
    before = {n: c["calls"] for n, c in sto.stats().items()}
    normalized = v1.Normalize(*MOMENTS)(v1.ToTensor()(picture))
    both = v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(*MOMENTS)])(pixels)
    adjusted = F2.adjust_contrast(pixels, 0.7)
    calls = {n: c["calls"] - before[n] for n, c in sto.stats().items() if c["calls"] > before[n]}
    return [x.numpy().tobytes() for x in (normalized, both, adjusted)], calls

expected, nothing = run()
assert nothing == {}
ALL = {"vision.to_tensor": 2, "vision.to_dtype_normalize": 1, "vision.color": 1}
sto.install()
assert run() == (expected, ALL)
first = {k: behind(v) for k, v in vars(F1).items()}
importlib.reload(F1)
second = dict(vars(F1))
assert second["to_tensor"] is not first["to_tensor"] and behind(F1.to_tensor) is F1.to_tensor
assert run() == (expected, {n: c for n, c in ALL.items() if n != "vision.to_tensor"})
sto.install()
assert run() == (expected, ALL)
sto.uninstall()
assert all(v is second[k] for k, v in vars(F1).items() if callable(v))
assert run() == (expected, {})

# v2: new functionals with new kernels, and the classes that call them.
sto.install()
for name in ("_color", "_misc"):
    importlib.reload(sys.modules[f"torchvision.transforms.v2.functional.{name}"])
importlib.reload(F2)
importlib.reload(sys.modules["torchvision.transforms.v2._misc"])
importlib.reload(v2)
kernels = sys.modules["torchvision.transforms.v2.functional._utils"]._KERNEL_REGISTRY
found, calls = run()
assert found == expected and calls == {"vision.to_tensor": 2}, calls
sto.install()
assert run() == (expected, ALL)
sto.uninstall()
assert run() == (expected, {})
for by_class in kernels.values():
    assert all(behind(kernel) is kernel for kernel in by_class.values())
assert behind(vars(v2.Compose)["forward"]) is vars(v2.Compose)["forward"]
print("done")
"""


def test_torchvisions_modules() -> None:
    assert printed(COMMON + RELOAD_TORCHVISION) == "done\n"


PURGE = """
def purge():
    for name in [n for n in sys.modules if n == "kwker" or n.startswith("kwker.")]:
        del sys.modules[name]

theirs = ADAM.adam
group = vars(torch.optim.Adam)["_init_group"]
expected, _ = step()  # the first imports more of torch
environment = dict(os.environ)
meta_path = list(sys.meta_path)

sto.install()  # vision's features wait for their libraries
first = sto
purge()
import kwker.torch_ops as sto
assert sto is not first
assert state() == "on" and step() == (expected, 3)  # what it is, whoever has put it in
sto.install(["optim.adam"])
assert {f.name for f in sto.features() if f.state == "on"} == {"optim.adam"}
assert behind(ADAM.adam) is theirs and behind(vars(torch.optim.Adam)["_init_group"]) is group
assert step() == (expected, 3)
assert os.environ["KWKER_FEATURES"] == "optim.adam"
sto.uninstall()
assert ADAM.adam is theirs and vars(torch.optim.Adam)["_init_group"] is group
assert dict(os.environ) == environment and sys.meta_path == meta_path
assert step() == (expected, 0)

# Whichever is asked last has it alone, and either takes all of it out.
sto.install()
with first.installed(["optim.sgd"]):
    assert {f.name for f in first.features() if f.state == "on"} == {"optim.sgd"}
    assert ADAM.adam is theirs
    sto.install(["optim.adam"])
assert {f.name for f in sto.features() if f.state == "on"} == {"optim.adam"}
assert step() == (expected, 3)
first.uninstall()
assert ADAM.adam is theirs and step() == (expected, 0)
assert dict(os.environ) == environment and sys.meta_path == meta_path

# From two threads at once.
purge()
import kwker.torch_ops as third
def switching(copy):
    for _ in range(20):
        copy.install(verify=False)
        copy.uninstall()
threads = [threading.Thread(target=switching, args=[copy]) for copy in (first, sto, third)]
[t.start() for t in threads]
[t.join() for t in threads]
assert ADAM.adam is theirs and dict(os.environ) == environment and sys.meta_path == meta_path
print("done")
"""


def test_kwkers_own_modules_taken_out_and_imported_again() -> None:
    assert printed(COMMON + PURGE) == "done\n"


def test_a_copy_that_waited_for_a_library_waits_no_longer() -> None:
    code = """
sto.install()
for name in [n for n in sys.modules if n == "kwker" or n.startswith("kwker.")]:
    del sys.modules[name]
import kwker.torch_ops as sto
sto.install(["optim"])
import PIL.Image
assert behind(vars(PIL.Image.Image)["resize"]) is vars(PIL.Image.Image)["resize"]
print(state("vision.resize"))
"""
    assert printed(COMMON + code) == "off\n"


def test_the_log_is_not_doubled() -> None:
    code = """
for name in [n for n in sys.modules if n == "kwker" or n.startswith("kwker.")]:
    del sys.modules[name]
import kwker.torch_ops, logging
print([handler.name for handler in logging.getLogger("kwker").handlers])
"""
    assert printed(COMMON + code, KWKER_LOG="warning") == "['kwker']\n"

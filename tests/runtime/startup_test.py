"""How Kwker comes into a process: imports, KWKER_INSTALL, other torch releases."""

from __future__ import annotations

import json
from pathlib import Path

import kwker
from processes import printed, run

PACKAGE = Path(kwker.__file__).parent


def answer(code: str, **environment: str) -> object:
    return json.loads(printed(f"import json, sys\n{code}", **environment))


def pth_line() -> str:
    return (PACKAGE.parent / "kwker.pth").read_text()


def test_the_package_itself_imports_no_torch() -> None:
    loaded = "[m for m in sys.modules if m.split('.')[0] in ('torch', 'numpy')]"
    assert answer(f"import kwker, kwker._startup; print(json.dumps({loaded}))") == []


def test_installing_imports_nothing_that_torch_did_not() -> None:
    code = """
import torch
before = set(sys.modules)
import kwker.torch_ops as sto
sto.install()
sto.verify()
str(sto.stats())
sto.uninstall()
# torch imports this one itself, when an optimizer first shows what it does to its profiler.
before.add("torch.profiler._cupti_monitor")
added = {name for name in sys.modules if name not in before}
print(json.dumps(sorted(
    name for name in added
    if name.split(".")[0] not in ("kwker", "_xxsubinterpreters", *sys.stdlib_module_names)
)))"""
    assert answer(code) == []
    # Not even where they are installed, and their names among what may be accelerated.
    code = f"{pth_line()}\nimport torch\n"
    code += "print(json.dumps([m for m in sys.modules if m in ('torchvision', 'PIL')]))"
    assert answer(code, KWKER_INSTALL="1") == []


def test_the_pth_line_does_nothing_unasked() -> None:
    code = f"{pth_line()}\nprint(json.dumps([m for m in sys.modules if 'kwker' in m]))"
    assert answer(code) == []
    assert answer(code, KWKER_INSTALL="0") == []
    waiting = "[str(f) for f in sys.meta_path if 'kwker' in str(f)]"
    for no in ("0 ", " ", "Off"):
        assert answer(f"{pth_line()}\nprint(json.dumps({waiting}))", KWKER_INSTALL=no) == []


def test_the_pth_line_installs_when_torch_is_imported() -> None:
    code = f"""{pth_line()}
before = 'torch' in sys.modules
import torch
import kwker.torch_ops as sto
states = [f.state for f in sto.features() if f.name in ('optim.adam', 'optim.adamw', 'optim.sgd')]
print(json.dumps([before, states]))"""
    assert answer(code, KWKER_INSTALL="1") == [False, ["on"] * 3]
    chosen = answer(code, KWKER_INSTALL="1", KWKER_FEATURES="optim.adamw")
    assert chosen == [False, ["off", "on", "off"]]
    # Empty is like not set.
    chosen = answer(code, KWKER_INSTALL="1", KWKER_FEATURES=" ", KWKER_DISABLE="")
    assert chosen == [False, ["on"] * 3]


def test_a_wrong_choice_leaves_the_program_running() -> None:
    done = run(
        f"{pth_line()}\nimport torch\nprint(torch.ones(1).item())",
        KWKER_INSTALL="1",
        KWKER_FEATURES="optim.adamv",
    )
    assert (done.returncode, done.stdout) == (0, "1.0\n")
    assert done.stderr.startswith("kwker: not installed: no feature 'optim.adamv'")
    assert done.stderr.count("\n") == 1


OTHER_TORCH = """
import importlib.metadata, torch
torch.__version__ = torch.torch_version.TorchVersion("2.12.1+cpu")
"""


def test_another_torch_release_is_refused_in_one_line() -> None:
    done = run(OTHER_TORCH + "import kwker.torch_ops")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: this kwker was built for torch 2.13, but torch is 2.12.1+cpu: "
        "install the kwker for that torch, or torch 2.13"
    )


def test_another_torch_release_leaves_a_launched_program_running() -> None:
    # Asked for from inside: an installed wheel's own .pth file would come first.
    asked = "import os; os.environ['KWKER_INSTALL'] = '1'"
    done = run(f"{OTHER_TORCH}\n{asked}\n{pth_line()}\nprint('on')")
    assert (done.returncode, done.stdout) == (0, "on\n")
    assert done.stderr.startswith("kwker: not installed: this kwker was built for torch 2.13")
    assert done.stderr.count("\n") == 1

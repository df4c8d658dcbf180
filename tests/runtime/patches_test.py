"""Patches that a program makes itself, before and after install(), and takes back in any order."""

from __future__ import annotations

import importlib
import pydoc
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import kwker.torch_ops as sto
from processes import printed

SGD = importlib.import_module("torch.optim.sgd")
ORIGINAL = SGD.sgd
GROUP = vars(torch.optim.SGD)["_init_group"]


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        sto.uninstall()
    sto.reset_stats()
    assert SGD.sgd is ORIGINAL and vars(torch.optim.SGD)["_init_group"] is GROUP


def put(function: Any) -> None:
    vars(SGD)["sgd"] = function


def state() -> str:
    return next(f.state for f in sto.features() if f.name == "optim.sgd")


def calls() -> int:
    """By Kwker, of one step."""
    before = sto.stats()["optim.sgd"]["calls"]
    parameter = torch.nn.Parameter(torch.ones(10))
    parameter.grad = torch.ones(10)
    torch.optim.SGD([parameter], lr=0.5).step()
    assert parameter.tolist() == [0.5] * 10
    return sto.stats()["optim.sgd"]["calls"] - before


def over(function: Any) -> Any:
    def mine(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return mine


def test_a_hook_that_was_kept_and_put_back_by_hand() -> None:
    sto.install()
    hook = SGD.sgd
    sto.uninstall()
    put(hook)
    assert (calls(), state()) == (0, "off")
    assert sto.stats()["optim.sgd"]["fallbacks"] == {}  # nothing is installed
    sto.install()
    assert (calls(), state()) == (1, "on")
    sto.uninstall()
    assert SGD.sgd is ORIGINAL
    put(hook)
    sto.uninstall()  # once more takes it out
    assert SGD.sgd is ORIGINAL


@pytest.mark.parametrize("again", [sto.install, lambda: sto.enable("optim.sgd")])
def test_one_made_before_and_taken_back(again: Any) -> None:
    put(over(ORIGINAL))
    sto.install()
    assert (calls(), state()) == (0, "replaced by others")
    put(ORIGINAL)
    again()
    assert (calls(), state()) == (1, "on")


def test_one_of_what_it_calls_made_before_and_taken_back() -> None:
    code = """
import importlib, torch
SGD = importlib.import_module("torch.optim.sgd")
loop, original = SGD._single_tensor_sgd, SGD.sgd
vars(SGD)["_single_tensor_sgd"] = lambda *args, **kwargs: loop(*args, **kwargs)
import kwker.torch_ops as sto
for _ in range(2):
    sto.install()
    print([f.state for f in sto.features() if f.name == "optim.sgd"], SGD.sgd is original)
    vars(SGD)["_single_tensor_sgd"] = loop
sto.uninstall()
assert SGD.sgd is original
"""
    assert printed(code) == "['replaced by others'] True\n['on'] False\n"


def test_one_made_over_the_hook_and_taken_back_while_installed() -> None:
    sto.install()
    hook = SGD.sgd
    put(over(hook))
    assert calls() == 1
    put(hook)
    assert calls() == 1


def test_one_made_over_the_hook_under_a_second_install() -> None:
    sto.install()
    hook = SGD.sgd
    put(over(hook))
    sto.install()  # sees somebody else there, and leaves it to torch
    assert (calls(), state()) == (0, "replaced by others")
    put(hook)
    sto.install()
    assert (calls(), state()) == (1, "on")


def test_one_made_over_the_hook_and_taken_back_after_uninstall() -> None:
    sto.install()
    hook = SGD.sgd
    put(over(hook))
    with pytest.warns(RuntimeWarning, match=r"torch.optim.sgd.sgd was replaced after"):
        sto.uninstall()
    assert calls() == 0
    put(hook)
    assert calls() == 0
    sto.install()
    assert (calls(), state()) == (1, "on")


def test_one_made_over_the_hook_and_the_original_put_in_its_place() -> None:
    sto.install()
    put(over(SGD.sgd))
    put(ORIGINAL)  # as a program does that kept it before install()
    assert calls() == 0
    sto.uninstall()  # nobody has to be told
    sto.install()
    assert calls() == 1


def test_layers_taken_off_in_another_order() -> None:
    first = over(ORIGINAL)
    put(first)
    sto.install()
    second = over(SGD.sgd)
    put(second)
    sto.uninstall()
    assert SGD.sgd is second
    put(ORIGINAL)
    sto.install()
    assert (calls(), state()) == (1, "on")
    put(second)
    with pytest.warns(RuntimeWarning, match="was replaced after"):
        sto.uninstall()
    assert SGD.sgd is second
    put(ORIGINAL)


def test_one_of_the_method_taken_back() -> None:
    sto.uninstall()
    method = over(GROUP)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.optim.SGD, "_init_group", method)
        sto.install()
        assert vars(torch.optim.SGD)["_init_group"] is method
        assert calls() == 1  # by the functional form
    sto.install()
    assert vars(torch.optim.SGD)["_init_group"] is not GROUP
    assert calls() == 1


def test_what_torch_has_compiled_for_the_program_is_the_programs() -> None:
    code = """
import importlib, torch
SGD = importlib.import_module("torch.optim.sgd")
SGD.sgd = compiled = torch.compile(SGD.sgd, backend="eager")
import kwker.torch_ops as sto
sto.install()
print([f.state for f in sto.features() if f.name == "optim.sgd"], SGD.sgd is compiled)
"""
    assert printed(code) == "['replaced by others'] True\n"


@pytest.mark.parametrize("kind", ["function", "class", "derived", "nothing"])
def test_something_else_in_the_place_of_a_class(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Its step is done otherwise; the others are Kwker's all the same."""
    real = torch.optim.SGD
    derived = type("Mine", (real,), {})
    others: dict[str, Any] = {
        "function": lambda *args, **kwargs: real(*args, **kwargs),
        "class": type("Other", (), {}),
        "derived": derived,
    }
    if kind == "nothing":
        monkeypatch.delattr(torch.optim, "SGD")
    else:
        monkeypatch.setattr(torch.optim, "SGD", others[kind])
    sto.install()
    assert {f.state for f in sto.features() if f.name.startswith("optim.")} == {"on"}
    sto.uninstall()
    assert "_init_group" not in vars(derived)


def test_explain_knows_that_the_function_is_somebody_elses() -> None:
    sto.install()
    parameter = torch.nn.Parameter(torch.ones(10))
    parameter.grad = torch.ones(10)
    hook = SGD.sgd
    put(lambda *args, **kwargs: None)
    (explained,) = sto.explain(torch.optim.SGD([parameter], lr=0.5))
    assert explained.reason == "torch's function was replaced by somebody else"
    put(hook)
    (explained,) = sto.explain(torch.optim.SGD([parameter], lr=0.5))
    assert explained.served


def test_the_layer_of_torch_compile_is_no_patch_of_the_programs() -> None:
    """It goes around what it finds when something is compiled for the first time."""
    code = """
import warnings, torch
import kwker.torch_ops as sto
sto.install()
torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
parameter = torch.nn.Parameter(torch.ones(10))
parameter.grad = torch.ones(10)
torch.optim.SGD([parameter], lr=0.5).step()
print(sto.stats()["optim.sgd"]["calls"])
warnings.simplefilter("error")
sto.uninstall()
inner = torch.optim.SGD._init_group._torchdynamo_orig_callable
print(type(inner).__name__, inner.__module__, parameter.tolist() == [0.5] * 10)
"""
    assert printed(code).splitlines() == ["1", "function torch.optim.sgd True"]


def test_help_and_identity() -> None:
    clip_grad = importlib.import_module("torch.nn.utils.clip_grad")
    functions = [torch.nn.Module.zero_grad, torch.nn.utils.get_total_norm]
    before = [pydoc.render_doc(function) for function in functions]
    with sto.installed(verify=False):
        hooks = [torch.nn.Module.zero_grad, torch.nn.utils.get_total_norm]
        assert hooks != functions
        assert [pydoc.render_doc(hook) for hook in hooks] == before
        assert torch.nn.utils.get_total_norm is clip_grad._get_total_norm

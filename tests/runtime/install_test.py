"""install(), uninstall(), installed(), enable(), disable(): what is where afterwards."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import kwker.torch_ops as sto
from processes import printed

ADAM = importlib.import_module("torch.optim.adam")
SGD = importlib.import_module("torch.optim.sgd")
ORIGINALS = {"adam": ADAM.adam, "sgd": SGD.sgd}
# Those of torch itself: the others wait for their libraries, see libraries_test.
EVERY = {feature.name for feature in sto.features() if feature.name.startswith("optim.")}


@pytest.fixture(autouse=True)
def nothing_installed() -> Iterator[None]:
    yield
    sto.uninstall()
    sto.reset_stats()
    assert ADAM.adam is ORIGINALS["adam"] and SGD.sgd is ORIGINALS["sgd"]


def on() -> set[str]:
    return {f.name for f in sto.features() if f.state == "on"}


def step(optimizer_class: Any, **options: Any) -> None:
    parameter = torch.nn.Parameter(torch.ones(10))
    parameter.grad = torch.ones(10)
    optimizer_class([parameter], **options).step()


def test_uninstall_puts_back_what_was_put_back_for_it() -> None:
    sto.install()
    hook = SGD.sgd
    setattr(SGD, "sgd", lambda *a, **k: hook(*a, **k))  # noqa: B010
    with pytest.warns(RuntimeWarning, match="was replaced after"):
        sto.uninstall()
    setattr(SGD, "sgd", hook)  # noqa: B010
    sto.uninstall()
    assert SGD.sgd is ORIGINALS["sgd"]


def test_no_trace_in_the_import_machinery() -> None:
    before = list(sys.meta_path)
    sto.uninstall()
    assert sys.meta_path == before
    sto.install()
    sto.uninstall()
    assert sys.meta_path == before


def test_the_very_objects_come_back() -> None:
    sto.install()
    assert ADAM.adam is not ORIGINALS["adam"] and SGD.sgd is not ORIGINALS["sgd"]
    sto.uninstall()
    assert ADAM.adam is ORIGINALS["adam"] and SGD.sgd is ORIGINALS["sgd"]


def test_twice_is_once() -> None:
    sto.install()
    hook = ADAM.adam
    sto.install()
    assert ADAM.adam is hook
    sto.uninstall()
    sto.uninstall()
    assert ADAM.adam is ORIGINALS["adam"]
    sto.install()
    assert ADAM.adam is hook


def test_features_and_groups_are_switched_on_their_own() -> None:
    sto.install(["optim.adamw"])
    assert on() == {"optim.adamw"}
    assert SGD.sgd is ORIGINALS["sgd"]
    step(torch.optim.Adam)
    step(torch.optim.AdamW)
    assert sto.stats()["optim.adam"]["calls"] == 0
    assert sto.stats()["optim.adam"]["fallbacks"] == {}
    assert sto.stats()["optim.adamw"]["calls"] == 1
    sto.install("optim", exclude=["optim.adamw"])
    assert on() == EVERY - {"optim.adamw"}
    sto.disable("optim.adam")
    assert on() == EVERY - {"optim.adam", "optim.adamw"}
    assert ADAM.adam is ORIGINALS["adam"]
    sto.enable("optim")
    assert on() == EVERY


def test_the_environment_leaves_features_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWKER_DISABLE", "optim.sgd, optim.adam")
    sto.install()
    assert on() == EVERY - {"optim.sgd", "optim.adam"}


@pytest.mark.parametrize("call", [sto.enable, sto.disable, sto.install, sto.installed])
def test_an_unknown_name_is_named_with_its_neighbour(call: Any) -> None:
    with pytest.raises(ValueError, match=r"no feature 'optim.adamw2'; did you mean 'optim.adamw'"):
        call("optim.adamw2")
    with pytest.raises(ValueError, match=r"no feature 'zzz'; there are: optim\.adam, "):
        call("zzz")


@pytest.mark.parametrize(
    ("name", "meant"), [("sgd", "optim.sgd"), ("AdamW", "optim.adamw"), ("optin", "optim")]
)
def test_a_part_alone_is_told_its_whole_name(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"^no feature '{name}'; did you mean '{meant}'\\?$"):
        sto.enable(name)


@pytest.mark.parametrize(
    ("call", "names", "kind"),
    [
        (sto.enable, 5, "int"),
        (sto.disable, None, "NoneType"),
        (sto.enable, ["optim.sgd"], "list"),
        (sto.install, 5, "int"),
        (sto.install, ["optim.sgd", 5], "int"),
        (sto.install, b"optim", "bytes"),
        (sto.installed, [b"optim"], "bytes"),
    ],
)
def test_what_is_no_name_is_refused(call: Any, names: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=f"^a feature's name must be a str, not {kind}$"):
        call(names)


@pytest.mark.parametrize(
    ("call", "names"), [(sto.install, [""]), (sto.install, " , "), (sto.enable, "")]
)
def test_blanks_name_no_feature(call: Any, names: Any) -> None:
    with pytest.raises(ValueError, match=r"^no feature is named$"):
        call(names)


def test_none_at_all_may_be_wanted() -> None:
    sto.install()
    sto.install([], exclude=[])
    assert on() == set()


def test_installed_restores_what_was() -> None:
    sto.install(["optim.sgd"])
    with sto.installed(["optim.adam"]):
        assert on() == {"optim.adam"}
        with sto.installed():
            assert on() == EVERY
        assert on() == {"optim.adam"}
    assert on() == {"optim.sgd"}

    @sto.installed(["optim.adamw"])
    def inner() -> set[str]:
        return on()

    assert inner() == inner() == {"optim.adamw"}
    assert on() == {"optim.sgd"}
    with pytest.raises(KeyError), sto.installed():
        raise KeyError
    assert on() == {"optim.sgd"}


def test_a_patch_made_before_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(*args: Any, **kwargs: Any) -> None:
        ORIGINALS["sgd"](*args, **kwargs)

    sto.install()
    sto.uninstall()
    monkeypatch.setattr(SGD, "sgd", mine)
    sto.install()
    assert SGD.sgd is mine
    states = {f.name: f.state for f in sto.features()}
    assert states["optim.sgd"] == "replaced by others" and states["optim.adam"] == "on"
    sto.uninstall()
    assert SGD.sgd is mine


def test_a_patch_made_after_is_left_alone_and_runs_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    sto.install()
    hook = SGD.sgd
    seen = []

    def mine(*args: Any, **kwargs: Any) -> None:
        seen.append(1)
        hook(*args, **kwargs)

    setattr(SGD, "sgd", mine)  # noqa: B010
    step(torch.optim.SGD)
    info = {f.name: f for f in sto.features()}["optim.sgd"]
    assert seen == [1] and info.calls == 1 and info.fallbacks == {}
    assert info.state == "on"
    assert info.detail == (
        "somebody else's function stands over torch.optim.sgd.sgd since install()"
    )
    with pytest.warns(RuntimeWarning, match=r"torch.optim.sgd.sgd was replaced after"):
        sto.uninstall()
    assert SGD.sgd is mine
    step(torch.optim.SGD)
    assert seen == [1, 1] and sto.stats()["optim.sgd"]["calls"] == 1
    setattr(SGD, "sgd", ORIGINALS["sgd"])  # noqa: B010


def test_what_a_user_put_in_before_goes_on_being_called(monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
import importlib, functools, torch
module = importlib.import_module("torch.optim.adam")
seen = []
original = getattr(module, {name!r})

@functools.wraps(original)
def mine(*args, **kwargs):
    seen.append(1)
    return original(*args, **kwargs)

setattr(module, {name!r}, mine)
import kwker.torch_ops as sto
sto.install()
parameter = torch.nn.Parameter(torch.ones(3))
parameter.grad = torch.ones(3)
torch.optim.AdamW([parameter]).step()
print(len(seen), sto.stats()["optim.adamw"]["state"], sto.stats()["optim.adamw"]["calls"])
sto.uninstall()
assert getattr(module, {name!r}) is mine
"""
    for name, expected in (
        ("adam", "1 replaced by others 0"),
        ("_single_tensor_adam", "1 replaced by others 0"),
        ("_default_to_fused_or_foreach", "1 replaced by others 0"),
    ):
        assert printed(code.format(name=name)) == f"{expected}\n", name


def test_a_replaced_loop_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    sto.install()
    seen = []
    loop = ADAM._single_tensor_adam

    def mine(*args: Any, **kwargs: Any) -> None:
        seen.append(1)
        loop(*args, **kwargs)

    monkeypatch.setattr(ADAM, "_single_tensor_adam", mine)
    step(torch.optim.Adam)
    assert seen == [1]
    assert sto.stats()["optim.adam"]["fallbacks"] == {
        "torch's function was replaced by somebody else": 1
    }


def test_nothing_is_warned_of_where_all_is_equal() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sto.install()
    # Those of libraries that are not imported wait, and say so.
    details = {f.detail for f in sto.features() if f.state == "on"}
    assert details == {"", "to be compared with torch at its first call"}
    assert all(s["calls"] == 0 for s in sto.stats().values())


def test_stats_count_calls_elements_and_reasons() -> None:
    sto.install()
    step(torch.optim.SGD)
    step(torch.optim.SGD, fused=True)
    stats = sto.stats()["optim.sgd"]
    assert (stats["calls"], stats["elements"]) == (1, 10)
    assert stats["seconds"] > 0
    assert stats["fallbacks"] == {
        "fused=True was asked for; without it a float32 step by Kwker is as fast or faster": 1
    }
    sto.reset_stats()
    assert sto.stats()["optim.sgd"]["fallbacks"] == {}


def test_a_wrong_call_raises_what_torch_raises() -> None:
    with pytest.raises(TypeError) as theirs:
        SGD.sgd([], [], [], no_such_argument=1)
    sto.install()
    with pytest.raises(TypeError) as ours:
        SGD.sgd([], [], [], no_such_argument=1)
    assert str(ours.value) == str(theirs.value)


def test_tracebacks_show_no_frame_of_ours() -> None:
    import traceback

    def failing() -> list[str]:
        parameter = torch.nn.Parameter(torch.ones(3))
        parameter.grad = torch.ones(3)
        optimizer = torch.optim.AdamW([parameter])
        optimizer.param_groups[0]["betas"] = (1.0, 0.999)  # makes the bias correction 0
        with pytest.raises(ZeroDivisionError) as raised:
            optimizer.step()
        return [frame.name for frame in traceback.extract_tb(raised.tb)]

    without = failing()
    sto.install()
    assert failing() == without

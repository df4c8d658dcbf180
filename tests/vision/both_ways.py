"""Runs something without and with Kwker and compares all that can be seen of the results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import PIL.Image
import torch
from torch import Tensor

from bits import Picture
from kwker import torch_ops


def _tensor(value: Tensor) -> tuple[object, ...]:
    seen = Picture.of(value)
    return seen.kind, value._is_view(), seen.bits.numpy().tobytes()


def picture(value: Any) -> object:
    """What there is to see of a result, to be compared with ==."""
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, PIL.Image.Image):
        raw = value.tobytes("raw", "RGBX") if value.mode == "RGB" else value.tobytes()
        return (type(value), value.mode, value.size, dict(value.info), value.readonly, raw)
    if isinstance(value, dict):
        return {key: picture(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value), [picture(item) for item in value]
    return value


def _outcome(scenario: Callable[[], Any]) -> object:
    try:
        return picture(scenario())
    except Exception as error:
        return type(error), str(error)


def served(feature: str) -> int:
    """How many calls that feature has served since the counters were reset."""
    return torch_ops.stats()[feature]["calls"]


def left(feature: str) -> dict[str, int]:
    """What it has left to torch since then, by reason."""
    return torch_ops.stats()[feature]["fallbacks"]


def assert_same(scenario: Callable[[], Any], feature: str, calls: int | None = None) -> None:
    """Runs it both ways: results, or errors in type and text, must be equal, and the random state.

    Args:
        scenario: makes its own inputs, from fixed seeds.
        feature: whose calls are counted.
        calls: how many it must have served, and no other be left to torch; 0: some left to torch,
            none served; None: whatever.
    """
    torch.manual_seed(3)
    expected, state = _outcome(scenario), torch.get_rng_state()
    with torch_ops.installed(["vision"], verify=False):
        torch_ops.reset_stats()
        torch.manual_seed(3)
        actual = _outcome(scenario)
        assert torch.equal(state, torch.get_rng_state()), "the random stream differs"
        done, reasons = served(feature), left(feature)
    assert expected == actual, f"results differ: {_short(expected)} != {_short(actual)}"
    if calls == 0:
        assert done == 0 and reasons, (done, reasons)
    elif calls is not None:
        assert done == calls and not reasons, (done, reasons)


def _short(value: object) -> str:
    return repr(value)[:300]

"""The self-check of averaged models: Kwker's update beside torch's, on this very machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import swa_utils
from torch.optim.swa_utils import AveragedModel

from kwker import _C, _self_check
from kwker._patch import Patch

_UPDATES = 3
# Around the widths of vectors; then what shares threads, and what torch's loop shares.
_SIZES = (1, 2, 15, 33, 70)
_SIZES_AT_LENGTH = (range(1, 34), (64,) * 50 + (1000, 7) * 20, (40_000, 17, 70_001))
_DECAYS_AT_LENGTH = (0.0, 0.3, 0.5, 0.9999, 1)


def _cases(decays: Sequence[float]) -> dict[str, dict[str, Any]]:
    """Arguments of AveragedModel, by a name for them."""
    cases: dict[str, dict[str, Any]] = {
        "defaults": {},
        "get_swa_multi_avg_fn": {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()},
    }
    for decay in decays:
        ema, multi = swa_utils.get_ema_avg_fn(decay), swa_utils.get_ema_multi_avg_fn(decay)
        cases[f"get_ema_avg_fn({decay})"] = {"avg_fn": ema}
        cases[f"get_ema_multi_avg_fn({decay})"] = {"multi_avg_fn": multi}
    return cases


def difference(patch: Patch, counters: _C.Counters) -> str:
    """Where the feature's results differ from torch's, "" if nowhere; some milliseconds."""

    def compare() -> str:
        outcomes = _outcomes(patch, counters, _cases([0.999]), _SIZES)
        return next(filter(None, outcomes), "")

    return _self_check.undisturbed(counters, compare)


def differences(patch: Patch, counters: _C.Counters) -> Iterator[str]:
    """The same at length, at the present number of threads: one text a case."""
    for sizes in _SIZES_AT_LENGTH:
        yield from _outcomes(patch, counters, _cases(_DECAYS_AT_LENGTH), sizes)


def _outcomes(
    patch: Patch, counters: _C.Counters, cases: dict[str, dict[str, Any]], sizes: Sequence[int]
) -> Iterator[str]:
    for dtype in (torch.float32, torch.float64):
        for name, case in cases.items():
            label = f"{str(dtype).removeprefix('torch.')} {name}"
            theirs, ours = (
                partial(_run, f, case, dtype, sizes) for f in (patch.original, patch.hook)
            )
            yield _self_check.outcome(label, counters, _UPDATES, theirs, ours)


def _run(
    update: Callable[..., None], case: dict[str, Any], dtype: torch.dtype, sizes: Sequence[int]
) -> dict[str, list[Tensor]]:
    """A few updates on fixed data."""
    generator = torch.Generator().manual_seed(1)

    def numbers(n: int, scale: float = 1.0) -> Tensor:
        return torch.randn(n, dtype=dtype, generator=generator, device="cpu") * scale

    model = nn.Module()
    for i, n in enumerate(sizes):
        model.register_parameter(f"p{i}", nn.Parameter(numbers(n, 10.0 ** (i % 9 - 4))))
    buffer = numbers(5)
    model.register_buffer("b", buffer)
    averaged = AveragedModel(model, **case)
    last = list(model.parameters())[-1]
    for _ in range(_UPDATES):
        update(averaged, model)
        for param in model.parameters():
            param.add_(numbers(len(param)))
        special = torch.tensor([0.0, -0.0, 1e-42, -1e-30, 1e30, float("inf")], dtype=dtype)
        last[: len(special)] = special[: len(last)]
        buffer += 1
    return {
        "average": list(averaged.parameters()),
        "buffer": [averaged.module.get_buffer("b")],
        "n_averaged": [averaged.n_averaged],
    }

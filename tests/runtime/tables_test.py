"""What print(stats()) and print(verify()) show."""

from __future__ import annotations

import json

import torch

from kwker.torch_ops import Stats, Verification, Verified, capability


def test_stats_say_under_each_feature_why_calls_went_to_torch() -> None:
    stats = Stats(
        {
            "optim.adamw": {
                "state": "on",
                "calls": 12_000,
                "fallbacks": {"sparse gradients": 2, "amsgrad=True": 1_500},
                "elements": 3_000_000,
                "seconds": 0.25,
            },
            "optim.sgd": {
                "state": "off by user",
                "calls": 0,
                "fallbacks": {},
                "elements": 0,
                "seconds": 0.0,
            },
        }
    )
    assert str(stats).splitlines() == [
        "feature      state        by Kwker  by torch   elements  seconds  why by torch",
        "optim.adamw  on             12,000     1,502  3,000,000    0.250",
        "                                       1,500                      amsgrad=True",
        "                                           2                      sparse gradients",
        "optim.sgd    off by user         0         0          0    0.000",
    ]
    assert isinstance(stats, dict) and json.loads(json.dumps(stats)) == stats


def test_stats_without_fallbacks_have_no_column_for_them() -> None:
    assert str(Stats()) == "feature  state  by Kwker  by torch  elements  seconds"


def test_verification_is_a_mapping_and_a_table() -> None:
    isa = capability()
    found = Verification(
        {
            "a.one": Verified("a.one", True, 1_234, (1, 2), isa, 0.5, ""),
            "a.other": Verified("a.other", False, 3, (1,), isa, 0.01, "x differs"),
        }
    )
    assert str(found).splitlines() == [
        f"torch {torch.__version__}, {isa}; compared by bits",
        "",
        "feature  outcome  cases  threads  seconds",
        "a.one    equal    1,234  1, 2        0.50",
        "a.other  differs      3  1           0.01  x differs",
    ]
    assert repr(found) == str(found)
    assert [*found] == ["a.one", "a.other"] and found["a.one"].equal and not found.equal

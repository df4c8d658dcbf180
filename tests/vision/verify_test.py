"""The self-checks at length of the vision features, with and without the features installed."""

from __future__ import annotations

import torch
import torchvision.transforms.v2  # noqa: F401  (with Pillow: what the features are of)

from kwker import torch_ops
from kwker.torch_ops import Verification

# At least, at each number of threads.
CASES = {
    "vision.color": 2000,
    "vision.resize": 700,
    "vision.to_dtype_normalize": 200,
    "vision.to_tensor": 100,
}


def _assert_equal(found: Verification) -> None:
    for name, cases in CASES.items():
        verified = found[name]
        assert verified.equal, verified.difference
        assert verified.threads == (1, 2)
        assert verified.cases > 2 * cases


def test_equal_in_many_cases() -> None:
    torch.set_num_threads(2)
    _assert_equal(torch_ops.verify())
    with torch_ops.installed(["vision"]):
        torch_ops.reset_stats()
        _assert_equal(torch_ops.verify())
        assert all(torch_ops.stats()[name]["calls"] == 0 for name in CASES)

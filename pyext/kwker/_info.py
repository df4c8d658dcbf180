"""What `kwker info` shows, as JSON on the last line of stdout."""

from __future__ import annotations

import json
from typing import Any


def describe() -> dict[str, Any]:
    """Installs the kernels, which checks them against torch on this machine, and tells of it."""
    import torch

    import kwker
    from kwker import _build, torch_ops

    torch_ops.install()
    features = [
        {"name": name, "state": counts["state"]} for name, counts in torch_ops.stats().items()
    ]
    failed = [feature["name"] for feature in features if "fail" in feature["state"]]
    return {
        "schema": "kwker.info/1",
        "kwker": kwker.__version__,
        "torch_release": _build.TORCH_RELEASE,
        "torch": {
            "version": str(torch.__version__),
            "capability": torch.backends.cpu.get_cpu_capability(),
            "threads": torch.get_num_threads(),
        },
        "self_check": "failed: " + ", ".join(failed) if failed else "passed",
        "features": features,
    }


def main() -> None:
    print("\n" + json.dumps(describe()))

"""Answers to the program's questions about this Python, as JSON on the last line of stdout."""

from __future__ import annotations

import json
from typing import Any


def describe(at_length: str = "") -> dict[str, Any]:
    """What `kwker info` shows. Installs the kernels, which compares them with torch here.

    Args:
        at_length: "at length" to compare at length.
    """
    import warnings

    import torch

    import kwker
    from kwker import _build, torch_ops

    found = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of differences: the answer names them
        torch_ops.install()
        if at_length:
            found = torch_ops.verify()
    features = torch_ops.features()
    differing = [f.name for f in features if f.state == "failed self-check"]
    return {
        "schema": "kwker.info/1",
        "kwker": kwker.__version__,
        "torch_release": _build.TORCH_RELEASE,
        "torch": {
            "version": str(torch.__version__),
            "capability": torch.backends.cpu.get_cpu_capability(),
            "threads": torch.get_num_threads(),
        },
        "self_check": f"failed: {', '.join(differing)}" if differing else "passed",
        "features": [feature._asdict() for feature in features],
        "verification": None
        if found is None
        else {
            "table": str(found),
            "features": [verified._asdict() for verified in found.values()],
        },
    }


def check_features(names: str) -> dict[str, Any]:
    """Whether features or groups of these names, a comma list, exist; "error" says which do not."""
    from kwker import _registry, torch_ops  # noqa: F401  (registers the features)

    try:
        found = _registry.resolve(names.split(","))
    except ValueError as error:
        return {"error": str(error)}
    return {"error": "" if found else "no feature is named"}


def answer(document: dict[str, Any]) -> None:
    """Prints it where the program looks for it, whatever else was printed before."""
    print("\n" + json.dumps(document))

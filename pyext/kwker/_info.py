"""Answers to the program's questions about this Python, as JSON on the last line of stdout."""

from __future__ import annotations

import json
from typing import Any


def describe(at_length: str = "") -> dict[str, Any]:
    """What `kwker info` shows. Installs the kernels, which compares them with torch here.

    Those that the environment asks for, as KWKER_INSTALL=1 would.

    Args:
        at_length: "at length" to compare at length.
    """
    import warnings

    import torch

    import kwker
    from kwker import _build, _environment, _switch, torch_ops

    found = None
    refused = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of differences: the answer names them
        try:
            torch_ops.install(_environment.named_features())
            _switch.check_now()
        except ValueError as error:
            refused = str(error)
        if at_length and not refused:
            found = torch_ops.verify()
    features = torch_ops.features()
    return {
        "schema": "kwker.info/1",
        "kwker": kwker.__version__,
        "torch_release": _build.TORCH_RELEASE,
        "torch": {
            "version": str(torch.__version__),
            "capability": torch.backends.cpu.get_cpu_capability(),
            "threads": torch.get_num_threads(),
        },
        "self_check": f"not run: {refused}" if refused else _self_check_outcome(),
        "features": [feature._asdict() for feature in features],
        "verification": None
        if found is None
        else {
            "table": str(found),
            "features": [verified._asdict() for verified in found.values()],
        },
    }


def _self_check_outcome() -> str:
    from kwker._registry import FEATURES

    differing = [name for name, feature in FEATURES.items() if feature.difference]
    if differing:
        return f"failed: {', '.join(differing)}"
    compared = any(feature.difference is not None for feature in FEATURES.values())
    return "passed" if compared else "not run"


def check_features(names: str) -> dict[str, Any]:
    """Whether features or groups of these names, a comma list, exist; "error" says which do not."""
    from kwker import _registry, torch_ops  # noqa: F401  (registers the features)

    try:
        _registry.resolve(names)
    except ValueError as error:
        return {"error": str(error)}
    return {"error": ""}


def answer(document: dict[str, Any]) -> None:
    """Prints it where the program looks for it, whatever else was printed before."""
    print("\n" + json.dumps(document))

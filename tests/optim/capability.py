"""The instruction set that torch was told to use, before torch is imported.

torch reads ATEN_CPU_CAPABILITY (default, avx2, avx512) once, at its start, and believes it: on a
CPU without those instructions it would die. So a suite is skipped where the CPU lacks them.
"""

from __future__ import annotations

import os
from pathlib import Path

_FLAGS = {
    "default": (),
    "avx2": ("avx2", "fma"),
    "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "fma"),
}


def asked() -> str | None:
    """The value of ATEN_CPU_CAPABILITY, None where torch may choose."""
    return os.environ.get("ATEN_CPU_CAPABILITY")


def missing() -> list[str]:
    """Instructions that the asked capability needs and this CPU lacks."""
    capability = asked()
    if capability is None:
        return []
    have: set[str] = set()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("flags"):
            have.update(line.split(":", 1)[1].split())
    return [flag for flag in _FLAGS[capability] if flag not in have]

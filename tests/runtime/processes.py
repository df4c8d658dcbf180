"""Programs in a process of their own, as a user's is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(program: str | Path, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs code, or a script's file, with these variables added to the environment."""
    words = [program] if isinstance(program, Path) else ["-c", program]
    return subprocess.run(
        [sys.executable, *words, *args],
        capture_output=True,
        text=True,
        env=os.environ | variables,
        timeout=240,
    )


def printed(program: str | Path, *args: str, **variables: str) -> str:
    """What it prints, where it ends well and says nothing on stderr."""
    done = run(program, *args, **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout

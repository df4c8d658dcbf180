"""Prints facts about the interpreter it runs in, as JSON, for repositories.bzl.

With the argument "torch" it prints facts about that interpreter's torch.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import sysconfig
from typing import Any


def python_facts() -> dict[str, Any]:
    var = sysconfig.get_config_var
    libpython = os.path.join(var("LIBDIR") or "", "libpython%s.so.1.0" % (var("LDVERSION") or ""))
    return {
        "executable": sys.executable,
        "implementation": platform.python_implementation(),
        "version": "{}.{}".format(*sys.version_info[:2]),
        "include": sysconfig.get_path("include"),
        "ext_suffix": var("EXT_SUFFIX"),
        # Not LDLIBRARY: it names the static archive on some installs that do
        # have a shared library (conda), and a shared one that may be missing
        # on others (Debian).
        "libpython": libpython if os.path.exists(libpython) else "",
    }


def torch_facts() -> dict[str, Any]:
    try:
        import torch
    except Exception as e:  # torch may be installed and yet fail to load
        return {"error": f"{type(e).__name__}: {e}"}
    root = os.path.dirname(torch.__file__)
    return {
        "error": "",
        "root": root,
        "version": torch.__version__,
        "revision": torch.version.git_version[:12],
        "cxx11_abi": int(torch._C._GLIBCXX_USE_CXX11_ABI),
        "libs": sorted(
            f
            for f in os.listdir(os.path.join(root, "lib"))
            if f
            in ("libc10.so", "libtorch.so", "libtorch_cpu.so", "libtorch_python.so", "libshm.so")
            or f.startswith("libgomp")
        ),
    }


print(json.dumps(torch_facts() if sys.argv[1:] == ["torch"] else python_facts()))

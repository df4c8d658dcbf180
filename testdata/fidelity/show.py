"""Prints what a script can see of how it was started."""

import json
import locale
import os
import signal
import sys
import threading

# What the program sets on purpose, for the kernels to reach worker processes.
OURS = {"KWKER_INSTALL", "KWKER_FEATURES", "KWKER_WORKER_COUNTS", "PYTHONHASHSEED", "KWKER_PYTHON"}

print(
    json.dumps(
        {
            "argv": sys.argv,
            "name": __name__,
            "file": globals().get("__file__"),
            "spec": getattr(__spec__, "name", None),
            "package": __package__,
            "loader": getattr(__loader__, "__name__", type(__loader__).__name__),
            "cached": globals().get("__cached__"),
            "builtins": type(__builtins__).__name__,
            "globals": sorted(n for n in globals() if n.startswith("__")),
            "doc": __doc__,
            "executable": sys.executable,
            "prefix": [sys.prefix, sys.base_prefix, sys.exec_prefix],
            "path": sys.path,
            "flags": repr(sys.flags),
            "torch": "torch" in sys.modules,
            "numpy": "numpy" in sys.modules,
            "main_is_me": vars(sys.modules["__main__"]) is globals(),
            "environ": {k: v for k, v in sorted(os.environ.items()) if k not in OURS},
            "cwd": os.getcwd(),
            "encodings": [sys.stdout.encoding, sys.stderr.encoding, sys.getfilesystemencoding()],
            "errors": [sys.stdout.errors, sys.stderr.errors],
            "buffering": [sys.stdout.line_buffering, sys.stderr.line_buffering],
            "isatty": [sys.stdout.isatty(), sys.stderr.isatty()],
            "locale": locale.setlocale(locale.LC_CTYPE),
            "threads": threading.active_count(),
            "recursion": sys.getrecursionlimit(),
            "excepthook": sys.excepthook is sys.__excepthook__,
            "handlers": {
                s.name: repr(signal.getsignal(s))
                for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
            },
            "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        },
        indent=1,
        sort_keys=True,
    )
)

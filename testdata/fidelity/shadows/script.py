"""Imports modules beside it that are named like the standard library's, and others again."""

import contextlib
import enum
import hashlib
import json
import pickle
import random
import re
import resource
import signal
import struct
import subprocess
import threading
import warnings

for module in (json, resource, hashlib):
    print(module.__name__, getattr(module, "WHO", "Python's"))
print(
    enum.Enum("Color", "RED")["RED"], struct.calcsize("d"), signal.SIGINT, random.Random(1).random()
)
print(pickle.loads(pickle.dumps(re.compile("a+"))).match("aa"))
with contextlib.suppress(ZeroDivisionError), warnings.catch_warnings():
    warnings.simplefilter("error")
    print(1 / 0)
print(subprocess.run(["true"]).returncode)
threading.Timer(0.1, print, ["Python waits for threads"]).start()

"""Says that it waits, and waits to be interrupted; with "cleanup" it takes that in good order."""

import atexit
import os
import sys
import time

atexit.register(print, "atexit", flush=True)
try:
    # Two lines for tests that look from outside.
    print("waiting", flush=True)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n")
    time.sleep(60)
except KeyboardInterrupt:
    if sys.argv[1] != "cleanup":
        raise
    print("interrupted", flush=True)
    sys.exit(5)

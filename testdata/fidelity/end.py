"""Ends in the way named by its argument."""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

atexit.register(print, "atexit", flush=True)


def fail() -> None:
    raise ValueError("failed on purpose")


def chain() -> None:
    try:
        fail()
    except ValueError as error:
        raise RuntimeError("and again") from error


def group() -> None:
    raise ExceptionGroup("several", [ValueError(1), KeyError("two")])


def own_hook() -> None:
    def hook(kind: type, error: BaseException, trace: object) -> None:
        print("hook", kind.__name__, error, trace is not None, flush=True)

    sys.excepthook = hook
    fail()


def in_thread() -> None:
    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join()


def late_thread() -> None:
    """Python waits for it, before the atexit functions."""
    threading.Thread(target=lambda: (time.sleep(0.2), print("thread done", flush=True))).start()


def in_atexit() -> None:
    atexit.register(fail)


def exit_in_atexit() -> None:
    atexit.register(lambda: sys.exit(9))


def fork() -> None:
    pid = os.fork()
    if pid == 0:
        sys.exit(4)
    print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def deep() -> None:
    def down(n: int) -> int:
        return down(n + 1) + 1

    down(0)


def syntax() -> None:
    compile("1 +", "inner.py", "exec")


def run_other() -> None:
    done = subprocess.run([sys.executable, "-c", "print('other'); raise SystemExit(6)"])
    sys.exit(done.returncode)


def stdin() -> None:
    print(repr(sys.stdin.read()))


def close_stdout() -> None:
    print("before", flush=True)
    os.close(1)
    print("after")


def encodings() -> None:
    print("ü ∑ 🙂")
    sys.stderr.write("\udcff\n")


def unraisable() -> None:
    class Noisy:
        def __del__(self) -> None:
            fail()

    Noisy()


WAYS = {
    "ok": lambda: None,
    "exit0": lambda: sys.exit(0),
    "exit7": lambda: sys.exit(7),
    "exit256": lambda: sys.exit(256),
    "exit-1": lambda: sys.exit(-1),
    "exit_none": lambda: sys.exit(None),
    "message": lambda: sys.exit("a last word"),
    "system_exit": lambda: exec("raise SystemExit((1, 2))"),
    "fail": fail,
    "chain": chain,
    "group": group,
    "own_hook": own_hook,
    "in_thread": in_thread,
    "late_thread": late_thread,
    "in_atexit": in_atexit,
    "exit_in_atexit": exit_in_atexit,
    "fork": fork,
    "deep": deep,
    "syntax": syntax,
    "run_other": run_other,
    "warn": lambda: warnings.warn("careful", stacklevel=1),
    "stdin": stdin,
    "close_stdout": close_stdout,
    "encodings": encodings,
    "unraisable": unraisable,
    "interrupt": lambda: exec("raise KeyboardInterrupt"),
    "hard": lambda: os._exit(9),
    "abort": os.abort,
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "term": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "int": lambda: (os.kill(os.getpid(), signal.SIGINT), time.sleep(5)),
    "exec": lambda: os.execv("/bin/echo", ["echo", "replaced"]),
}

if __name__ == "__main__":
    WAYS[sys.argv[1]]()

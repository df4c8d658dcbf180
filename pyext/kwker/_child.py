"""What a process of `kwker audit` or `kwker run` does before and after the user's script.

The program embeds Python, calls `begin` or `begin_run`, and lets Python run the script as it always
would. Where there is no libpython to embed, it runs `python -m kwker._child REQUEST.json` instead.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import resource
import sys
import time
from types import ModuleType
from typing import Any, NamedTuple

from kwker import _import_hook, _startup, audit
from kwker._record import Recorder
from kwker._record_digest import Output

PROTOCOL = 1


class Clocks(NamedTuple):
    """Wall time and the CPU time of this process and its waited-for children, in seconds."""

    wall_s: float
    cpu_user_s: float
    cpu_sys_s: float

    @classmethod
    def read(cls) -> Clocks:
        own = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls(
            time.perf_counter(),
            own.ru_utime + children.ru_utime,
            own.ru_stime + children.ru_stime,
        )


def begin_run() -> None:
    """Before a script under `kwker run`: the kernels, where the environment asks for them."""
    # The wheel's .pth file has done so already, unless the package is used from elsewhere.
    _startup.install_if_asked()


def begin(request_path: str) -> None:
    """Before a script under audit. Leaves sys.argv, sys.path and __main__ to Python.

    Reads REQUEST.json, and sees to it that RESULT.json is written when the script has ended; both
    are described in audit/protocol.h. The clocks start when this returns.
    """
    begin_run()
    with open(request_path, encoding="utf-8") as file:
        request = json.load(file)
    if request["seed"] is not None:
        _seed(request["seed"])
    recorder = Recorder() if request["record"] else None
    if recorder is not None:
        audit._recorder = recorder
        _import_hook.when_imported("torch", recorder.watch)
    run = _Run(request, recorder)
    # The first to be registered runs last, after all of the script's own.
    atexit.register(run.end)
    run.start = Clocks.read()


def _seed(seed: int) -> None:
    random.seed(seed)

    def seed_numpy(numpy: ModuleType) -> None:
        numpy.random.seed(seed % 2**32)

    def seed_torch(torch: ModuleType) -> None:
        torch.manual_seed(seed)

    _import_hook.when_imported("numpy", seed_numpy)
    _import_hook.when_imported("torch", seed_torch)


class _Run:
    def __init__(self, request: dict[str, Any], recorder: Recorder | None) -> None:
        self.start = Clocks(0, 0, 0)
        self._request = request
        self._recorder = recorder
        self._pid = os.getpid()

    def end(self) -> None:
        end = Clocks.read()
        if os.getpid() != self._pid:  # a fork of the script's that ends as Python ends
            return
        warnings: list[str] = []
        outputs: list[Output] = []
        wall, user = 0.0, 0.0
        if self._recorder is not None:
            # Before finish(), which is outside of the span.
            wall, user = self._recorder.overhead_wall_s, self._recorder.overhead_cpu_s
            try:
                outputs = self._recorder.finish(vars(sys.modules["__main__"]))
            except Exception as error:
                warnings.append(f"the outputs could not be collected ({type(error).__name__})")
            warnings += self._recorder.warnings
        features = _features()
        if not self._request["install"] and any(f["state"] == "on" for f in features):
            warnings.append("the script installs Kwker itself, so runs without it had it too")
        result = {
            "protocol": PROTOCOL,
            "script": {
                "wall_s": max(0.0, end.wall_s - self.start.wall_s - wall),
                "cpu_user_s": max(0.0, end.cpu_user_s - self.start.cpu_user_s - user),
                "cpu_sys_s": max(0.0, end.cpu_sys_s - self.start.cpu_sys_s),
                "overhead_s": wall,
                "install_s": _startup.install_seconds(),
                "digest_s": time.perf_counter() - end.wall_s,
            },
            "torch": _torch(),
            "features": features,
            "outputs": [output._asdict() for output in outputs],
            "warnings": warnings,
        }
        _write_json(self._request["result"], result)


def _torch() -> dict[str, Any] | None:
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "get_num_threads"):  # or its import failed half-way
        return None
    return {
        "version": str(torch.__version__),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
    }


def _features() -> list[dict[str, Any]]:
    torch_ops = sys.modules.get("kwker.torch_ops")
    if torch_ops is None:
        return []
    return [
        {
            "name": name,
            "state": counts["state"],
            "calls": counts["calls"],
            "fallbacks": dict(counts["fallbacks"]),
        }
        for name, counts in torch_ops.stats().items()
    ]


def _write_json(path: str, document: dict[str, Any]) -> None:
    """Beside it, then renamed: the program never reads half a document."""
    beside = path + ".part"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(document, file)
        os.replace(beside, path)
    except OSError as error:
        # Seen in the report as a run without a result, with this as its last line.
        sys.stderr.write(f"kwker: cannot write {path}: {error.strerror}\n")


if __name__ == "__main__":
    from kwker import _child, _child_script

    with open(sys.argv[1], encoding="utf-8") as request_file:
        _command = json.load(request_file)["command"]
    # The module of that name, not this copy of it under the name __main__.
    _child.begin(sys.argv[1])
    _child_script.run_as_main(_command)

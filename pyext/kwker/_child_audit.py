"""One run of an audit, from within Python: the recorder, the clocks, RESULT.json.

REQUEST.json and RESULT.json are described in audit/protocol.h.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import sys
import time
from collections import Counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from kwker import _import_hook, _startup, _worker_counts, audit
from kwker._record import Recorder
from kwker._record_digest import Output

if TYPE_CHECKING:
    from kwker._record_keep import Keeper

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


def read_request(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        request: dict[str, Any] = json.load(file)
    return request


def prepare(request: dict[str, Any]) -> Run:
    """Sees to it that RESULT.json is written when the script has ended; the clocks do not run."""
    if request["seed"] is not None:
        _seed(request["seed"])
    recorder = Recorder(_keeper(request.get("keep"))) if request["record"] else None
    if recorder is not None:
        audit._recorder = recorder
        _import_hook.when_imported("torch", recorder.watch)
    if request["install"]:
        _worker_counts.collect(_folder_of_workers(request))
    run = Run(request, recorder)
    # The first to be registered runs last, after all of the script's own.
    atexit.register(run.end)
    return run


def _keeper(keep: dict[str, str] | None) -> Keeper | None:
    if keep is None:
        return None
    from kwker._record_keep import Keeper

    return Keeper(keep["name"], keep["file"])


def _seed(seed: int) -> None:
    def seed_random(random: ModuleType) -> None:
        # A module of that name may be the script's own.
        if isinstance(getattr(random, "_inst", None), getattr(random, "Random", ())):
            random.seed(seed)

    # When it is imported: not here, for the reason that kwker._child_shadows gives.
    _import_hook.when_imported("random", seed_random)

    def seed_numpy(numpy: ModuleType) -> None:
        numpy.random.seed(seed % 2**32)

    def seed_torch(torch: ModuleType) -> None:
        torch.manual_seed(seed)

    _import_hook.when_imported("numpy", seed_numpy)
    _import_hook.when_imported("torch", seed_torch)


class Run:
    def __init__(self, request: dict[str, Any], recorder: Recorder | None) -> None:
        self._start = Clocks(0, 0, 0)
        self._request = request
        self._recorder = recorder
        self._pid = os.getpid()

    def start(self) -> None:
        """From here on the script is measured."""
        self._start = Clocks.read()

    def end(self) -> None:
        end = Clocks.read()
        if os.getpid() != self._pid:  # a fork of the script's that ends as Python ends
            return
        warnings: list[str] = []
        incomplete: list[str] = []
        outputs: list[Output] = []
        wall, user = 0.0, 0.0
        if self._recorder is not None:
            # Before finish(), which is outside of the span.
            wall, user = self._recorder.overhead_wall_s, self._recorder.overhead_cpu_s
            try:
                outputs = self._recorder.finish(vars(sys.modules["__main__"]))
            except Exception as error:
                incomplete.append(f"the outputs could not be collected ({type(error).__name__})")
            incomplete += self._recorder.incomplete
        features = _features(self._request)
        if not self._request["install"] and any(f["state"] == "on" for f in features):
            warnings.append("the script installs Kwker itself, so runs without it had it too")
        result = {
            "protocol": PROTOCOL,
            "script": {
                "wall_s": max(0.0, end.wall_s - self._start.wall_s - wall),
                "cpu_user_s": max(0.0, end.cpu_user_s - self._start.cpu_user_s - user),
                "cpu_sys_s": max(0.0, end.cpu_sys_s - self._start.cpu_sys_s),
                "overhead_s": wall,
                "install_s": _startup.install_seconds(),
                "digest_s": time.perf_counter() - end.wall_s,
            },
            "torch": _torch(),
            "features": features,
            "outputs": [output._asdict() for output in outputs],
            "warnings": warnings,
            "incomplete": incomplete,
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


def _features(request: dict[str, Any]) -> list[dict[str, Any]]:
    torch_ops = sys.modules.get("kwker.torch_ops")
    if torch_ops is None:
        return []
    by_workers = _worker_counts.added_up(_folder_of_workers(request))
    features = []
    for name, counts in torch_ops.stats().items():
        calls, reasons = by_workers.get(name, (0, {}))
        fallbacks = Counter(counts["fallbacks"]) + Counter(reasons)
        features.append(
            {
                "name": name,
                "state": counts["state"],
                "calls": counts["calls"] + calls,
                "fallbacks": dict(fallbacks),
            }
        )
    return features


def _folder_of_workers(request: dict[str, Any]) -> str:
    return f"{request['result']}.workers"


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

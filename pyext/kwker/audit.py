"""For scripts that want something of theirs compared when `kwker audit` runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kwker._record import Recorder

_recorder: Recorder | None = None  # set by kwker._child in a run of an audit


def record(name: str, value: object) -> None:
    """Adds `value` to the outputs that an audit compares between its runs.

    `value` is a tensor, a NumPy array or scalar, a number, text, bytes, None, or a container or
    object that holds such. Its bits at the time of the call count. A name may be used again and
    again: the values are compared in order, as `name[0]`, `name[1]`, ... Where nothing of the kind
    is found in a value, the audit says so and does not call the runs equal.

    Outside an audit it does nothing.
    """
    if _recorder is not None:
        _recorder.record(name, value)

"""The parameters and the state of an optimizer, under names that repeat from run to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def parts_of_optimizer(name: str, attributes: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Parameter groups as they are; state by the parameters' index, as state_dict() counts them.

    `attributes` is the optimizer's `__dict__`.
    """
    groups = attributes.get("param_groups")
    state = attributes.get("state")
    index: dict[int, int] = {}
    if isinstance(groups, list):
        for group in groups:
            params = group.get("params") if isinstance(group, dict) else None
            for param in params if isinstance(params, list) else []:
                index.setdefault(id(param), len(index))
        for i, group in enumerate(groups):
            yield f"{name}.param_groups[{i}]", _Attributes(group)
    if isinstance(state, dict):
        entries = [
            (index.get(id(key), len(index) + i), key, item)
            for i, (key, item) in enumerate(dict.items(state))
        ]
        for i, key, item in sorted(entries, key=lambda entry: entry[0]):
            label = str(i) if id(key) in index else key_name(key, i)
            yield f"{name}.state[{label}]", _Attributes(item)


class _Attributes:
    """A parameter group, or the state of a parameter: a dict whose keys read as attributes."""

    def __init__(self, entries: object) -> None:
        if isinstance(entries, dict):
            vars(self).update((text_of(k), v) for k, v in dict.items(entries))
        else:
            vars(self)["value"] = entries


def key_name(key: object, position: int) -> str:
    """A dict's key if it reads the same in each run, else its position."""
    if key is None or type(key) in (str, bytes, int, float, bool):
        return repr(key)
    if type(key) is tuple:
        return "(" + ", ".join(key_name(k, position) for k in key) + ")"
    return f"#{position}"


def text_of(key: object) -> str:
    """A key as it stands where attributes' names do."""
    return key if type(key) is str else key_name(key, 0)

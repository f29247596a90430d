"""Dataclasses as JSON and back, by the types of their fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from planner.files.whole_files import write_whole

_hints = cache(get_type_hints)


def from_json(kind: Any, content: Any) -> Any:
    """What `asdict` and JSON have made of a value of this type, as it was."""
    if isinstance(kind, type) and is_dataclass(kind):
        types = _hints(kind)
        return kind(**{name: from_json(types[name], part) for name, part in content.items()})
    outer, inner = get_origin(kind), get_args(kind)
    if outer is list:
        return [from_json(inner[0], part) for part in content]
    if outer is tuple and inner[-1] is ...:
        return tuple(from_json(inner[0], part) for part in content)
    if outer is tuple:
        return tuple(map(from_json, inner, content))
    if outer in (dict, Mapping):
        return {name: from_json(inner[1], part) for name, part in content.items()}
    if NoneType in inner and content is not None:
        return from_json(inner[0], content)
    return content


def write_record(record: Any, file: Path) -> None:
    """Write a dataclass as JSON."""
    write_whole(file, json.dumps(asdict(record)).encode())


def read_record(kind: Any, file: Path) -> Any:
    """The dataclass that `write_record` wrote."""
    return from_json(kind, json.loads(file.read_text()))

"""A path: the name of a number in a workload, such as `streams.S1.rate`, and how to change it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from planner.workload.workload import Workload

Change = Callable[[float], Workload]

_SEGMENT = re.compile(r'"([^"]*)"|([^."]+)')


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a workload: `change(value)` is the workload with the value there.

    `value` is what is there now: of several places, of the first; None where nothing is declared,
    which is called `absent` then, and `usual` is a value to begin with. `most` is the largest value
    that makes sense.
    """

    text: str
    integer: bool
    change: Change
    value: float | None = None
    most: float = math.inf
    usual: float | None = None
    absent: str = ""


class Reader(Protocol):
    """Finds the path of a text in a workload; None where it names something else."""

    def __call__(self, workload: Workload, text: str, segments: list[str]) -> Path | None:
        """The path, if this reader knows it."""


Lister = Callable[[Workload], Iterator[str]]


def segments_of(text: str) -> list[str]:
    """The names between dots; one that holds a dot itself is written in double quotes."""
    return [
        quoted if quoted is not None else plain
        for quoted, plain in (match.groups() for match in _SEGMENT.finditer(text))
    ]


def quoted(name: str) -> str:
    """A name as a path has it: in quotes where it would be taken apart otherwise."""
    return f'"{name}"' if set(name) & set(".,") else name

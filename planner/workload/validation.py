"""Checks that every value passes when it is made, and the limits they hold it to."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import field
from difflib import get_close_matches
from typing import Any

from planner.errors import PlanError
from planner.numbers import in_words

MAX_STREAMS = 20
MAX_QUERIES = 1000
MAX_NAME = 200
MAX_DISTINCT = 10_000_000
MAX_BUCKETS = 1_000_000
MAX_RATE = 1e9
MAX_SECONDS = 1e10
MAX_ROWS = 1_000_000_000


def later(default: Any) -> Any:
    """A field that was added later: at its default a workload keeps the digest it had before."""
    return field(default=default, metadata={"later": True})


def microseconds(seconds: float) -> int:
    """Seconds of stream time as the integer that every window test uses."""
    return round(seconds * 1_000_000)


def number(value: float, place: str, above: float = 0.0, most: float = math.inf) -> float:
    """The value if it is a finite number above `above` and at most `most`; else a PlanError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PlanError(f"must be a number, got {value!r}", place)
    if not math.isfinite(value) or value <= above:
        raise PlanError(f"must be above {above:g}, got {exact(value)}", place)
    if value > most:
        raise PlanError(f"must be at most {in_words(most)}, got {in_words(value)}", place)
    return value


def not_negative(value: float, place: str, most: float = math.inf) -> float:
    """The value if it is a finite number from 0 to `most`; else a PlanError."""
    if not isinstance(value, bool) and value == 0:
        return value
    if isinstance(value, int | float) and value < 0:
        raise PlanError(f"must be 0 or above, got {exact(value)}", place)
    return number(value, place, most=most)


def share(value: float, place: str) -> float:
    """The value if it is a number from 0 to 1; else a PlanError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise PlanError(f"must be from 0 to 1, got {value!r}", place)
    return value


def exact(value: float) -> str:
    """A number as the shortest text that reads back as the same number.

    >>> exact(100.0), exact(0.1), exact(10**15 + 1)
    ('100', '0.1', '1000000000000001')
    """
    if isinstance(value, int):
        return str(value)
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else repr(float(value))


def whole(value: int, place: str, most: int = MAX_ROWS, least: int = 1) -> int:
    """The value if it is a whole number in range; else a PlanError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise PlanError(f"must be a whole number, got {value!r}", place)
    if not least <= value <= most:
        raise PlanError(
            f"must be from {in_words(least)} to {in_words(most)}, got {in_words(value)}", place
        )
    return value


def name_of(value: str, place: str) -> str:
    """The value if it can name a stream, an attribute or a query; else a PlanError."""
    if not isinstance(value, str) or not value.strip():
        raise PlanError("must be a name, got nothing", place)
    if len(value) > MAX_NAME:
        raise PlanError(f"is {len(value)} characters long; at most {MAX_NAME}", place)
    if any(ord(c) < 32 or c == "\x7f" for c in value):
        raise PlanError("contains a control character; use printable characters", place)
    return value


def unique(names: Iterable[str], place: str) -> None:
    """Raise a PlanError naming the first name that stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PlanError(f"the name {name!r} occurs twice; use each name once", place)
        seen.add(name)


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names for a message: `a, b, c and 5 more`."""
    every = list(names)
    shown = ", ".join(every[:most]) or "none"
    return f"{shown} and {len(every) - most} more" if len(every) > most else shown


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the one that was meant, or all there are."""
    names = list(known)
    close = get_close_matches(name[:MAX_NAME], names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {listed(names)}"

"""The text of a first query: one join of all sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planner.files.query.text import quoted_name
from planner.workload.validation import exact

_UNITS = ((86_400, "DAYS"), (3600, "HOURS"), (60, "MINUTES"), (1, "SECONDS"))


class Joined(NamedTuple):
    """A source of a join: its name, and its window in seconds; a relation has none."""

    name: str
    window: float | None


def join_text(sources: Sequence[Joined], predicates: Sequence[tuple[str, str, str, str]]) -> str:
    """The text of a join; a predicate is a source and its column, and another source and column.

    >>> print(join_text([Joined("a", 60), Joined("b", 5)], [("a", "k", "b", "id")]))
    SELECT *
    FROM a [RANGE 1 MINUTE], b [RANGE 5 SECONDS]
    WHERE a.k = b.id
    """
    listed_sources = ", ".join(
        quoted_name(s.name) + ("" if s.window is None else f" [RANGE {_length(s.window)}]")
        for s in sources
    )
    conditions = [
        f"{quoted_name(a)}.{quoted_name(i)} = {quoted_name(b)}.{quoted_name(j)}"
        for a, i, b, j in predicates
    ]
    where = "\nWHERE " + "\n  AND ".join(conditions) if conditions else ""
    return f"SELECT *\nFROM {listed_sources}{where}"


def _length(seconds: float) -> str:
    """A length of time in the largest unit that has no fraction."""
    for size, unit in _UNITS:
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count} {unit if count > 1 else unit[:-1]}"
    return f"{exact(seconds * 1000)} MS"

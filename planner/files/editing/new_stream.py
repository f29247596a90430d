"""One more stream for a workload that is being edited, and the join that reads all streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from planner.errors import PlanError
from planner.files.query.first_join import Joined, join_text
from planner.workload.streams import Attribute
from planner.workload.validation import MAX_RATE, name_of, number, unique

# Seconds.
FIRST_WINDOW = 60.0


def with_stream(
    content: Mapping[str, Any], name: str, rate: float, key: str, distinct: int
) -> dict[str, Any]:
    """The content of a workload file with one more stream.

    While its only query is the first join of all streams, or there is none, the query follows.
    """
    for field, message in mistakes(content, name, rate, key, distinct).items():
        raise PlanError(message, field)
    streams = list(content.get("streams", []))
    added = {"name": name, "rate": rate, "attributes": {key: {"distinct": distinct}}}
    queries = list(content.get("queries", []))
    texts = [str(query.get("text", "")).strip() for query in queries]
    if not texts or texts == [first_join(streams)]:
        known = queries[0] if queries else {"name": "Q1"}
        text = first_join([*streams, added])
        queries = [{**known, "text": text}] if text else []
    return {**content, "streams": [*streams, added], "queries": queries}


def mistakes(
    content: Mapping[str, Any], name: str, rate: float, key: str, distinct: int
) -> dict[str, str]:
    """What is wrong with the name, the rate, the key and its number of values: all at once."""
    parts = (*content.get("streams", []), *content.get("relations", []))
    names = [str(part.get("name")) for part in parts]
    checks: dict[str, Callable[[], object]] = {
        "name": lambda: unique([*names, name_of(name, "")], ""),
        "rate": lambda: number(rate, "", most=MAX_RATE),
        "key": lambda: name_of(key, ""),
        "distinct": lambda: Attribute(distinct),
    }
    found = {}
    for field, check in checks.items():
        try:
            check()
        except PlanError as error:
            found[field] = error.message
    return found


def first_join(streams: list[dict[str, Any]]) -> str:
    """The text of a join of all streams, each on its first attribute; empty for fewer than two."""
    keyed = [(str(s.get("name")), next(iter(s.get("attributes") or {}), None)) for s in streams]
    if len(keyed) < 2 or any(key is None for _, key in keyed):
        return ""
    predicates = [(a, str(i), b, str(j)) for (a, i), (b, j) in pairwise(keyed)]
    return join_text([Joined(name, FIRST_WINDOW) for name, _ in keyed], predicates)

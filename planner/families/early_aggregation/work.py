"""The operations of a plan by kind of work: what makes up the score that plans are ranked by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planner.cost import Cost

FILTERS = "Filters"
INSERTS = "Inserts"
PROBES = "Probes"
EXTREMA = "Extrema found anew"
EARLY = "Updates of sets"
LATE = "Updates of the answer"
KINDS = (PROBES, EXTREMA, EARLY, LATE, INSERTS, FILTERS)

_COMPARING = {"probe": PROBES, "filter": FILTERS}


def parts(kind: str, cost: Cost) -> Iterator[tuple[str, float]]:
    """What an operator of this kind adds to its plan's operations, by kind of work."""
    if cost.comparisons:
        # Aggregations compare only to find the next MIN or MAX when one has left.
        yield _COMPARING.get(kind, EXTREMA), cost.comparisons
    if cost.inserts:
        yield INSERTS, cost.inserts
    if cost.group_updates:
        yield (EARLY if kind == "aggregate" else LATE), cost.group_updates


def by_kind(work: Iterable[tuple[str, Cost]]) -> dict[str, float]:
    """Operations per second of a plan, in the order of KINDS; kinds that it has none of are out."""
    found: dict[str, float] = {}
    for operator_kind, cost in work:
        for kind, value in parts(operator_kind, cost):
            found[kind] = found.get(kind, 0.0) + value
    return {kind: found[kind] for kind in KINDS if kind in found}

"""The comparisons of a plan by kind of work: what makes up the score that plans are ranked by."""

from __future__ import annotations

from collections.abc import Iterable

from planner.cost import Cost

FILTER = "Filter"
PURGE = "Purge"
PROBE = "Probe"
ROUTE = "Route"
SELECT = "Select"
UNION = "Union"
OVERHEAD = "Overhead of slices (c_sys)"
KINDS = (PROBE, PURGE, ROUTE, SELECT, UNION, FILTER, OVERHEAD)

_KIND_OF = {
    "filter": FILTER,
    "survive": FILTER,
    "split": FILTER,
    "slice": PURGE,
    "probe": PROBE,
    "route": ROUTE,
    "select": SELECT,
    "union": UNION,
}


def kind_of(operator_kind: str) -> str | None:
    """What the comparisons of such an operator are made for; None where it makes none."""
    return _KIND_OF.get(operator_kind)


def by_kind(work: Iterable[tuple[str, Cost]], overhead: float = 0.0) -> dict[str, float]:
    """Comparisons per second of a plan, in the order of KINDS; kinds that it has none of are out.

    >>> by_kind([("slice", Cost(4.0)), ("probe", Cost(9.0)), ("slice", Cost(2.0))])
    {'Probe': 9.0, 'Purge': 6.0}
    """
    found = {OVERHEAD: overhead}
    for operator_kind, cost in work:
        kind = kind_of(operator_kind)
        if kind is not None:
            found[kind] = found.get(kind, 0.0) + cost.comparisons
    return {kind: found[kind] for kind in KINDS if found.get(kind)}

"""How often the cells of an aggregation set match tuples that probe it, as the tuples have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import Table
from planner.plan.plan import Operator
from planner.statistics.distributions import counted_distribution
from planner.workload.query import Column, Query, TimeWindow
from planner.workload.validation import microseconds
from runtime.diagnosis.arrival_overlap import Span
from runtime.diagnosis.key_matches import column_of

# The set is looked at so often.
_LOOKS = 16


def set_share(
    query: Query, tables: Mapping[str, Table], joined: Sequence[str], held: Operator, span: Span
) -> float | None:
    """The share of pairs of a tuple of `joined` and a cell of this set that have equal keys.

    None where the window is not a sliding one, or not one attribute links them.
    """
    alias = str(held.param("source"))
    source = query.source(alias)
    links = [columns for columns in query.equality_classes() if _is_link(columns, alias, joined)]
    if not isinstance(source.window, TimeWindow) or len(links) != 1:
        return None
    key = next(column for column in sorted(links[0]) if column.alias == alias)
    probing = next(column for column in sorted(links[0]) if column.alias in joined)
    chances = _chances(query, tables, key, probing)
    if chances is None:
        return None
    attributes = [name.rpartition(".")[2] for name in str(held.param("group")).split(", ")]
    table = tables[source.name]
    codes = [np.unique(table.columns[name].values, return_inverse=True)[1] for name in attributes]
    length = microseconds(source.window.seconds)
    found = []
    for look in np.linspace(span.begin, span.end, _LOOKS + 1)[1:].astype(np.int64):
        begin, end = np.searchsorted(table.ts, (look - length, look), "right")
        if end > begin:
            cells = np.stack([code[begin:end] for code in codes], axis=1)
            _, first = np.unique(cells, axis=0, return_index=True)
            found.append(float(chances[begin:end][first].mean()))
    return float(np.mean(found)) if found else None


def _is_link(columns: frozenset[Column], alias: str, joined: Sequence[str]) -> bool:
    aliases = {column.alias for column in columns}
    return alias in aliases and any(other in aliases for other in joined)


def _chances(
    query: Query, tables: Mapping[str, Table], key: Column, probing: Column
) -> NDArray[np.float64] | None:
    """For every tuple of the set's source, how likely one that probes has its key."""
    mine = column_of(query, tables, key).values
    theirs = counted_distribution(column_of(query, tables, probing))
    if (mine.dtype == object) != theirs.is_text or not len(theirs.values):
        return None
    places = np.minimum(np.searchsorted(theirs.values, mine), len(theirs.values) - 1)
    chances: NDArray[np.float64] = np.where(
        theirs.values[places] == mine, theirs.shares[places], 0.0
    )
    return chances

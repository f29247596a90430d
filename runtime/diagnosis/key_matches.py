"""How often the keys of a run's tuples are equal: counted in them, beside what is assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import ColumnData, Table
from planner.numbers import amount
from planner.statistics.distributions import (
    Distribution,
    counted_distribution,
    declared_distribution,
    restricted,
    share_of_pairs,
)
from planner.statistics.selectivity import attribute_of, declared, predicate_selectivity
from planner.workload.query import Column, Query
from planner.workload.workload import Workload

# A value that is so many times as frequent as assumed makes a column skewed.
_SKEWED = 2.0
# Less of a column's tuples than this have a value that the other side has, too.
_CONTAINED = 0.95


@dataclass(frozen=True, slots=True)
class Matches:
    """The share of pairs with equal keys in the tuples, and the share that the model assumes.

    `unlike` says what about these keys differs from what is assumed; empty where nothing does.
    """

    share: float
    assumed: float
    unlike: str
    # Where two sources are linked by several attributes: the share that is equal in all of them.
    together: float | None = None
    # What the pairs that are counted have in common.
    match: str = "have equal keys"


def counted_matches(
    workload: Workload,
    query: Query,
    tables: Mapping[str, Table],
    joined: Sequence[str],
    source: str,
) -> Matches | None:
    """Join tuples of the sources `joined` with one of `source`: how often are their keys equal?

    Attributes are taken as independent of each other, and of the time. None where no equality links
    them.
    """
    share, assumed, unlike = 1.0, 1.0, ""
    linked = False
    for columns in query.equality_classes():
        mine = sorted(column for column in columns if column.alias == source)
        theirs = sorted(column for column in columns if column.alias in joined)
        if not mine or not theirs:
            continue
        linked = True
        spread = {c: _values(query, tables, c) for c in (*theirs, *mine)}
        before = _equal([spread[column] for column in theirs])
        share *= _equal(list(spread.values())) / before if before else 0.0
        believed = {c: _assumed(workload, query, c) for c in spread}
        given = _declared(workload, query, spread)
        assumed *= (
            _equal(list(believed.values())) / _equal([believed[c] for c in theirs])
            if given is None
            else given
        )
        unlike = unlike or _unlike(workload, query, spread, mine, theirs)
    if not linked:
        return None
    return Matches(share, assumed, unlike, _together(query, tables, joined, source))


def compared_matches(
    workload: Workload,
    query: Query,
    tables: Mapping[str, Table],
    joined: Sequence[str],
    source: str,
) -> Matches | None:
    """The same where no equality links them, but other comparisons do; None where nothing does."""
    share, assumed, unlike, told = 1.0, 1.0, "", []
    for predicate in query.predicates:
        if {predicate.left.alias, predicate.right.alias} - {source, *joined}:
            continue
        if source not in (predicate.left.alias, predicate.right.alias):
            continue
        left, right = (_values(query, tables, c) for c in (predicate.left, predicate.right))
        share *= share_of_pairs(left, predicate.comparison, right, predicate.offset)
        assumed *= predicate_selectivity(workload, query, predicate)
        given = declared(workload.statistics, query, predicate)
        if given is not None and given.selectivity is not None:
            unlike = f"a selectivity of {amount(given.selectivity)} is declared for {predicate}"
        told.append(str(predicate))
    if not told or not assumed:
        return None
    return Matches(share, assumed, unlike, match=f"pass {' and '.join(told)}")


def _values(query: Query, tables: Mapping[str, Table], column: Column) -> Distribution:
    """The values of the column's tuples that pass the filters on it."""
    values = counted_distribution(column_of(query, tables, column))
    filters = [(f.comparison, f.constant) for f in query.filters if f.column == column]
    return restricted(values, filters) if filters else values


def _assumed(workload: Workload, query: Query, column: Column) -> Distribution:
    """The values that the model takes the column to have, where filters pass them."""
    values = declared_distribution(attribute_of(workload, query, column))
    filters = [(f.comparison, f.constant) for f in query.filters if f.column == column]
    return restricted(values, filters) if filters else values


def _declared(
    workload: Workload, query: Query, spread: Mapping[Column, Distribution]
) -> float | None:
    """The declared selectivity of the equality of two columns; of more the model uses none."""
    for predicate in query.predicates:
        given = declared(workload.statistics, query, predicate)
        if given is not None and {predicate.left, predicate.right} == spread.keys():
            return given.selectivity
    return None


def _together(
    query: Query, tables: Mapping[str, Table], joined: Sequence[str], source: str
) -> float | None:
    """The share of pairs that are equal in all attributes, where several link the same two."""
    links = [
        (other, mine)
        for columns in query.equality_classes()
        for mine in columns
        for other in columns
        if mine.alias == source and other.alias in joined
    ]
    if len(links) < 2 or len({other.alias for other, _ in links}) > 1:
        return None
    sides = [[column_of(query, tables, link[place]) for link in links] for place in (0, 1)]
    rows = [len(side[0].values) for side in sides]
    codes: NDArray[np.int64] = np.zeros(sum(rows), np.int64)
    present = np.ones(sum(rows), np.bool_)
    for one, other in zip(*sides, strict=True):
        if (one.values.dtype == object) != (other.values.dtype == object):
            return 0.0
        _, ranks = np.unique(np.concatenate([one.values, other.values]), return_inverse=True)
        _, codes = np.unique(codes * (int(ranks.max()) + 1) + ranks, return_inverse=True)
        present &= np.concatenate([_there(one), _there(other)])
    counts = [
        np.bincount(codes[part][present[part]], minlength=int(codes.max()) + 1)
        for part in (slice(0, rows[0]), slice(rows[0], None))
    ]
    return float(counts[0] @ counts[1]) / (rows[0] * rows[1])


def column_of(query: Query, tables: Mapping[str, Table], column: Column) -> ColumnData:
    """The values of a column of the query."""
    return tables[query.source(column.alias).name].columns[column.attribute]


def _there(column: ColumnData) -> NDArray[np.bool_]:
    return np.ones(len(column.values), np.bool_) if column.valid is None else column.valid


def _equal(columns: Sequence[Distribution]) -> float:
    """The chance that tuples drawn from each column have one value."""
    values, shares = columns[0].values, columns[0].shares
    for column in columns[1:]:
        if column.is_text != columns[0].is_text:
            return 0.0
        values, mine, theirs = np.intersect1d(
            values, column.values, assume_unique=True, return_indices=True
        )
        shares = shares[mine] * column.shares[theirs]
    return float(shares.sum())


def _unlike(
    workload: Workload,
    query: Query,
    spread: Mapping[Column, Distribution],
    mine: Sequence[Column],
    theirs: Sequence[Column],
) -> str:
    """What about these keys differs from what the model was told or assumes."""
    given = _declared(workload, query, spread)
    if given is not None:
        return f"a selectivity of {amount(given)} is declared for {' = '.join(map(str, spread))}"
    for column, values in spread.items():
        if told := skewed(workload, query, column, values):
            return told
    # The fewer values are taken to be among the more.
    fewer, more = sorted((mine[0], theirs[0]), key=lambda column: len(spread[column].values))
    inside = _equal_values(spread[fewer], spread[more])
    if inside < _CONTAINED:
        return (
            f"values are taken to be contained in one another, but {_percent(1 - inside)} of "
            f"all {fewer} are no {more}"
        )
    return ""


def skewed(workload: Workload, query: Query, column: Column, values: Distribution) -> str:
    """That a column has a value which is far more frequent than assumed; empty where none is."""
    if not len(values.shares):
        return ""
    assumed = float(declared_distribution(attribute_of(workload, query, column)).shares.max())
    most = float(values.shares.max())
    if most <= _SKEWED * assumed:
        return ""
    return (
        f"the keys are skewed: the most frequent value of {column} is in {_percent(most)} "
        f"of its tuples, where {_percent(assumed)} is assumed"
    )


def _equal_values(values: Distribution, other: Distribution) -> float:
    """The share of tuples whose value the other column has, too."""
    present = float(values.shares.sum())
    if values.is_text != other.is_text or not present:
        return 0.0
    return float(values.shares[np.isin(values.values, other.values)].sum()) / present


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%"

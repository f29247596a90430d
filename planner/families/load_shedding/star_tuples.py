"""The tuples of a star join as numbers: keys, importance and times, and rows of the relation.

Keys are numbered, the same number for equal values; -1 is a missing one. Tuples and rows that fail
a filter are left out. Streams without a relation meet through a row of every key that is always
active, so that all stars are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.errors import RunError
from planner.families.load_shedding.star import Arm, Star
from planner.files.text_codes import coded_texts
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.workload.query import Filter
from planner.workload.streams import MOST_IMPORTANCE

MILLIONTHS = 1_000_000

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ArmTuples:
    """The tuples of a stream that take part, in arrival order; `row` is their place in the table.

    `importance` is in millionths.
    """

    arm: Arm
    row: Integers
    ts: Integers
    key: Integers
    importance: Integers


@dataclass(frozen=True, slots=True)
class StarTuples:
    """Everything that takes part. `rows` has the key of every arm for each row of the relation,
    which is active from `begin` until `end`; `keys` is how many different keys there are."""

    arms: tuple[ArmTuples, ...]
    rows: Integers
    begin: Integers
    end: Integers
    keys: int


def star_tuples(star: Star, tables: Mapping[str, Table]) -> StarTuples:
    """The numbered tuples of a star join; a RunError names an importance that cannot be one."""
    kept = [_passing(star, arm.source.alias, tables[arm.source.name]) for arm in star.arms]
    columns = [
        _picked(tables[arm.source.name].columns[arm.key.attribute], rows)
        for arm, rows in zip(star.arms, kept, strict=True)
    ]
    relation = None if star.relation is None else tables[star.relation.name]
    if star.relation is not None and relation is not None:
        there = _passing(star, star.relation.alias, relation)
        columns += [
            _picked(relation.columns[arm.joined.attribute], there)
            for arm in star.arms
            if arm.joined is not None
        ]
    keys, count = _numbered(columns)
    arms = tuple(
        ArmTuples(
            arm,
            rows,
            tables[arm.source.name].ts[rows],
            key,
            importance_of(arm, tables[arm.source.name])[rows],
        )
        for arm, rows, key in zip(star.arms, kept, keys, strict=False)
    )
    for own in arms:
        _check(own)
    if relation is None:
        every = np.arange(count, dtype=np.int64)
        always = np.full(count, FIRST), np.full(count, LAST)
        return StarTuples(arms, np.column_stack([every] * len(arms)), *always, count)
    joined = np.column_stack(keys[len(arms) :])
    whole = (joined >= 0).all(axis=1)
    begin = np.full(len(relation), FIRST) if relation.begin is None else relation.begin
    end = np.full(len(relation), LAST) if relation.end is None else relation.end
    return StarTuples(arms, joined[whole], begin[there][whole], end[there][whole], count)


def importance_of(arm: Arm, table: Table) -> Integers:
    """The importance of a stream's tuples in millionths: 1 each where none is declared.

    What cannot be one (missing, not above 0, too large) is 0.
    """
    if arm.importance is None:
        return np.full(len(table), MILLIONTHS, np.int64)
    data = table.columns[arm.importance]
    values = np.asarray(data.values, np.float64)
    good = (values > 0) & (values <= MOST_IMPORTANCE)
    if data.valid is not None:
        good &= data.valid
    return np.where(good, np.rint(np.where(good, values, 0.0) * MILLIONTHS), 0).astype(np.int64)


def _check(own: ArmTuples) -> None:
    """A tuple without a key joins nothing: only others need an importance."""
    wrong = np.flatnonzero((own.importance <= 0) & (own.key >= 0))
    if len(wrong):
        raise RunError(
            f"the importance of row {int(own.row[wrong[0]]) + 1} is not above 0 and at most "
            f"{MOST_IMPORTANCE:,.0f}; correct it, or leave the row out",
            f"{own.arm.source.name}.{own.arm.importance}",
        )


def _passing(star: Star, alias: str, table: Table) -> Integers:
    """The places of the rows that satisfy the filters of a source."""
    passes = np.ones(len(table), np.bool_)
    for condition in star.filters:
        if condition.column.alias == alias:
            passes &= _satisfying(condition, table.columns[condition.column.attribute])
    return np.flatnonzero(passes)


def _satisfying(condition: Filter, data: ColumnData) -> NDArray[np.bool_]:
    if condition.is_text != (data.values.dtype == object):
        # Text and numbers are never equal.
        met = np.full(len(data.values), condition.comparison == "<>")
    else:
        met = condition.holds(data.values).astype(np.bool_)
    return met if data.valid is None else met & data.valid


def _picked(data: ColumnData, rows: Integers) -> ColumnData:
    return ColumnData(data.values[rows], None if data.valid is None else data.valid[rows])


def _numbered(columns: Sequence[ColumnData]) -> tuple[list[Integers], int]:
    """Each column as numbers from 0, equal ones for equal values, and how many there are."""
    every = np.concatenate([column.values for column in columns])
    if every.dtype == object:
        numbers, texts = coded_texts(every)
        count = len(texts)
    else:
        known, numbers = np.unique(every, return_inverse=True)
        count = len(known)
    ends = np.cumsum([len(column.values) for column in columns])[:-1]
    found = []
    for column, part in zip(columns, np.split(numbers.astype(np.int64), ends), strict=True):
        found.append(part if column.valid is None else np.where(column.valid, part, -1))
    return found, count

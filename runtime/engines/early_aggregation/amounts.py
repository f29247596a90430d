"""Values that are aggregated, as whole numbers that kernels add and compare, and back again.

Whole numbers stand for themselves. Other numbers are summed in fixed point, so that sums are the
same in whatever order they are made; for MIN, MAX and DISTINCT their bits stand for them, in their
order. Texts are known by their rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from planner.errors import PlanError, RunError
from planner.files.large_numbers import present_values
from planner.files.text_codes import ranked_texts, text_array
from planner.files.tuple_table import ColumnData, Table
from planner.workload.query import Aggregate, Column, Query
from runtime.engines.early_aggregation.kernel.types import (
    DISTINCT,
    GREATEST,
    LEAST,
    NOTHING,
    PRESENT,
    SUM,
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rank of each value of a column among all its values; a missing one comes after them."""

    codes: NDArray[np.int64]
    values: pa.Array

    @property
    def count(self) -> int:
        """How many ranks there may be, that of a missing value included."""
        return len(self.values) + 1


def ranked(data: ColumnData) -> Ranked:
    """A column as ranks."""
    if data.values.dtype == object:
        return _ranked_texts(data)
    # Adding 0 makes -0.0 the same bits as 0.0, which it equals.
    floats = data.values.dtype.kind == "f"
    values = data.values.astype(np.float64) + 0.0 if floats else data.values
    missing = None if data.valid is None else ~data.valid
    encoded = pa.array(values, mask=missing).dictionary_encode()
    held = encoded.dictionary
    order = np.argsort(held.to_numpy())
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(order)
    places = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return Ranked(rank[places], held.take(pa.array(order)))


def _ranked_texts(data: ColumnData) -> Ranked:
    codes, texts = ranked_texts(present_values(data))
    every = np.full(len(data.values), len(texts), np.int64)
    every[slice(None) if data.valid is None else data.valid] = codes
    return Ranked(every, text_array(texts))


@dataclass(frozen=True, slots=True)
class Combined:
    """Several columns as one: the place of each row's ranks among all that occur, in order.

    `ranks` has a row for each place, and a column for each of those combined.
    """

    codes: NDArray[np.int32]
    ranks: NDArray[np.int64]

    @property
    def count(self) -> int:
        """How many different rows of ranks there are; one at least."""
        return len(self.ranks)


def combined(columns: Sequence[Ranked], rows: int) -> Combined:
    """The columns of so many rows as one."""
    if not columns:
        return Combined(np.zeros(rows, np.int32), np.zeros((1, 0), np.int64))
    codes, ranks = _places(columns[0].codes, columns[0].codes[:, None])
    for column in columns[1:]:
        both = codes * np.int64(column.count) + column.codes
        codes, firsts = _places(both, np.arange(rows)[:, None])
        ranks = np.concatenate(
            [ranks[(both[firsts[:, 0]] // column.count)], column.codes[firsts]], axis=1
        )
    if not len(ranks):
        ranks = np.zeros((1, len(columns)), np.int64)
    return Combined(codes.astype(np.int32), ranks)


def _places(
    codes: NDArray[np.int64], of_row: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place of each code among those that occur; and of each place what one of its rows has."""
    encoded = pa.array(codes).dictionary_encode()
    held = encoded.dictionary.to_numpy()
    order = np.argsort(held)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    places = place[encoded.indices.to_numpy()] if len(codes) else codes
    example = np.zeros(len(order), np.int64)
    example[places] = np.arange(len(codes))
    return places, of_row[example]


_SIGN = np.int64(np.iinfo(np.int64).max)
# A sum must stay below 2^62; a value has at least so many bits of its own.
_SUM_BITS, _LEAST_BITS = 62, 20
_FUNCTIONS = {"sum": SUM, "avg": SUM, "min": LEAST, "max": GREATEST}


@dataclass(frozen=True, slots=True)
class KeptColumn:
    """A column that the kernel keeps for aggregates: a function of an attribute of a source.

    `kind` is integer, float or text. A sum counts in units of 2^-shift, and no value of it is
    beyond `most`.
    """

    function: int
    source: int
    kind: str
    shift: int = 0
    most: int = 0


def kernel_function(aggregate: Aggregate) -> int | None:
    """What the kernel keeps for an aggregate; None where it counts rows alone."""
    if aggregate.column is None:
        return None
    if aggregate.function == "count":
        return DISTINCT if aggregate.distinct else PRESENT
    distinct_sum = aggregate.distinct and aggregate.function in ("sum", "avg")
    if distinct_sum:
        raise PlanError("only COUNT can be DISTINCT; leave it out", aggregate.name)
    return _FUNCTIONS[aggregate.function]


def kept_columns(query: Query) -> dict[tuple[int, Column], int]:
    """The place of each column that the kernel keeps: two aggregates may use one."""
    places: dict[tuple[int, Column], int] = {}
    for aggregate in query.aggregates:
        function = kernel_function(aggregate)
        if function is not None and aggregate.column is not None:
            places.setdefault((function, aggregate.column), len(places))
    return places


class Amounts:
    """The columns that the kernel keeps, of the tables of a query's sources.

    `most_rows` is the most combinations that can be there at once: sums are to hold that many.
    """

    def __init__(self, query: Query, tables: Mapping[str, Table], most_rows: float) -> None:
        self.kept: list[KeptColumn] = []
        self.codes: list[NDArray[np.int64]] = []
        self.texts: dict[int, Ranked] = {}
        aliases = [source.alias for source in query.sources]
        for (function, column), place in kept_columns(query).items():
            data = tables[query.source(column.alias).name].columns[column.attribute]
            source = aliases.index(column.alias)
            kind = {"O": "text", "f": "float"}.get(data.values.dtype.kind, "integer")
            if function == SUM:
                kept, codes = _summed(data, column, source, kind, most_rows)
            elif kind == "text":
                self.texts[place] = ranked(data)
                kept, codes = KeptColumn(function, source, kind), self.texts[place].codes
            else:
                kept, codes = KeptColumn(function, source, kind), in_order(data.values)
            if kind != "text" and (present_values(data) == NOTHING).any():
                raise PlanError(
                    f"holds {NOTHING}, by which a missing value is known; leave it out by a filter "
                    "on the file, or make it larger",
                    str(column),
                )
            self.kept.append(kept)
            self.codes.append(codes if data.valid is None else np.where(data.valid, codes, NOTHING))


def _summed(
    data: ColumnData, column: Column, source: int, kind: str, most_rows: float
) -> tuple[KeptColumn, NDArray[np.int64]]:
    """The values of a sum in fixed point, as fine as so many of them can be added up."""
    if data.valid is not None and not data.valid.any():
        # Of a column without a value a file cannot tell the type: there is nothing to add up.
        return KeptColumn(SUM, source, "integer"), np.zeros(len(data.values), np.int64)
    if kind == "text":
        raise PlanError("holds text; SUM and AVG need numbers", str(column))
    values = data.values if data.valid is None else np.where(data.valid, data.values, 0)
    if kind == "integer":
        # Beyond what a sum of them may reach, the sums themselves are looked at.
        largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
        return KeptColumn(SUM, source, kind, 0, largest), values.astype(np.int64)
    if not np.isfinite(values).all():
        raise PlanError("holds an infinite number; SUM and AVG need finite ones", str(column))
    size = float(np.abs(values).max(initial=0.0))
    bits = _SUM_BITS - int(np.ceil(np.log2(max(most_rows, 1.0))))
    if bits < _LEAST_BITS:
        raise RunError(
            f"up to {most_rows:.0e} combinations are in the windows at once: too many to sum "
            "numbers that are not whole; shorten the windows",
            str(column),
        )
    shift = bits - int(np.frexp(size)[1]) if size else 0
    scaled = np.rint(np.ldexp(values, shift))
    exact = _exact_shift(values, shift)
    if exact < shift:
        shift, scaled = exact, np.rint(np.ldexp(values, exact))
    codes = scaled.astype(np.int64)
    return KeptColumn(SUM, source, kind, shift, int(np.abs(codes).max(initial=0))), codes


def _exact_shift(values: NDArray[Any], most: int) -> int:
    """The least shift, of those up to `most`, under which these numbers are whole already."""
    for shift in range(min(most, 31)):
        # The first ones tell most often that it is not so, and cost little.
        if _whole(np.ldexp(values[:1000], shift)) and _whole(np.ldexp(values, shift)):
            return shift
    return most


def _whole(values: NDArray[Any]) -> bool:
    return bool((values == np.rint(values)).all())


def in_order(values: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers as whole numbers in the same order: floats by their bits."""
    if values.dtype.kind != "f":
        return values.astype(np.int64)
    # Adding 0 makes -0.0 the same bits as 0.0, which it equals.
    bits = (values.astype(np.float64) + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ _SIGN, bits)


def from_order(codes: NDArray[np.int64], kind: str) -> NDArray[Any]:
    """The numbers that `in_order` wrote."""
    if kind != "float":
        return codes
    return np.where(codes < 0, codes ^ _SIGN, codes).view(np.float64)


def sum_column(kept: KeptColumn, sums: NDArray[np.int64], missing: NDArray[np.bool_]) -> pa.Array:
    """Sums as they are shown: whole numbers stay whole."""
    if kept.kind == "integer":
        return pa.array(sums, mask=missing)
    # What is beyond all doubles is infinite.
    with np.errstate(over="ignore"):
        return pa.array(np.ldexp(sums.astype(np.float64), -kept.shift), mask=missing)


def mean_column(
    kept: KeptColumn,
    sums: NDArray[np.int64],
    present: NDArray[np.int64],
    missing: NDArray[np.bool_],
) -> pa.Array:
    """Means of so many values."""
    # Divided first: the mean of numbers has their size, where their sum may be beyond all doubles.
    means = sums.astype(np.float64) / np.where(missing, 1, present)
    return pa.array(np.ldexp(means, -kept.shift), mask=missing)

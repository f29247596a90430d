"""Keys as small integers that kernels compare: equal where the values are equal."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.files.large_numbers import check_comparable
from planner.files.text_codes import coded_texts
from planner.files.tuple_table import ColumnData, Table
from planner.workload.query import Column, Query
from planner.workload.validation import MAX_DISTINCT

# Integer keys up to this are used as they are. Larger ones too where there are as many tuples: an
# index has room for every key up to the largest, and few tuples should not ask for much.
LEAST_PLAIN_KEYS = 100_000


def key_codes(
    query: Query, joined: Collection[Column], tables: Mapping[str, Table]
) -> tuple[dict[str, NDArray[np.int32]], int]:
    """The keys of one class of equal attributes, by alias, as integers; and how many there are."""
    attribute = {column.alias: column.attribute for column in joined}
    members = [source for source in query.sources if source.alias in attribute]
    columns = {
        source.alias: tables[source.name].columns[attribute[source.alias]] for source in members
    }
    # A column without a value, of which a file cannot tell the type, agrees with any other.
    filled = {alias: column for alias, column in columns.items() if _has_values(column)}
    check_comparable(
        {Column(alias, attribute[alias]): c for alias, c in filled.items()}, query.name
    )
    codes = {alias: np.zeros(len(column.values), np.int32) for alias, column in columns.items()}
    codes |= _codes(query, filled)
    above = 1 + max((int(code.max()) for code in codes.values() if len(code)), default=0)
    for source in members:
        valid = columns[source.alias].valid
        if valid is not None and not valid.all():
            # A missing key equals nothing: it gets a code of its own, another for every source.
            codes[source.alias] = np.where(valid, codes[source.alias], np.int32(above))
            above += 1
    return codes, above


def _has_values(column: ColumnData) -> bool:
    return len(column.values) > 0 if column.valid is None else bool(column.valid.any())


def _codes(query: Query, columns: Mapping[str, ColumnData]) -> dict[str, NDArray[np.int32]]:
    kinds = {alias: column.values.dtype.kind for alias, column in columns.items()}
    if len({kind == "O" for kind in kinds.values()}) > 1:
        texts = ", ".join(alias for alias, kind in kinds.items() if kind == "O")
        raise PlanError(f"joins text with numbers: only {texts} holds text", query.name)
    ends = np.cumsum([len(column.values) for column in columns.values()])[:-1]
    if "O" in kinds.values():
        every = coded_texts(np.concatenate([column.values for column in columns.values()])).codes
        return dict(zip(columns, np.split(every.astype(np.int32), ends), strict=True))
    tuples = sum(len(column.values) for column in columns.values())
    most = max(LEAST_PLAIN_KEYS, min(MAX_DISTINCT, 2 * tuples))
    if all(kind == "i" for kind in kinds.values()) and all(
        column.values.min(initial=0) >= 0 and column.values.max(initial=0) <= most
        for column in columns.values()
    ):
        # Small integers stand for themselves: a key's bucket is then its value modulo the buckets.
        return {alias: column.values.astype(np.int32) for alias, column in columns.items()}
    numeric = "float64" if "f" in kinds.values() else None
    arrays = [
        # Adding 0 makes -0.0 the same bits as 0.0, which it equals.
        pa.array(
            column.values.astype(numeric) + 0.0 if numeric else column.values, from_pandas=True
        )
        for column in columns.values()
    ]
    encoded = pa.concat_arrays(arrays).dictionary_encode().indices.fill_null(0)
    parts = np.split(encoded.to_numpy(zero_copy_only=False).astype(np.int32), ends)
    return dict(zip(columns, parts, strict=True))

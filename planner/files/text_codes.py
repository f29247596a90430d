"""Texts as numbers: each different text is held once, however long it is and often it occurs.

A numpy array of texts gives each the room of the longest one, and an Arrow array of them writes
each out again: of one text of a megabyte in 20,000 rows both would make 20 GB or more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from planner.files.tuple_table import ColumnData

# A Parquet writer gives up numbering texts when they take more than this together.
MOST_TEXTS = 2**30


class CodedTexts(NamedTuple):
    """The number of each row's text, and the different texts by their number."""

    codes: NDArray[np.int64]
    texts: list[str]


def coded_texts(values: NDArray[np.generic]) -> CodedTexts:
    """Number texts in the order in which they occur first.

    >>> codes, texts = coded_texts(np.array(["b", "a", "b"], object))
    >>> codes.tolist(), texts
    ([0, 1, 0], ['b', 'a'])
    """
    numbers: dict[str, int] = {}
    counted = (numbers.setdefault(text, len(numbers)) for text in values.tolist())
    return CodedTexts(np.fromiter(counted, np.int64, len(values)), list(numbers))


def ranked_texts(values: NDArray[np.generic]) -> CodedTexts:
    """Number texts in their order.

    >>> codes, texts = ranked_texts(np.array(["b", "a", "b"], object))
    >>> codes.tolist(), texts
    ([1, 0, 1], ['a', 'b'])
    """
    codes, texts = coded_texts(values)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return CodedTexts(rank[codes], [texts[place] for place in order])


def different_texts(columns: Iterable[NDArray[np.generic]]) -> list[str]:
    """The texts that occur in any of these columns, in their order."""
    found: set[str] = set()
    for values in columns:
        found.update(values.tolist())
    return sorted(found)


def text_array(texts: Iterable[str]) -> pa.Array:
    """Texts for Arrow, of any length together."""
    listed = list(texts)
    # Offsets of 32 bits reach that far, and a character has up to four bytes.
    short = 4 * sum(map(len, listed)) < 2**31
    return pa.array(listed, pa.string() if short else pa.large_string())


def arrow_values(data: ColumnData) -> pa.Array:
    """The values of an attribute for Arrow, null where they are missing."""
    missing = None if data.valid is None else ~data.valid
    if data.values.dtype != object:
        return pa.array(data.values, mask=missing)
    codes, texts = coded_texts(data.values)
    return numbered_values(codes, text_array(texts), missing)


def numbered_values(
    numbers: NDArray[np.int64], values: pa.Array, missing: NDArray[np.bool_] | None
) -> pa.Array:
    """The values with these numbers; texts stay numbered."""
    places = pa.array(numbers, mask=missing)
    if not is_text(values.type):
        return values.take(places)
    return pa.DictionaryArray.from_arrays(places.cast(pa.int32()), values)


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow column holds texts."""
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(holds(kind) for holds in texts)


def shared_texts(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column of texts as objects, equal ones the same object; a missing one is empty."""
    if not pa.types.is_dictionary(column.type):
        column = pa.chunked_array([c.dictionary_encode() for c in column.chunks], None)
    values = np.empty(len(column), object)
    known: dict[str, str] = {}
    place = 0
    for chunk in column.chunks:
        texts = [known.setdefault(t, t) for t in map(_text, chunk.dictionary.to_pylist())]
        held = np.array([*texts, ""], object)
        rows = slice(place, place + len(chunk))
        values[rows] = held[chunk.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)]
        place += len(chunk)
    return values


def _text(value: str | None) -> str:
    return "" if value is None else value

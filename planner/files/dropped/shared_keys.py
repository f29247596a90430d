"""Columns that two tables can be joined on, found by the values that they share.

Every pair of columns of one type is scored: how much of the smaller set of values is in the larger
one, how much both have in common, and whether their names agree. The best pairs that connect all
tables are the join.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from planner.files.dropped.dropped_file import DroppedSource
from planner.files.text_codes import is_text

# More columns of a table are not compared with others.
_MOST_COLUMNS = 40
# So many rows decide which values a column has.
_MOST_ROWS = 500_000
_KEY = re.compile(r"(?:^|_)(?:id|key|code|no|nr|number|uuid|sku)$|Id$|ID$", re.ASCII)
# With fewer values, columns are categories or amounts that agree by chance.
_MANY_VALUES = 50


@dataclass(frozen=True, slots=True)
class DistinctColumn:
    """A column of a source: its values, each once."""

    source: str
    column: str
    kind: Literal["text", "number"]
    values: pa.Array


@dataclass(frozen=True, slots=True)
class KeyPair:
    """Two columns that can be compared, and how many of their values they share."""

    left: DistinctColumn
    right: DistinctColumn
    common: int
    score: float

    @property
    def smaller(self) -> int:
        """The number of values of the column that has fewer."""
        return min(len(self.left.values), len(self.right.values))

    @property
    def sources(self) -> tuple[str, str]:
        """The names of the sources that it joins."""
        return self.left.source, self.right.source

    def __str__(self) -> str:
        left, right = self.left, self.right
        return f"{left.source}.{left.column} = {right.source}.{right.column}"


def key_columns(source: DroppedSource) -> list[DistinctColumn]:
    """The columns of a source that can be keys: texts and whole numbers."""
    found = []
    for name in source.table.column_names[:_MOST_COLUMNS]:
        column = source.table[name].slice(0, _MOST_ROWS)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if is_text(column.type):
            kind: Literal["text", "number"] = "text"
            column = column.cast(pa.large_string())
        elif pa.types.is_integer(column.type):
            kind = "number"
        else:
            continue
        values = pc.unique(column).drop_null()
        if kind == "number":
            values = values.cast(pa.int64(), safe=False)
        if len(values):
            found.append(DistinctColumn(source.name, name, kind, values))
    return found


def key_pairs(left: Sequence[DistinctColumn], right: Sequence[DistinctColumn]) -> list[KeyPair]:
    """All pairs of columns that can be compared, the likeliest first."""
    pairs = [_pair(one, other) for one in left for other in right if one.kind == other.kind]
    return sorted(pairs, key=lambda pair: (-pair.score, str(pair)))


def _pair(left: DistinctColumn, right: DistinctColumn) -> KeyPair:
    common = int(pc.sum(pc.is_in(left.values, value_set=right.values)).as_py() or 0)
    smaller = min(len(left.values), len(right.values))
    union = len(left.values) + len(right.values) - common
    shared = 0.35 * common / smaller + 0.25 * common / union
    # One of five values agrees in any two columns; one of fifty does not.
    breadth = min(1.0, math.log(1 + smaller) / math.log(1 + _MANY_VALUES))
    named = 0.5 * _name_agreement(left, right)
    keyed = 0.1 * bool(_KEY.search(left.column) or _KEY.search(right.column))
    score = (shared + named) * breadth + keyed
    return KeyPair(left, right, common, score if common else 0.2 * score)


def _name_agreement(left: DistinctColumn, right: DistinctColumn) -> float:
    """1 for one name, less for names such as `customer` and `customer_id` or `id` of customers."""
    one, other = _words(left.column), _words(right.column)
    if one == other:
        # Each table has an id of its own.
        return 0.4 if one == ["id"] else 1.0
    if [*_words(left.source), *one] == other or [*_words(right.source), *other] == one:
        return 0.9
    rest = ([w for w in words if w not in ("id", "key", "code", "no")] for words in (one, other))
    return 0.7 if next(rest) == next(rest) != [] else 0.0


def _words(name: str) -> list[str]:
    """The words of a name in the singular: `CustomerIds` is customer, id."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name) or [name]
    return [part.lower().removesuffix("s") for part in parts]


def suggested_links(sources: Sequence[DroppedSource]) -> list[list[KeyPair]]:
    """The pairs that connect all sources, likeliest first; each with its alternatives behind it.

    Sources that no pair of columns can connect are left out.
    """
    columns = {source.name: key_columns(source) for source in sources}
    links = []
    for one, other in combinations(sources, 2):
        # Rows of a relation trigger nothing: two of them are joined through a stream.
        if (one.is_stream or other.is_stream) and (
            pairs := key_pairs(columns[one.name], columns[other.name])
        ):
            links.append(pairs)
    links.sort(key=lambda pairs: -pairs[0].score)
    group = {source.name: source.name for source in sources}
    chosen = []
    for pairs in links:
        left, right = group[pairs[0].left.source], group[pairs[0].right.source]
        if left != right:
            group = {name: left if of == right else of for name, of in group.items()}
            chosen.append(pairs)
    return chosen


def joinable(
    sources: Sequence[DroppedSource], links: Sequence[Sequence[KeyPair]]
) -> tuple[list[DroppedSource], list[DroppedSource]]:
    """The most sources that links connect, and those that are left out."""
    group = {source.name: source.name for source in sources}
    for pairs in links:
        left, right = (group[name] for name in pairs[0].sources)
        group = {name: left if of == right else of for name, of in group.items()}
    sizes = Counter(group.values())
    largest = max(sizes, key=sizes.__getitem__, default="")
    kept = [source for source in sources if group[source.name] == largest]
    return kept, [source for source in sources if group[source.name] != largest]

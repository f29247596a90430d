"""The first workload over dropped files: one join of all of them, with windows chosen from rates.

All windows have one length, a round one: the streams hold a few hundred tuples on average, a window
is a small part of what the files cover, and results are not many times the tuples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from planner.errors import PlanError
from planner.files.dropped.dropped_file import DroppedSource, check_source
from planner.files.dropped.shared_keys import KeyPair
from planner.files.query.first_join import Joined, join_text
from planner.files.query.text import parse_query
from planner.files.text_codes import is_text
from planner.workload.execution import Execution, RunSettings
from planner.workload.streams import Attribute, Relation, Stream, catalogue
from planner.workload.validation import MAX_STREAMS, listed
from planner.workload.workload import Workload

# A window holds about so many tuples of a stream.
TUPLES_HELD = 300
# A window covers at most this share of the time of the files.
_SHARE_OF_SPAN = 0.1
# At most so many results for each tuple that arrives.
_RESULTS_PER_TUPLE = 5.0
DURATION = 120.0
# More columns of a file are not declared, though queries could not use them.
_MOST_ATTRIBUTES = 200
_ROUND = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
_ROUND += [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200]
_ROUND += [86_400 * days for days in (1, 2, 7, 14, 30, 90, 180, 365)]


def window_length(sources: Sequence[DroppedSource], matches: Mapping[str, float]) -> float:
    """The window for all streams, in seconds; `matches` are the selectivities of the predicates."""
    streams = [source for source in sources if source.is_stream]
    rates = [source.rate for source in streams]
    typical = math.exp(sum(map(math.log, rates)) / len(rates))
    span = max(source.seconds for source in streams)
    most = min(TUPLES_HELD / typical, _SHARE_OF_SPAN * span)
    fitting = [length for length in _ROUND if length <= most] or _ROUND[:1]
    rows = math.prod(s.table.num_rows for s in sources if not s.is_stream)
    selectivity = math.prod(matches.values()) * rows
    while (
        len(fitting) > 1
        and _results_per_tuple(rates, fitting[-1], selectivity) > _RESULTS_PER_TUPLE
    ):
        fitting.pop()
    return fitting[-1]


def _results_per_tuple(rates: Sequence[float], window: float, selectivity: float) -> float:
    """Results for each tuple that arrives, where all windows are this long."""
    others = len(rates) - 1
    results = len(rates) * math.prod(rates) * window**others * selectivity
    return results / sum(rates)


def match_share(pair: KeyPair, sources: Mapping[str, DroppedSource]) -> float:
    """The share of pairs of rows that a predicate accepts."""
    left = _counts(sources[pair.left.source].table[pair.left.column], pair.left.kind)
    right = _counts(sources[pair.right.source].table[pair.right.column], pair.right.kind)
    total = sum(count * right.get(value, 0) for value, count in left.items())
    rows = sources[pair.left.source].table.num_rows * sources[pair.right.source].table.num_rows
    return total / rows if rows else 0.0


def _counts(column: pa.ChunkedArray, kind: str) -> dict[object, int]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    plain = column.cast(pa.large_string() if kind == "text" else pa.int64(), safe=False)
    counted = pc.value_counts(plain.drop_null())
    fields = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
    return dict(zip(*fields, strict=True))


def first_workload(
    name: str, sources: Sequence[DroppedSource], links: Sequence[KeyPair]
) -> Workload:
    """One join of all sources over these links. Rates and statistics are left to be inferred."""
    check_sources(sources, links)
    named = {source.name: source for source in sources}
    window = window_length(sources, {str(pair): match_share(pair, named) for pair in links})
    joined = [Joined(s.name, window if s.is_stream else None) for s in sources]
    predicates = [(p.left.source, p.left.column, p.right.source, p.right.column) for p in links]
    streams = [Stream(s.name, None, _attributes(s)) for s in sources if s.is_stream]
    relations = [Relation(s.name, None, _attributes(s)) for s in sources if not s.is_stream]
    known = catalogue([*streams, *relations])
    text = join_text(joined, predicates)
    return Workload(
        name=name,
        streams=tuple(streams),
        relations=tuple(relations),
        queries=(parse_query(text, "Q1", [relation.name for relation in relations], known),),
        execution=Execution(join="hash"),
        run=RunSettings(duration=DURATION),
    )


def check_sources(sources: Sequence[DroppedSource], links: Sequence[KeyPair]) -> None:
    """A PlanError where these sources cannot be joined into one query."""
    if not any(source.is_stream for source in sources):
        raise PlanError("no file has a time; choose the time column of at least one", "files")
    if len(sources) < 2:
        raise PlanError("one file alone cannot be joined; add another", sources[0].file)
    if len(sources) > MAX_STREAMS:
        raise PlanError(f"{len(sources)} files; a query joins at most {MAX_STREAMS}", "files")
    for source in sources:
        check_source(source)
    if len(links) < len(sources) - 1:
        reached = {side.source for pair in links for side in (pair.left, pair.right)}
        apart = [s.file for s in sources if s.name not in reached] or [s.file for s in sources]
        raise PlanError(
            f"no column can be joined with another file: {listed(apart)}. Join columns must both "
            "be texts or whole numbers",
            "files",
        )


def _attributes(source: DroppedSource) -> dict[str, Attribute]:
    return {
        name: Attribute(type=_type(source.table.schema.field(name).type))
        for name in source.table.column_names[:_MOST_ATTRIBUTES]
    }


def _type(kind: pa.DataType) -> Literal["integer", "float", "string"]:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if is_text(kind):
        return "string"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "float"
    return "integer"


def apart_in_time(sources: Sequence[DroppedSource]) -> str | None:
    """A sentence on two streams that cover no common time, if there are any."""
    spans = [(s, int(s.micros[0]), int(s.micros[-1])) for s in sources if s.micros is not None]
    for place, (one, first, last) in enumerate(spans):
        for other, begin, end in spans[place + 1 :]:
            if last < begin or end < first:
                return (
                    f"{one.name} and {other.name} cover different times, so their tuples never "
                    "meet. Check the time columns."
                )
    return None

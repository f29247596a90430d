"""Random workloads of joins that share, their tuples, and plans of them driven without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from planner.families.sliced_chain.labels import STRATEGIES, label_of
from planner.joins.shared.query_groups import groups_of
from planner.workload.execution import Execution
from planner.workload.query import (
    Column,
    CountWindow,
    Filter,
    Predicate,
    Query,
    Source,
    TimeWindow,
    Window,
)
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.data.feed import Feed, Span, Split
from runtime.engines.pair_feed import pair_feed
from runtime.engines.protocol import Tally
from runtime.engines.sliced_chain.simulation import built
from tests.oracles.joins import Data
from tests.runtime.driving import program_of, stepped, tables_of

SPAN = Span(2_000_000, 15_000_000)
STREAMS = ("A", "B", "C")
_SECONDS = (1, 2, 3.5, 6)
_ROWS = (1, 2, 3, 5)


@st.composite
def workloads(draw: st.DrawFn, most: int = 4, hashed: bool | None = None) -> Workload:
    """One to `most` joins of A with B, or of A with C, windows and filters at random.

    Windows are hashed or scanned, at random where `hashed` does not say it.
    """
    streams = tuple(
        Stream(name, rate=1.0, attributes={"k": Attribute(3), "v": Attribute(5)})
        for name in STREAMS
    )
    if hashed is None:
        hashed = draw(st.booleans())
    in_rows = draw(st.booleans())
    buckets = draw(st.sampled_from(["per-value", 2]))
    execution = Execution("hash", buckets) if hashed else Execution()
    made = [
        draw(_query(f"Q{number}", in_rows, hashed)) for number in range(draw(st.integers(1, most)))
    ]
    return Workload("random", streams, tuple(made), execution=execution)


def queries(workload: Workload, name: str) -> st.SearchStrategy[Query]:
    """One query more, of the kind that a workload has."""
    in_rows = isinstance(workload.queries[0].sources[0].window, CountWindow)
    return _query(name, in_rows, workload.execution.join == "hash")


@st.composite
def _query(draw: st.DrawFn, name: str, in_rows: bool, hashed: bool) -> Query:
    # Mostly one join that all share; sometimes there is another group.
    other = draw(st.sampled_from("BBBC"))
    theta = not hashed and other == "C"

    def window() -> Window:
        if in_rows:
            return CountWindow(draw(st.sampled_from(_ROWS)))
        return TimeWindow(draw(st.sampled_from(_SECONDS)))

    first = window()
    second = first if draw(st.booleans()) else window()
    sources = [Source("x", "A", first), Source("y", other, second)]
    # The spelling is not what makes queries share.
    if draw(st.booleans()):
        sources.reverse()
    predicate = Predicate(Column("x", "k"), "=", Column("y", "k"))
    if theta:
        predicate = Predicate(Column("x", "k"), "<=", Column("y", "k"), 1.0)
    filters = [
        draw(
            st.builds(
                Filter,
                st.just(Column(alias, "v")),
                st.sampled_from(["<", ">", ">=", "="]),
                st.integers(1, 3),
            )
            | st.just(Filter(Column(alias, "v"), "=", (1, 3)))
        )
        for alias in ("x", "y")
        for _ in range(draw(st.sampled_from([0, 0, 1, 2])))
    ]
    return Query(name, tuple(sources), (predicate,), tuple(filters))


@st.composite
def tuples(draw: st.DrawFn, most: int = 30) -> Data:
    """Tuples of all streams, many of them at equal times, some without a value.

    By a seed: lists that are drawn one by one are mostly short, and join nothing.
    """
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    found = {}
    for name in STREAMS:
        count = draw(st.integers(0, most))
        times = np.cumsum(random.choice([0, 0, 250_000, 500_000, 1_000_000], count))
        # Some keys are never those of B.
        keys = random.integers(1, 3 if name == "B" else 4, count)
        values = random.integers(0, 6, count)
        found[name] = [
            (int(ts), {"k": int(k), "v": int(v) if v < 5 else None})
            for ts, k, v in zip(times, keys, values, strict=True)
        ]
    return found


@st.composite
def labels(draw: st.DrawFn, workload: Workload) -> str:
    """One of the strategies, or a chain that ends at some of the windows."""
    groups = groups_of(workload)
    ends = []
    for group in groups:
        *inner, last = group.boundaries[1:]
        ends.append((*(end for end in inner if draw(st.booleans())), last))
    return draw(st.sampled_from([*STRATEGIES, *[label_of(groups, tuple(ends))] * 3]))


def mem_opt(workload: Workload) -> str:
    """The chain that ends at every window."""
    groups = groups_of(workload)
    return label_of(groups, tuple(group.boundaries[1:] for group in groups))


@dataclass(frozen=True, slots=True)
class Sliced:
    """What came of a run: the rows of each query in the order they were written, and the tally."""

    rows: dict[str, list[tuple[int, ...]]]
    tally: Tally


def sliced(
    workload: Workload,
    feed: Feed,
    label: str,
    partitions: int = 1,
    cuts: Sequence[int] = (),
    span: Span = SPAN,
) -> Sliced:
    """Run the plan with this label over a feed cut into batches at these places."""
    plan = built(workload, label).plan
    split = Split(partitions, None)
    program = program_of(plan, workload, feed, span, split)
    rows, totals = stepped(program, split, feed, cuts, keep_rows=True)
    rows.sort(key=lambda row: row[-1])
    by_query = {
        query.name: [row[1:4] for row in rows if row[0] == number]
        for number, query in enumerate(workload.queries)
    }
    return Sliced(by_query, program.tally(totals, plan))


def feed_of(workload: Workload, data: Data) -> Feed:
    """The tuples merged in arrival order."""
    return pair_feed(workload, tables_of(data, {"k": "int64", "v": "int64"}))

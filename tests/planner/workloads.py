"""Workloads that tests share, built from the types: the paper's tables and variations of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from planner.families.protocol import Candidate, Ranking
from planner.workload.execution import Execution
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

Row = tuple[float, float, int]

# (rate, seconds, distinct values) of each stream, as the paper prints them.
TABLE_5: tuple[Row, ...] = ((10, 100, 500), (1, 100, 50), (1, 200, 40), (3, 100, 5))
TABLE_6: tuple[Row, ...] = ((100, 100, 200), (1, 100, 200), (1, 100, 20), (3, 100, 2))
TABLE_7: tuple[Row, ...] = ((11, 100, 200), (10, 100, 100), (1, 100, 65), (1, 100, 20))
EIGHT: tuple[Row, ...] = (
    (10, 100, 500),
    (1, 100, 50),
    (1, 200, 40),
    (3, 100, 5),
    (2, 50, 90),
    (5, 20, 30),
    (1, 300, 700),
    (4, 60, 12),
)


def equality_join(
    rows: Sequence[Row], execution: Execution | None = None, names: Sequence[str] | None = None
) -> Workload:
    """All streams joined on `attr`: S1, S2 and so on unless they are named."""
    names = names or [f"S{place}" for place in range(1, len(rows) + 1)]
    streams = tuple(
        Stream(name, rate, {"attr": Attribute(distinct)})
        for name, (rate, _, distinct) in zip(names, rows, strict=True)
    )
    windows = [TimeWindow(seconds) for _, seconds, _ in rows]
    query = chain_query("Q1", {name: (name, w) for name, w in zip(names, windows, strict=True)})
    return Workload("a join", streams, (query,), execution=execution or Execution())


def multiway(ranking: Ranking) -> list[Candidate]:
    """The multiway orders of a ranking: those that the paper's tables speak of."""
    return [c for c in ranking.candidates if ":" not in c.label]


def chain_query(name: str, sources: Mapping[str, tuple[str, TimeWindow]]) -> Query:
    """A query whose sources, `alias: (stream, window)`, are linked one to the next by `attr`."""
    aliases = list(sources)
    links = pairwise(aliases)
    return Query(
        name,
        tuple(Source(alias, stream, window) for alias, (stream, window) in sources.items()),
        tuple(Predicate(Column(a, "attr"), "=", Column(b, "attr")) for a, b in links),
    )


def self_join() -> Workload:
    """One stream twice, under two aliases, and another stream."""
    streams = (
        Stream("S", 2, {"attr": Attribute(20)}),
        Stream("R", 3, {"attr": Attribute(50)}),
    )
    sources = {"a": ("S", TimeWindow(10)), "b": ("S", TimeWindow(30)), "R": ("R", TimeWindow(20))}
    return Workload("a self-join", streams, (chain_query("Q1", sources),))


HASHED = Execution(join="hash", buckets=5)
PER_VALUE = Execution(join="hash")
HYBRID = Execution(join={"S1": "hash", "S3": "hash"}, buckets={"S1": 7, "S3": "per-value"})

SAMPLES: dict[str, Workload] = {
    "table 5": equality_join(TABLE_5),
    "table 6": equality_join(TABLE_6),
    "table 7": equality_join(TABLE_7),
    "table 5, 5 buckets": equality_join(TABLE_5, HASHED),
    "table 6, per value": equality_join(TABLE_6, PER_VALUE),
    "table 7, hybrid": equality_join(TABLE_7, HYBRID),
    "two streams": equality_join(TABLE_5[:2]),
    "self-join": self_join(),
    "nine streams": equality_join((*EIGHT, (2, 10, 33))),
}

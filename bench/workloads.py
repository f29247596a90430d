"""The workloads that are timed, their tuples, and the answers that are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

from planner.experiments.golab.curves import Row, equality_join
from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

TWO_WAY: tuple[Row, ...] = ((50, 100, 500), (50, 100, 500))
FOUR_WAY: tuple[Row, ...] = ((10, 100, 500),) * 4
# Rate, window and distinct values of each stream of Golab & Özsu's Table 5.
TABLE_5: tuple[Row, ...] = ((10, 100, 500), (1, 100, 50), (1, 200, 40), (3, 100, 5))


def join_of(parameters: tuple[Row, ...], tuples: int) -> Workload:
    """An equi-join of streams with these parameters, run on about so many tuples in all."""
    return equality_join(f"{len(parameters)}-way join", parameters, tuples)


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What an engine found, and in how many seconds."""

    results: int
    digest: int
    seconds: float


def tables_of(workload: Workload) -> dict[str, Table]:
    """The tuples of a whole run, by stream."""
    seconds = (workload.run.warmup or 0) + workload.run.duration
    return generate(workload, seconds, workload.run.seed)


SHAPES = ("chain", "star", "cycle", "clique")


def graph_of(parameters: tuple[Row, ...], shape: str) -> Workload:
    """Streams with these parameters in a join graph, linked by an attribute for each edge."""
    count = len(parameters)
    pairs = list(combinations(range(count), 2))
    edges = {
        "chain": [(a, b) for a, b in pairs if b == a + 1],
        "star": [(a, b) for a, b in pairs if a == 0],
        "cycle": [(a, b) for a, b in pairs if b - a in (1, count - 1)],
        "clique": pairs,
    }[shape]
    names = [f"S{number}" for number in range(1, count + 1)]
    streams = tuple(
        Stream(
            name,
            rate,
            {f"e{a}_{b}": Attribute(distinct + a + b) for a, b in edges if place in (a, b)},
        )
        for place, (name, (rate, _, distinct)) in enumerate(zip(names, parameters, strict=True))
    )
    sources = tuple(
        Source(name, name, TimeWindow(window))
        for name, (_, window, _) in zip(names, parameters, strict=True)
    )
    predicates = tuple(
        Predicate(Column(names[a], f"e{a}_{b}"), "=", Column(names[b], f"e{a}_{b}"))
        for a, b in edges
    )
    return Workload(f"a {shape} of {count}", streams, (Query("Q1", sources, predicates),))


def hashed(workload: Workload, buckets: int | None = None) -> Workload:
    """The same with a hash table on every window: so many buckets, or an index per value."""
    execution = Execution(join="hash", buckets=buckets or "per-value")
    return replace(workload, execution=execution)

"""Workloads on join graphs that tests share: several attributes, bands, filters, relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner.workload.execution import DeclaredStatistic, Every, Execution, Statistics
from planner.workload.query import (
    Column,
    CountWindow,
    Filter,
    LandmarkWindow,
    Predicate,
    Query,
    Source,
    TimeWindow,
)
from planner.workload.streams import Attribute, Relation, RelationChanges, Stream
from planner.workload.workload import Workload

Edge = tuple[int, int]


def graph_join(
    rows: Sequence[tuple[float, float]], edges: Iterable[Edge], execution: Execution | None = None
) -> Workload:
    """Streams (rate, seconds) linked by an attribute of its own for each edge: `S1.e12 = S2.e12`.

    Edge (i, j) has 5 + 3 i + 7 j values, so that no two edges weigh the same.
    """
    edges = list(edges)
    streams = tuple(
        Stream(
            f"S{place + 1}",
            rate,
            {_name(e): Attribute(5 + 3 * e[0] + 7 * e[1]) for e in edges if place in e},
        )
        for place, (rate, _) in enumerate(rows)
    )
    sources = tuple(
        Source(stream.name, stream.name, TimeWindow(seconds))
        for stream, (_, seconds) in zip(streams, rows, strict=True)
    )
    predicates = tuple(
        Predicate(Column(f"S{a + 1}", _name((a, b))), "=", Column(f"S{b + 1}", _name((a, b))))
        for a, b in edges
    )
    query = Query("Q1", sources, predicates)
    return Workload("a join graph", streams, (query,), execution=execution or Execution())


def _name(edge: Edge) -> str:
    return f"e{edge[0] + 1}_{edge[1] + 1}"


def chain(count: int) -> list[Edge]:
    """Each linked with the next."""
    return [(place, place + 1) for place in range(count - 1)]


def star(count: int) -> list[Edge]:
    """The first linked with every other."""
    return [(0, place) for place in range(1, count)]


def cycle(count: int) -> list[Edge]:
    """A chain whose ends are linked."""
    return [*chain(count), (0, count - 1)]


def clique(count: int) -> list[Edge]:
    """All linked with all."""
    return [(a, b) for a in range(count) for b in range(a + 1, count)]


def mixed_join(execution: Execution | None = None) -> Workload:
    """A filtered stream, a count window, a band, and a relation that changes."""
    streams = (
        Stream("A", 8, {"k": Attribute(20), "x": Attribute(100), "v": Attribute(10)}),
        Stream("B", 2, {"k": Attribute(30), "r": Attribute(12)}),
        Stream("C", 3, {"x": Attribute(100)}),
    )
    relations = (Relation("R", 40, {"r": Attribute(12)}, RelationChanges(0.5, 0.25)),)
    query = Query(
        "Q1",
        (
            Source("A", "A", TimeWindow(10)),
            Source("B", "B", CountWindow(50)),
            Source("C", "C", TimeWindow(30)),
            Source("R", "R", None),
        ),
        (
            Predicate(Column("A", "k"), "=", Column("B", "k")),
            Predicate(Column("A", "x"), "<=", Column("C", "x"), 5),
            Predicate(Column("C", "x"), "<=", Column("A", "x"), 5),
            Predicate(Column("B", "r"), "=", Column("R", "r")),
        ),
        (Filter(Column("A", "v"), "<=", 5),),
    )
    return Workload("mixed", streams, (query,), relations, execution or Execution())


def expensive_join(cost: float) -> Workload:
    """A chain of three whose first predicate is dear to check."""
    workload = graph_join([(2, 30), (5, 10), (3, 20)], [(0, 1), (1, 2), (0, 2)])
    declared = {"S1.e1_2 = S2.e1_2": DeclaredStatistic(cost=cost)}
    return Workload(
        "expensive", workload.streams, workload.queries, statistics=Statistics(declared)
    )


def growing_join() -> Workload:
    """Two landmark windows, of which one has a filter of several constants."""
    streams = (
        Stream("A", 3, {"k": Attribute(40), "v": Attribute(10)}),
        Stream("B", 2, {"k": Attribute(40)}),
    )
    query = Query(
        "Q1",
        tuple(Source(name, name, LandmarkWindow()) for name in "AB"),
        (Predicate(Column("A", "k"), "=", Column("B", "k")),),
        (Filter(Column("A", "v"), "=", (2, 5, 9)),),
    )
    return Workload("growing", streams, (query,), execution=Execution(join="hash", buckets=4))


GRAPH_SAMPLES: dict[str, Workload] = {
    "growing": growing_join(),
    "chain": graph_join([(2, 30), (5, 10), (3, 20), (1, 60)], chain(4)),
    "cycle, hashed, lazy": graph_join(
        [(2, 30), (5, 10), (3, 20), (1, 60)],
        cycle(4),
        Execution(join="hash", evaluate=Every(5), expire=Every(10)),
    ),
    "mixed": mixed_join(),
    "mixed, hashed, lazy": mixed_join(Execution(join="hash", buckets=4, evaluate=Every(5))),
    "expensive": expensive_join(20),
    "nine in a chain": graph_join([(1 + place % 3, 10) for place in range(9)], chain(9)),
}

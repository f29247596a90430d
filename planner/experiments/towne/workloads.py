"""The setting of Section 4: two streams that tick together, and a relation between them."""

from __future__ import annotations

from dataclasses import replace

from planner.files.query.text import format_query
from planner.workload.execution import Execution, RunSettings, Shedding
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import (
    Arrivals,
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.workload import Workload

# The paper leaves open how many keys there are and how important a tuple can be.
KEYS = 50
MOST_IMPORTANCE = 10.0
LENGTH = 5_000
ROWS = 250


def star_join(
    lifetime: int,
    memory: int,
    length: int = LENGTH,
    rows: int = ROWS,
    distinct: int = KEYS,
    zipf: float = 1.0,
    changes: RelationChanges | None = None,
    shedding: Shedding | None = None,
    seed: int = 7,
) -> Workload:
    """R and S with `length` tuples each, one of each a second, joined through `rows` rows of F.

    R is skewed and S uniform; rare keys are the most important ones. Tuples live for `lifetime`
    seconds, and `memory` of them may be kept.
    """
    together = Arrivals("regular", phase=0)
    streams = tuple(
        Stream(
            name,
            1.0,
            {
                key: Attribute(distinct, exponent),
                "importance": Attribute(importance_of=ImportanceOf(key, most=MOST_IMPORTANCE)),
            },
            together,
            importance="importance",
        )
        for name, key, exponent in (("R", "a", zipf), ("S", "b", 0.0))
    )
    keys = {"a": Attribute(distinct), "b": Attribute(distinct)}
    relation = Relation("F", rows, keys, changes or RelationChanges(), distinct_rows=True)
    return Workload(
        f"a star join, m = {lifetime}, M = {memory}",
        streams,
        (_query(lifetime),),
        (relation,),
        Execution(memory=memory, shedding=shedding or Shedding()),
        run=RunSettings(seed, warmup=lifetime, duration=length - lifetime),
    )


def _query(lifetime: int) -> Query:
    window = TimeWindow(lifetime)
    sources = (Source("R", "R", window), Source("F", "F", None), Source("S", "S", window))
    predicates = (
        Predicate(Column("F", "a"), "=", Column("R", "a")),
        Predicate(Column("F", "b"), "=", Column("S", "b")),
    )
    query = Query("star", sources, predicates)
    return replace(query, text=format_query(query))

"""Workloads of streams that meet through a relation, with too little memory for their windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from planner.experiments.towne.workloads import star_join
from planner.families.load_shedding.space import Policies
from planner.files.query.text import parse_query
from planner.workload.execution import Execution, RunSettings, Shedding
from planner.workload.streams import (
    Arrivals,
    Attribute,
    Relation,
    RelationChanges,
    Stream,
    catalogue,
)
from planner.workload.workload import Workload


def star(
    text: str,
    memory: int | None = 12,
    arrivals: Arrivals | None = None,
    rows: int = 60,
    changes: RelationChanges | None = None,
    attributes: Mapping[str, Attribute] | None = None,
    shedding: Shedding | None = None,
    **execution: Any,
) -> Workload:
    """A query over the streams R, S and T, which have keys a, b and c and a `worth`, and F."""
    own = attributes or {"worth": Attribute(5)}
    streams = tuple(
        Stream(
            name,
            rate,
            {key: Attribute(12, zipf), "v": Attribute(100), **own},
            arrivals or Arrivals(),
            importance="worth",
        )
        for name, key, rate, zipf in (("R", "a", 2, 1.0), ("S", "b", 3, 0.0), ("T", "c", 1, 0.5))
    )
    keys = {"a": Attribute(12), "b": Attribute(12), "c": Attribute(12)}
    relation = Relation("F", rows, keys, changes or RelationChanges())
    query = parse_query(text, "Q1", ["F"], catalogue([*streams, relation]))
    settings = {"memory": memory, "shedding": shedding or Shedding(), **execution}
    return Workload(
        "a star",
        streams,
        (query,),
        (relation,),
        Execution(**settings),
        run=RunSettings(7, None, 60),
    )


TWO = "SELECT * FROM R [RANGE 10], F, S [RANGE 8] WHERE R.a = F.a AND S.b = F.b"
THREE = (
    "SELECT * FROM R [RANGE 6], F, S [RANGE 5], T [RANGE 9] "
    "WHERE R.a = F.a AND S.b = F.b AND T.c = F.c"
)
ONE = "SELECT * FROM R [RANGE 10], F WHERE R.a = F.a"
PLAIN = "SELECT * FROM R [RANGE 10], S [RANGE 8] WHERE R.a = S.b"
KEYED = "SELECT * FROM R [RANGE 10], F, S [RANGE 8] WHERE R.a = F.a AND S.b = F.a"
FILTERED = f"{TWO} AND R.a > 3 AND R.v > 50 AND S.v < 80 AND F.b < 10"


def ticking(lifetime: int = 20, memory: int = 10, length: int = 300) -> Workload:
    """The paper's setting, smaller."""
    return star_join(lifetime, memory, length, rows=60, distinct=20)


STAR_SAMPLES: dict[str, Workload] = {
    "ticking together": ticking(),
    "two streams": star(TWO),
    "one stream": star(ONE),
    "three streams": star(THREE),
    "no relation": star(PLAIN),
    "aggregates": star(
        "SELECT S.v, COUNT(*), SUM(R.v) FROM R [RANGE 10], S [RANGE 10] WHERE R.a = S.b "
        "GROUP BY S.v"
    ),
    "changing": star(TWO, changes=RelationChanges(0.5, 0.5)),
    "filters, scan and hash": star(FILTERED, shedding=Shedding(access={"R": "hash", "S": "scan"})),
    "search, buckets": star(KEYED, shedding=Shedding(access="search"), buckets=5),
    "bursts": star(TWO, arrivals=Arrivals("pareto", 2.5)),
    "regular, no pre-filter": star(
        TWO, arrivals=Arrivals("regular"), rows=8, shedding=Shedding(prefilter=False)
    ),
    "split": star(TWO, shedding=Shedding(split={"R": 3})),
    "ample": star(TWO, memory=400),
    "hardly any": star(TWO, memory=1),
    "no importance": replace(
        star(PLAIN), streams=tuple(replace(s, importance=None) for s in star(PLAIN).streams)
    ),
}


@cache
def star_space(sample: str) -> Policies:
    """One for all tests: what it has simulated, it need not simulate again."""
    return Policies(STAR_SAMPLES[sample])

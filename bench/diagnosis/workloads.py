"""The workloads of `diagnosis`: one of each family by number, and what is declared of it.

The same number is the same workload. Two streams of 15 to 45 tuples/s (three of half as many, where
memory is short of 0.4 times as many) are joined on one key over windows of 5 to 20 s; A has a
condition on its value. What is random beside that depends on
the family: the number of queries, groups, a relation that changes, memory, load.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from planner.files.workload_file import load_workload
from planner.statistics.selectivity import (
    all_predicates,
    filter_selectivity,
    keys,
    predicate_selectivity,
)
from planner.workload.execution import DeclaredStatistic, Statistics
from planner.workload.workload import Workload

VALUES = 100
# A run is measured for so many times the longest window.
WINDOWS = 8


@dataclass(frozen=True, slots=True)
class DrawnNumbers:
    """The numbers that a workload is made of."""

    windows: tuple[int, ...]
    rates: tuple[float, ...]
    keys: int
    threshold: int
    zipf: float
    draw: random.Random


def drawn(number: int, zipf: float = 0.0) -> DrawnNumbers:
    """The numbers of the workload with this number."""
    draw = random.Random(number)
    windows = tuple(sorted(draw.sample(range(5, 21), 3)))
    rates = tuple(round(draw.uniform(15, 45), 1) for _ in range(3))
    return DrawnNumbers(windows, rates, draw.randint(20, 80), draw.choice((30, 50, 70)), zipf, draw)


def _joins(by: DrawnNumbers) -> dict[str, Any]:
    names = "ABC"[: by.draw.choice((2, 3))]
    sources = ", ".join(f"{name} [RANGE {by.draw.choice(by.windows[1:])}]" for name in names)
    equal = " AND ".join(f"A.k = {name}.k" for name in names[1:])
    text = f"SELECT * FROM {sources} WHERE {equal} AND A.v > {by.threshold}"
    slower = 1.0 if len(names) == 2 else 0.5
    return {"names": names, "queries": [text], "execution": _method(by), "slower": slower}


def _aggregations(by: DrawnNumbers) -> dict[str, Any]:
    one, other = (by.draw.choice(by.windows) for _ in "AB")
    of = by.draw.choice(("COUNT(*)", "SUM(B.v)", "COUNT(*), SUM(A.v)"))
    text = (
        f"SELECT A.g, {of} FROM A [RANGE {one}], B [RANGE {other}] "
        f"WHERE A.k = B.k AND A.v > {by.threshold} GROUP BY A.g"
    )
    return {"names": "AB", "queries": [text], "execution": _method(by)}


def _chains(by: DrawnNumbers) -> dict[str, Any]:
    filtered = by.draw.choice(((2,), (1, 2), (0, 1, 2)))
    return {"names": "AB", "queries": _shared(by, filtered), "execution": _method(by)}


def _schedules(by: DrawnNumbers) -> dict[str, Any]:
    load = round(by.draw.uniform(0.4, 0.8), 2)
    costs = {"compare": 1e-6, "output": 1e-6}
    execution = {**_method(by), "utilisation": load, "unit_costs": costs}
    filtered = by.draw.choice(((2,), (1, 2)))
    return {"names": "AB", "queries": _shared(by, filtered), "execution": execution}


def _shedding(by: DrawnNumbers) -> dict[str, Any]:
    window, slower = by.windows[-1], 0.4
    held = window * slower * sum(by.rates[:2])
    memory = max(4, round(held * by.draw.choice((0.1, 0.2, 0.4))))
    found: dict[str, Any] = {"names": "AB", "execution": {"memory": memory}, "importance": "w"}
    found["slower"] = slower
    if by.draw.random() < 0.5:
        text = f"SELECT * FROM A [RANGE {window}], B [RANGE {window}] WHERE A.k = B.k"
    else:
        text = (
            f"SELECT * FROM A [RANGE {window}], R, B [RANGE {window}] WHERE A.k = R.k AND R.k = B.k"
        )
        found["relation"] = {"name": "R", "rows": 2 * by.keys}
    return {**found, "queries": [f"{text} AND A.v > {by.threshold}"]}


def _shared(by: DrawnNumbers, filtered: tuple[int, ...]) -> list[str]:
    """A query of each window; some ask for something of A."""
    texts = []
    for number, window in enumerate(by.windows):
        more = f" AND A.v > {by.threshold}" if number in filtered else ""
        texts.append(f"SELECT * FROM A [RANGE {window}], B [RANGE {window}] WHERE A.k = B.k{more}")
    return texts


def _method(by: DrawnNumbers) -> dict[str, Any]:
    return by.draw.choice(({"join": "nested"}, {"join": "hash"}, {"join": "hash", "buckets": 5}))


MAKERS: dict[str, Callable[[DrawnNumbers], dict[str, Any]]] = {
    "join_order": _joins,
    "early_aggregation": _aggregations,
    "sliced_chain": _chains,
    "shared_schedule": _schedules,
    "load_shedding": _shedding,
}


def workload_of(family: str, number: int, zipf: float = 0.0) -> Workload:
    """The workload of a family with this number; its keys have this exponent."""
    by = drawn(number, zipf)
    made = MAKERS[family](by)
    key = {"distinct": by.keys, "distribution": {"zipf": zipf}} if zipf else {"distinct": by.keys}
    attributes: dict[str, Any] = {"k": key, "g": {"distinct": 5}, "v": {"distinct": VALUES}}
    importance = {}
    if "importance" in made:
        attributes["w"] = {"values": [1, 2, 5, 10], "distribution": {"zipf": 0.5}}
        importance = {"importance": made["importance"]}
    streams = [
        {
            "name": name,
            "rate": rate * made.get("slower", 1.0),
            "attributes": attributes,
            **importance,
        }
        for name, rate in zip(made["names"], by.rates, strict=False)
    ]
    relations = [{**made["relation"], "attributes": {"k": key}}] if "relation" in made else []
    document = {
        "version": 1,
        "name": f"{family} {number}",
        "streams": streams,
        "relations": relations,
        "queries": [{"name": f"Q{n}", "text": text} for n, text in enumerate(made["queries"], 1)],
        "execution": made["execution"],
        "run": {"seed": number, "duration": WINDOWS * by.windows[-1]},
    }
    return load_workload(str(document))


def stated(workload: Workload) -> Workload:
    """The workload with the share that it assumes of every condition declared."""
    filters: dict[str, DeclaredStatistic] = {}
    predicates: dict[str, DeclaredStatistic] = {}
    for query in workload.queries:
        for condition in query.filters:
            share = filter_selectivity(workload, query, condition)
            filters[next(keys(query, condition))] = DeclaredStatistic(share)
        for predicate in all_predicates(query):
            share = predicate_selectivity(workload, query, predicate)
            predicates[next(keys(query, predicate))] = DeclaredStatistic(share)
    return replace(workload, statistics=Statistics(predicates, filters))

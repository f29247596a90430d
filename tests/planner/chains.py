"""Workloads of many joins of two streams, built from query texts, and tuples for them."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from planner.files.query.text import parse_query
from planner.workload.execution import Execution, RunSettings, Statistics
from planner.workload.streams import Attribute, Stream, catalogue
from planner.workload.workload import Workload
from tests.oracles.joins import Data


def stream(name: str, rate: float, **more: Any) -> Stream:
    """A stream with a key `k` of ten values, and `v` and `u` of a hundred."""
    attributes = {"k": Attribute(10), "v": Attribute(100), "u": Attribute(100)}
    return Stream(name, rate, attributes, **more)


def joins(
    queries: Iterable[str],
    rates: tuple[float, float] = (20, 30),
    execution: Execution | None = None,
    streams: tuple[Stream, Stream] | None = None,
    statistics: Statistics | None = None,
    run: RunSettings | None = None,
) -> Workload:
    """Queries Q1, Q2 and so on over the streams A and B."""
    known = streams or (stream("A", rates[0]), stream("B", rates[1]))
    parsed = (
        parse_query(text, f"Q{place}", catalogue=catalogue(known))
        for place, text in enumerate(queries, start=1)
    )
    return Workload(
        "many joins",
        known,
        tuple(parsed),
        execution=execution or Execution(),
        statistics=statistics or Statistics(),
        run=run or RunSettings(),
    )


def joined(windows: str | float, *more: str, right: str | float | None = None) -> str:
    """The text of a join on `k` with these windows in seconds, and more conditions."""
    where = " AND ".join(["A.k = B.k", *more])
    other = windows if right is None else right
    return f"SELECT * FROM A [RANGE {windows}], B [RANGE {other}] WHERE {where}"


def tuples_of(workload: Workload, seconds: float, seed: int) -> Data:
    """As many tuples of each stream as its rate says, at random times.

    Values occur as often as they should, in random order: of chance only what matters is left.
    """
    rng = random.Random(seed)
    found = {}
    for one in workload.streams:
        count = round((one.rate or 1.0) * seconds)
        times = sorted(rng.uniform(0, seconds) for _ in range(count))
        columns = {}
        for attribute, known in one.attributes.items():
            ranks = range(1, (known.distinct or 100) + 1)
            weights = list(accumulate(rank**-known.zipf for rank in ranks))
            places = ((place + 0.5) / count * weights[-1] for place in range(count))
            columns[attribute] = [bisect(weights, place) + 1 for place in places]
            rng.shuffle(columns[attribute])
        found[one.name] = [
            (round(at * 1e6), {attribute: column[n] for attribute, column in columns.items()})
            for n, at in enumerate(times)
        ]
    return found


HASHED = Execution(join="hash", buckets=5)
PER_VALUE = Execution(join="hash")
COUNT_WINDOWS = (
    "SELECT * FROM A [ROWS 20], B [ROWS 10] WHERE A.k = B.k",
    "SELECT * FROM A [ROWS 60], B [ROWS 50] WHERE A.k = B.k AND A.v > 70",
)
FILTERED = (
    joined(2),
    joined(5, "A.v > 50"),
    joined(7, "A.v > 50", "A.u > 20"),
    joined(10, "A.v > 80", "B.v < 50", right=8),
)

CHAIN_SAMPLES: dict[str, Workload] = {
    "three windows": joins([joined(5), joined(10), joined(30)]),
    "filters on both streams": joins(FILTERED),
    "filters, 5 buckets": joins(FILTERED, execution=HASHED),
    "filters, per value": joins(FILTERED, execution=PER_VALUE),
    "overhead of slices": joins(FILTERED, execution=Execution(c_sys=3)),
    "count windows": joins(COUNT_WINDOWS),
    "three groups": joins(
        [*FILTERED, *COUNT_WINDOWS, "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.v < B.v"]
    ),
    "equal queries": joins([joined(5), joined(5)]),
    "fifteen windows": joins([joined(n, f"A.v > {6 * n}") for n in range(1, 16)]),
}

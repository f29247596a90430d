"""Tuples that differ from what is declared of them in one respect: what a diagnosis is to find.

Each makes the tuples of a workload anew; the workload itself stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import ColumnData, Table
from planner.workload.streams import Arrivals, Stream
from planner.workload.workload import Workload
from runtime.data.run_data import generated, run_seconds

Tables = dict[str, Table]
Random = np.random.Generator
Numbers = NDArray[np.int64]

WRONG_RATE = "wrong rate"
FILTER_SHARE = "filter share"
SKEW = "skew"
BURSTS = "bursts"
DRIFT = "keys drifting in time"
FILTERED_KEYS = "filter correlated with key"
APART = "no key in common"


def wrong_rate(workload: Workload, random: Random) -> Tables:
    """One stream brings half to two thirds of its tuples, or half as many more to twice as many."""
    place = int(random.integers(len(workload.streams)))
    factor = random.uniform(1.5, 2.0) ** random.choice((-1, 1))
    stream = workload.streams[place]
    assert stream.rate is not None, "all rates are declared"
    faster = replace(stream, rate=stream.rate * factor)
    return generated(_with_streams(workload, [faster]))


def filter_share(workload: Workload, random: Random) -> Tables:
    """A third to a half fewer tuples of A pass its conditions, or so many more."""
    threshold = threshold_of(workload)
    share = 1 - threshold / 100
    share = min(0.95, share * random.uniform(1.4, 1.7) ** random.choice((-1, 1)))

    def values(table: Table) -> Numbers:
        passing = random.random(len(table)) < share
        low, high = (random.integers(a, b + 1, len(table)) for a, b in _sides(threshold))
        return np.where(passing, high, low)

    return with_column(generated(workload), "A", "v", values)


def skew(workload: Workload, random: Random) -> Tables:
    """Keys of all sources have an exponent of 0.8 to 1.2."""
    exponent = random.uniform(0.8, 1.2)
    streams = [
        replace(s, attributes={**s.attributes, "k": replace(s.attributes["k"], zipf=exponent)})
        for s in workload.streams
    ]
    relations = tuple(
        replace(r, attributes={**r.attributes, "k": replace(r.attributes["k"], zipf=exponent)})
        for r in workload.relations
    )
    return generated(replace(_with_streams(workload, streams), relations=relations))


def bursts(workload: Workload, random: Random) -> Tables:
    """All streams come in bursts of 5 to 15 tuples: of one size, or of sizes with a heavy tail."""
    size = random.uniform(5, 15)
    if random.random() < 0.5:
        arrivals = Arrivals("pareto", size)
        return generated(
            _with_streams(workload, [replace(s, arrivals=arrivals) for s in workload.streams])
        )
    length = round(size)
    found = generated(workload)
    for stream in workload.streams:
        table = found[stream.name]
        firsts = np.sort(random.choice(table.ts, -(-len(table) // length), replace=False))
        found[stream.name] = replace(table, ts=np.repeat(firsts, length)[: len(table)])
    return found


def drift(workload: Workload, random: Random) -> Tables:
    """Keys move on through all values twice or three times, some at a time: over the whole run all
    are as frequent."""
    count = _keys(workload)
    width = max(2, count // int(random.integers(4, 9)))
    lap = 1e6 * run_seconds(workload) / int(random.integers(2, 4))

    def moving(table: Table) -> Numbers:
        first = (table.ts / lap * count).astype(np.int64)
        return (first + random.integers(0, width, len(table))) % count + 1

    found = generated(workload)
    for stream in workload.streams:
        found = with_column(found, stream.name, "k", moving)
    return found


def filtered_keys(workload: Workload, random: Random) -> Tables:
    """As many tuples of A pass as declared: those with the most frequent keys, or the rarest."""
    threshold = threshold_of(workload)
    rarest = bool(random.random() < 0.5)

    def values(table: Table) -> Numbers:
        keys = np.asarray(table.columns["k"].values, np.int64)
        order = np.argsort(-keys if rarest else keys, kind="stable")
        passing = np.zeros(len(table), np.bool_)
        passing[order[: round(len(table) * (1 - threshold / 100))]] = True
        low, high = (random.integers(a, b + 1, len(table)) for a, b in _sides(threshold))
        return np.where(passing, high, low)

    return with_column(generated(workload), "A", "v", values)


def apart(workload: Workload, random: Random) -> Tables:  # noqa: ARG001
    """A has keys that no other source has."""
    count = _keys(workload)
    return with_column(
        generated(workload), "A", "k", lambda t: np.asarray(t.columns["k"].values) + count
    )


INJECTIONS: dict[str, Callable[[Workload, Random], Tables]] = {
    WRONG_RATE: wrong_rate,
    FILTER_SHARE: filter_share,
    SKEW: skew,
    BURSTS: bursts,
    DRIFT: drift,
    FILTERED_KEYS: filtered_keys,
    APART: apart,
}
# Only where some keys are more frequent than others does it matter which of them pass.
SKEWED = (FILTERED_KEYS,)


def with_column(
    tables: Tables, name: str, column: str, values: Callable[[Table], Numbers]
) -> Tables:
    """The tables with other values in one column of one of them."""
    table = tables[name]
    columns = {**table.columns, column: ColumnData(values(table))}
    return {**tables, name: replace(table, columns=columns)}


def threshold_of(workload: Workload) -> int:
    """Above which value tuples of A pass."""
    return next(int(f.constants[0]) for query in workload.queries for f in query.filters)


def _sides(threshold: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (1, threshold), (threshold + 1, 100)


def _keys(workload: Workload) -> int:
    return workload.streams[0].attributes["k"].distinct or 0


def _with_streams(workload: Workload, changed: list[Stream]) -> Workload:
    known = {s.name: s for s in workload.streams} | {s.name: s for s in changed}
    return replace(workload, streams=tuple(known.values()))

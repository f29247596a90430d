"""The tuples that policies are simulated on: drawn as a run's are, by a seed of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.star import Star
from planner.files.tuple_table import ColumnData, Table
from planner.statistics.generate import generate
from planner.workload.workload import Workload

# Tuples of all streams that are measured, and that windows may hold; larger ones are thinned.
MEASURED = 2_000
MOST_IN_WINDOWS = 4_000
# Simulations take time by the results they find.
LEAST_MEASURED, MOST_RESULTS = 400, 40_000
MOST_DRAWS = 50
# Changes the seed of a run into another one.
_APART = 0x5EED5EED


@dataclass(frozen=True, slots=True)
class TupleSample:
    """Tuples of the first `seconds`, windows being full from `warmup` on.

    Where that is a short time, tuples are drawn several times over. With `thinned` above 1, one in
    so many tuples is there: memory is thinned alike.
    """

    draws: tuple[Mapping[str, Table], ...]
    seconds: float
    warmup: float
    thinned: float

    def serves(self, shares: Sequence[int]) -> bool:
        """Whether something is left of every share of memory once it is thinned."""
        return all(not share or share >= self.thinned for share in shares)

    def share(self, share: int) -> int:
        """The memory of an arm, thinned as its tuples are; what there is, is never nothing."""
        return max(min(share, 1), round(share / self.thinned))

    @property
    def tuples(self) -> int:
        """How many tuples were drawn."""
        return sum(len(table.ts) for tables in self.draws for table in tables.values())


def drawn_sample(model: ShedModel, effort: float = 1.0) -> TupleSample:
    """The first tuples of a run that never is: as many as are quickly simulated, or a share."""
    most_measured, least_measured = MEASURED * effort, LEAST_MEASURED * effort
    most_results, most_stored = MOST_RESULTS * effort, MOST_IN_WINDOWS * effort
    workload, arriving = model.workload, sum(s.rate or 0.0 for s in model.streams)
    warmup = max(model.lifetimes)
    # Where tuples are in many results fewer are measured; if that is not enough, fewer are drawn.
    each = sum(model.exact) / arriving
    measured = most_measured
    if each:
        measured = min(most_measured, max(least_measured, most_results / each))
    filling = arriving * warmup / 2
    thinned = max(
        1.0,
        arriving * warmup / most_stored,
        each * (filling + measured) / (most_results + least_measured * each),
    )
    seconds = warmup + measured * thinned / arriving
    if seconds >= model.span:
        # Nothing has to be scaled where the whole span is simulated.
        seconds = model.span
    expected = max(1.0, arriving * seconds / thinned)
    draws = min(MOST_DRAWS, max(1, round(measured / expected)))
    # Never the seed of the run itself.
    seeds = (workload.run.seed ^ (_APART + number) for number in range(draws))
    rarer = _thinned(workload, thinned)
    tables = tuple(generate(rarer, max(seconds, 1e-6), seed) for seed in seeds)
    return TupleSample(tables, seconds, min(warmup, seconds), thinned)


def _thinned(workload: Workload, thinned: float) -> Workload:
    """At so many times lower rates, which stay as declared: plans are priced at these."""
    streams = (
        replace(
            stream,
            rate=stream.rate and stream.rate / thinned,
            arrivals=replace(stream.arrivals, shape=None),
        )
        for stream in workload.streams
    )
    return replace(workload, streams=tuple(streams))


def chosen(table: Table, places: np.ndarray) -> Table:
    """Some tuples of a stream, or rows of a relation."""
    return Table(
        table.seq[places],
        table.ts[places] if len(table.ts) else table.ts,
        {
            name: ColumnData(c.values[places], None if c.valid is None else c.valid[places])
            for name, c in table.columns.items()
        },
        None if table.begin is None else table.begin[places],
        None if table.end is None else table.end[places],
    )


def partitions(star: Star, tables: Mapping[str, Table], count: int) -> Iterator[dict[str, Table]]:
    """The tuples of a star that is joined on one attribute, shared out by the digest of keys."""
    attributes = {arm.source.name: arm.key.attribute for arm in star.arms}
    joined = star.arms[0].joined
    if star.relation is not None and joined is not None:
        attributes[star.relation.name] = joined.attribute
    places = {
        name: _partition(tables[name].columns[own], count) for name, own in attributes.items()
    }
    for number in range(count):
        yield {
            name: chosen(tables[name], np.flatnonzero(own == number))
            for name, own in places.items()
        }


def _partition(keys: ColumnData, count: int) -> np.ndarray:
    values, places = np.unique(keys.values, return_inverse=True)
    digests = np.array([crc32(str(value).encode()) % count for value in values.tolist()], np.int64)
    return np.asarray(digests[places])

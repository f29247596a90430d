"""A workload turned into its tuples: the same seed gives the same tuples, in every process."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from planner.errors import RunError
from planner.files.free_memory import check_memory
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.statistics.distributions import PLAIN_DISTINCT
from planner.workload.arrival_shapes import Profile
from planner.workload.streams import Arrivals, Attribute, ImportanceOf, Relation, Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload

MOST_TUPLES = 200_000_000
# What is taken while tuples are generated: measured, and rounded up. A row of a relation is looked
# at by itself, and a different value may be a text.
BYTES_PER_TUPLE, BYTES_PER_ROW = 40, 250
BYTES_PER_VALUE, BYTES_PER_DISTINCT = 32, 100
# Relations are counted from 0 as streams are, and must not be given the same seeds.
_OF_RELATIONS = (1_000_003,)


def generate(workload: Workload, seconds: float, seed: int) -> dict[str, Table]:
    """The tuples of the queries' streams in [0, seconds) of stream time, and their relations' rows.

    A longer span begins with the same tuples: times and values come from generators of their own.
    """
    streams, relations = used_inputs(workload)
    check_tuples(workload, [s for _, s in streams], [r for _, r in relations], seconds)
    tables = {
        s.name: _stream(s, _profile(workload, s), seconds, SeedSequence([seed, place]))
        for place, s in streams
    }
    for place, relation in relations:
        own = SeedSequence([seed, place], spawn_key=_OF_RELATIONS)
        tables[relation.name] = _rows(relation, seconds, own)
    return tables


def used_inputs(
    workload: Workload,
) -> tuple[list[tuple[int, Stream]], list[tuple[int, Relation]]]:
    """The streams and the relations of the queries, with their places in the workload."""
    used = {source.name for query in workload.queries for source in query.sources}
    return (
        [(place, s) for place, s in enumerate(workload.streams) if s.name in used],
        [(place, r) for place, r in enumerate(workload.relations) if r.name in used],
    )


def check_tuples(
    workload: Workload, streams: Sequence[Stream], relations: Sequence[Relation], seconds: float
) -> None:
    """Refuse, before anything is made, what would make too many tuples."""
    arriving = {s.name: expected_tuples(workload, s, seconds) for s in streams}
    expected = sum(arriving.values())
    expected += sum((r.rows or 0) + r.changes.inserts * seconds for r in relations)
    if expected > MOST_TUPLES:
        raise RunError(
            f"would generate about {expected:,.0f} tuples; at most {MOST_TUPLES:,}. "
            "Shorten the duration and the warm-up, or lower the rates",
            "run.duration",
        )
    check_memory(
        sum(_bytes(s, arriving[s.name], BYTES_PER_TUPLE) for s in streams)
        + sum(
            _bytes(r, (r.rows or 0) + r.changes.inserts * seconds, BYTES_PER_ROW) for r in relations
        ),
        "to generate its tuples",
        "shorten the duration and the warm-up, lower the rates, or declare fewer distinct values",
        "run.duration",
    )


def expected_tuples(workload: Workload, stream: Stream, seconds: float) -> float:
    """How many tuples of a stream should arrive in so many seconds."""
    profile = _profile(workload, stream)
    return (stream.rate or 0.0) * (seconds if profile is None else profile.passed(seconds))


def _profile(workload: Workload, stream: Stream) -> Profile | None:
    """How the rate changes over time; None where it does not."""
    shape = stream.arrivals.shape
    if shape is None or stream.rate is None:
        return None
    return shape.profile(stream.rate, lambda other: workload.stream(other).rate or 0.0)


def _bytes(source: Stream | Relation, rows: float, each: int) -> float:
    """What generating so many tuples takes, each of them with so much besides its values."""
    known = source.attributes.values()
    distinct = sum(a.distinct or PLAIN_DISTINCT for a in known)
    return rows * (each + BYTES_PER_VALUE * len(known)) + distinct * BYTES_PER_DISTINCT


def _stream(stream: Stream, profile: Profile | None, seconds: float, seed: SeedSequence) -> Table:
    if stream.rate is None:
        raise RunError(
            "has no rate to generate tuples by; declare it, or run on your own data with --data",
            f"streams.{stream.name}.rate",
        )
    time_seed, *value_seeds = seed.spawn(1 + len(stream.attributes))
    random = default_rng(time_seed)
    if profile is None:
        ts = _times(stream.arrivals, stream.rate, seconds, random)
    else:
        # A second more than is needed: which tuples are the last must not depend on rounding.
        steady = _arrivals(stream.arrivals, stream.rate, profile.passed(seconds) + 1, random)
        times = profile.times(steady / 1e6)
        ts = np.rint(times[times < seconds + 1] * 1e6).astype(np.int64)
        ts = ts[ts < microseconds(seconds)]
    columns = _columns(stream, len(ts), value_seeds, f"streams.{stream.name}")
    return Table(np.arange(len(ts), dtype=np.int64), ts, columns)


def _rows(relation: Relation, seconds: float, seed: SeedSequence) -> Table:
    """Rows that are there from the start, then those that come; each delete ends one at random."""
    if relation.rows is None:
        raise RunError(
            "has no rows to generate; declare them, or run on your own data with --data",
            f"relations.{relation.name}.rows",
        )
    insert_seed, delete_seed, *value_seeds = seed.spawn(2 + len(relation.attributes))
    # Evenly spaced: by chance, a relation that loses what it gains would drift from its size.
    changes, evenly = relation.changes, Arrivals("regular")
    inserts = deletes = np.empty(0, np.int64)
    if changes.inserts:
        inserts = _times(evenly, changes.inserts, seconds, default_rng(insert_seed))
    time_seed, choice_seed = delete_seed.spawn(2)
    if changes.deletes:
        deletes = _times(evenly, changes.deletes, seconds, default_rng(time_seed))
    count = relation.rows + len(inserts)
    end = np.full(count, LAST, np.int64)
    active, come = list(range(relation.rows)), 0
    choices = default_rng(choice_seed).random(len(deletes))
    for when, choice in zip(deletes.tolist(), choices.tolist(), strict=True):
        while come < len(inserts) and inserts[come] <= when:
            active.append(relation.rows + come)
            come += 1
        if active:
            chosen = int(choice * len(active))
            end[active[chosen]] = when
            active[chosen] = active[-1]
            active.pop()
    columns = _columns(relation, count, value_seeds, f"relations.{relation.name}")
    begin = np.concatenate((np.full(relation.rows, FIRST, np.int64), inserts))
    if relation.distinct_rows:
        columns = _different(relation, columns, begin, end, seed)
    return Table(np.arange(count, dtype=np.int64), np.empty(0, np.int64), columns, begin, end)


def _different(
    relation: Relation,
    columns: dict[str, ColumnData],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    seed: SeedSequence,
) -> dict[str, ColumnData]:
    """The columns with every row drawn again that is equal to one that is active with it."""
    place = f"relations.{relation.name}.distinct_rows"
    possible = math.prod(a.distinct or PLAIN_DISTINCT for a in relation.attributes.values())
    random = default_rng(seed.spawn(1)[0])
    names = list(columns)
    rows = list(zip(*(columns[name].values.tolist() for name in names), strict=True))
    active: dict[tuple[object, ...], int] = {}
    for number, drawn in enumerate(rows):
        row = drawn
        if number and begin[number] > begin[number - 1]:
            active = {held: until for held, until in active.items() if until > begin[number]}
        if len(active) >= possible:
            raise RunError(
                f"there are {possible:,} different rows, and more are active at once; "
                "lower the rows or raise distinct",
                place,
            )
        while row in active:
            row = tuple(_values(relation.attributes[name], 1, random).tolist()[0] for name in names)
        rows[number] = row
        active[row] = int(end[number])
    return {
        name: ColumnData(np.array(values, dtype=columns[name].values.dtype), columns[name].valid)
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }


def _columns(
    source: Stream | Relation, count: int, seeds: Sequence[SeedSequence], place: str
) -> dict[str, ColumnData]:
    """So many values of every attribute, which have a seed each."""
    # Seeds by name: workloads that list attributes in another order are equal, so are their tuples.
    seed_of = dict(zip(sorted(source.attributes), seeds, strict=True))
    columns = {}
    for name, attribute in source.attributes.items():
        if attribute.importance_of is None:
            random = default_rng(seed_of[name])
            (missing,) = random.spawn(1)
            values = _values(attribute, count, random)
            valid = missing.random(count) >= attribute.missing if attribute.missing else None
            columns[name] = ColumnData(values, valid)
    for name, attribute in source.attributes.items():
        if (spec := attribute.importance_of) is not None:
            of = columns.get(spec.attribute)
            if of is None:
                raise RunError(
                    f"{spec.attribute} is an importance itself; take another attribute",
                    f"{place}.attributes.{name}.from",
                )
            columns[name] = _importance(spec, source.attributes[spec.attribute], of)
    return columns


def _importance(spec: ImportanceOf, attribute: Attribute, of: ColumnData) -> ColumnData:
    """By value, from `most` / distinct for the most frequent one up to `most` for the rarest.

    Values of equal frequency are in the order in which they are declared.
    """
    distinct = attribute.distinct or PLAIN_DISTINCT
    known = _ranked(attribute, np.arange(distinct))
    rank_of = {value: rank for rank, value in enumerate(known.tolist(), 1)}
    ranks = np.array([rank_of[value] for value in of.values.tolist()], np.float64)
    return ColumnData(spec.most * ranks / distinct, of.valid)


def _times(arrivals: Arrivals, rate: float, seconds: float, random: Generator) -> NDArray[np.int64]:
    """Arrival times in microseconds, in order, all below `seconds`."""
    return _arrivals(arrivals, rate, seconds, random).astype(np.int64)


def _arrivals(
    arrivals: Arrivals, rate: float, seconds: float, random: Generator
) -> NDArray[np.float64]:
    """The same, of a span that may be longer than any there is: that of a rate that is not kept."""
    if arrivals.kind == "regular":
        # A phase of its own keeps streams of one rate from arriving in step for ever.
        phase = random.random() if arrivals.phase is None else arrivals.phase
        times = (np.arange(int(rate * seconds) + 2) + phase) / rate
    elif arrivals.kind == "poisson":
        times = _until(seconds, 1 / rate, random)
    else:
        (size_random,) = random.spawn(1)
        bursts = _until(seconds, arrivals.burst / rate, random)
        # Pareto with least value 1 and mean `burst`, rounded up or down by chance to keep the mean.
        shape = arrivals.burst / (arrivals.burst - 1)
        draws = size_random.random((len(bursts), 2))
        sizes = np.floor((1 - draws[:, 0]) ** (-1 / shape) + draws[:, 1])
        capped = np.minimum(sizes, MOST_TUPLES).astype(np.int64)
        if capped.sum() > MOST_TUPLES:
            raise RunError(
                f"bursts of over {MOST_TUPLES:,} tuples; lower the burst size or the span"
            )
        times = np.repeat(bursts, capped)
    ticks = np.rint(times * 1_000_000)
    return np.asarray(ticks[ticks < microseconds(seconds)])


def _until(seconds: float, mean_gap: float, random: Generator) -> NDArray[np.float64]:
    """Times with exponential gaps, past `seconds`."""
    chunk = int(seconds / mean_gap * 1.01) + 100
    gaps = random.exponential(mean_gap, chunk)
    # Summed from the start each time: the rounding must not depend on how far the span goes.
    while (times := np.cumsum(gaps))[-1] < seconds:
        gaps = np.concatenate((gaps, random.exponential(mean_gap, chunk)))
    return times


def _values(attribute: Attribute, count: int, random: Generator) -> NDArray[np.generic]:
    """Values 1..distinct (or the declared values), uniform or by Zipf's law."""
    if attribute.type == "float" and attribute.distinct is None:
        return random.random(count) * PLAIN_DISTINCT
    distinct = attribute.distinct or PLAIN_DISTINCT
    if attribute.zipf:
        weights = np.arange(1, distinct + 1, dtype=np.float64) ** -attribute.zipf
        cumulative = np.cumsum(weights)
        drawn = random.random(count) * cumulative[-1]
        ranks = np.minimum(np.searchsorted(cumulative, drawn, side="right"), distinct - 1)
    else:
        ranks = random.integers(0, distinct, count)
    return _ranked(attribute, ranks)


def _ranked(attribute: Attribute, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
    """The values with these ranks; 0 is the most frequent one."""
    distinct = attribute.distinct or PLAIN_DISTINCT
    if attribute.values:
        declared = list(attribute.values)
        texts = any(isinstance(value, str) for value in declared)
        return np.array(declared, dtype=object if texts else None)[ranks]
    if attribute.type == "string":
        return np.array([f"v{rank}" for rank in range(1, distinct + 1)], dtype=object)[ranks]
    whole = (ranks + 1).astype(np.int64)
    return whole.astype(np.float64) if attribute.type == "float" else whole

"""Aggregation over a join of windows, by increments and decrements (late and early aggregation).

Every tuple that arrives, and every one that leaves its window, updates the aggregation set of its
source if that carries one, probes the other sources (their sets, or their windows), and updates
the groups of the output. After each such event the output is the aggregation over the join of the
windows as they then are.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from runtime.engines.early_aggregation.kernel.distinct_values import empty_values
from runtime.engines.early_aggregation.kernel.events import run_events
from runtime.engines.early_aggregation.kernel.groups import empty_groups, has_extrema
from runtime.engines.early_aggregation.kernel.layout import empty_store, probed_paths
from runtime.engines.early_aggregation.kernel.types import (
    A_BEST,
    COUNT,
    DISTINCT,
    EACH,
    GROUP_DOUBT,
    GROUP_STAMP,
    RELATION,
    AggregationArrivals,
    AggregationCounters,
    AggregationSpan,
    Functions,
    GroupSlots,
    Sources,
    Values,
)
from runtime.engines.kernels.conditions import filtered
from runtime.engines.kernels.digest import digest_of_rows, tuple_hashes
from runtime.engines.kernels.loop_types import Filters, LoopTable, Paths


class Standing(NamedTuple):
    """Where an aggregation stands between batches: its windows' tuples, the output, and a clock.

    `clock` holds the time up to which held groups are counted, and the block that is open.
    """

    stay: AggregationArrivals
    groups: GroupSlots
    values: Values
    clock: np.ndarray


class AggregationOutcome(NamedTuple):
    """What a batch left: the standing; changes and closed blocks as rows of groups.

    A change is [time, 0 for a tuple that left by the clock and 1 for others, place among those,
    group, rows, and per aggregate sum, present, best] as they are after the event; a closed block
    is [its start, group, rows, ...].
    """

    standing: Standing
    changes: np.ndarray
    blocks: np.ndarray


def nothing_yet(arriving: AggregationArrivals, aggregates: int) -> Standing:
    """The standing before the first batch; `arriving` shows how wide its columns are."""
    return Standing(
        arriving.take(slice(0, 0)),
        empty_groups(aggregates),
        empty_values(),
        np.array([np.iinfo(np.int64).min, -1], np.int64),
    )


def group_rows(groups: GroupSlots) -> np.ndarray:
    """The groups, or parts of them, that are there: [group, rows, and sum, present, best of each].

    A part without rows may still hold a sum, which another part makes up for.
    """
    held = groups.held[: groups.sizes[0]]
    text = np.delete(held, [GROUP_STAMP, GROUP_DOUBT], axis=1)
    counts = np.delete(text, [0, *range(2 + A_BEST, text.shape[1], EACH)], axis=1)
    return text[counts.any(axis=1)]


def aggregate_batch(
    span: AggregationSpan,
    sources: Sources,
    functions: Functions,
    paths: Paths,
    loops: LoopTable,
    filters: Filters,
    standing: Standing,
    arriving: AggregationArrivals,
    counters: AggregationCounters,
    until: int,
    last: bool,
    most_rows: int,
) -> AggregationOutcome:
    """Aggregate the arriving tuples; tuples that leave their windows by `until` are taken out.

    After the `last` batch what is held counts until the end of the span. Up to
    `most_rows` changes are kept: none at 0.
    """
    arriving_hashes = tuple_hashes(arriving.source, arriving.seq)
    passing = filtered(span, filters, arriving, arriving_hashes, counters)
    # Tuples that do not pass still push others out of a count window.
    met = passing | (sources.kind[arriving.source] == COUNT)
    seen = standing.stay.followed_by(arriving.take(met))
    old = len(standing.stay.ts)
    passed = np.concatenate([np.ones(old, np.bool_), passing[met]])
    hashes = tuple_hashes(seen.source, seen.seq)
    mine = hashes % np.uint64(span.shares) == np.uint64(span.share)
    count = len(sources.kind)
    of_source = [np.flatnonzero((seen.source == s) & passed) for s in range(count)]
    queue = np.concatenate(of_source)
    starts = np.concatenate([[0], np.cumsum([len(members) for members in of_source])])
    extreme = has_extrema(functions.function)
    taken, loops = probed_paths(loops, paths, [sources.walked_from] if extreme else [])
    indexes = np.bincount(paths.source, paths.indexed, count).astype(np.int64)
    store = empty_store(
        Paths(*(column[taken] for column in paths)), sources, functions, seen, of_source
    )
    rows = np.flatnonzero(sources.kind[seen.source] == RELATION)
    ending = rows[np.argsort(seen.until[rows].reshape(-1), kind="stable")]
    groups, values, changes, blocks = run_events(
        span, sources, functions, loops, seen, passed, old, mine, queue, starts.astype(np.int64),
        ending, indexes, store, standing.groups, standing.values, standing.clock, counters, until,
        last, extreme, bool((functions.function == DISTINCT).any()), most_rows,
    )  # fmt: skip
    stay = seen.take(store.alive)
    return AggregationOutcome(Standing(stay, groups, values, standing.clock), changes, blocks)


@cache
def load_aggregation_kernels() -> None:
    """Compile the kernels for their one set of types, or load them; only the first call works."""
    none, zero, one = np.zeros(0, np.int64), np.zeros(1, np.int64), np.ones(1, np.int64)
    starts = np.zeros((1, 2), np.int64)
    arriving = AggregationArrivals(
        np.zeros(0, np.int16), none, none, none, np.zeros((0, 1), np.int32), np.zeros((0, 1)),
        np.zeros((0, 0), np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32),
        np.zeros((0, 0), np.int64), none,
    )  # fmt: skip
    standing = nothing_yet(arriving, 0)
    # As a batch's are, which share its memory.
    arriving = AggregationArrivals(
        *(np.frombuffer(b"", c.dtype).reshape(c.shape) for c in arriving)
    )
    aggregate_batch(
        AggregationSpan(0, 1, 1, 0),
        Sources(zero, one, np.zeros(1, np.bool_), np.zeros(2, np.int64), one, one, 0, 0),
        Functions(none, none),
        Paths(zero, -one, one, zero, zero),
        LoopTable(
            np.zeros((1, 1), np.int64), zero, np.zeros((1, 1), np.int64), starts, none, none,
            starts, none, none, none, none, np.zeros(0),
        ),
        Filters.of([]),
        standing,
        arriving,
        AggregationCounters.zero(1, 0),
        0,
        True,
        1,
    )  # fmt: skip
    # Of closed groups.
    digest_of_rows(np.zeros((0, 1), np.int64), np.uint64(0))

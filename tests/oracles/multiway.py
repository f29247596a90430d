"""What an eager multi-way join counts: simulated plainly, with lists and loops.

Nothing here is clever, so that what it counts can be believed: a comparison is counted where a
stored tuple is looked at, an expiration where a timestamp or a bucket is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.oracles.joins import Arrival

Bucket = Callable[[int], int]


@dataclass
class Counts:
    """What the simulation counted from the warm-up on; `held` is in tuple-microseconds."""

    comparisons: list[list[int]]
    matches: list[list[int]]
    inserts: list[int]
    expirations: list[int]
    held: list[int]
    results: list[tuple[int, ...]] = field(default_factory=list)


@dataclass(frozen=True)
class Setting:
    """One entry per source: window in microseconds, bucket of a key (None: nested), probe order."""

    windows: Sequence[int]
    bucket: Sequence[Bucket | None]
    orders: Sequence[Sequence[int]]
    warmup: int
    end: int


def simulate(setting: Setting, arrivals: Sequence[tuple[Arrival, int]]) -> Counts:
    """Take one arriving tuple after the other through the windows."""
    sources = len(setting.windows)
    stored: list[list[tuple[Arrival, int]]] = [[] for _ in range(sources)]
    counts = Counts(
        [[0] * (sources - 1) for _ in range(sources)],
        [[0] * (sources - 1) for _ in range(sources)],
        [0] * sources,
        [0] * sources,
        [0] * sources,
    )
    for arrival, key in arrivals:
        counted = arrival.ts >= setting.warmup
        for source in range(sources):
            counts.expirations[source] += counted
            _expire(setting, counts, stored, source, arrival.ts)
        _probe(setting, counts, stored, [(arrival, key)], counted)
        stored[arrival.alias].append((arrival, key))
        counts.inserts[arrival.alias] += counted
    for source in range(sources):
        for arrival, _ in stored[source]:
            _hold(setting, counts, source, arrival.ts)
    return counts


def _expire(
    setting: Setting,
    counts: Counts,
    stored: list[list[tuple[Arrival, int]]],
    source: int,
    now: int,
) -> None:
    """Drop the tuples that have left: one timestamp check each, and a bucket visit if hashed."""
    window = setting.windows[source]
    while stored[source] and now - stored[source][0][0].ts >= window:
        arrival, _ = stored[source].pop(0)
        if arrival.ts + window >= setting.warmup:
            counts.expirations[source] += 1 if setting.bucket[source] is None else 2
        _hold(setting, counts, source, arrival.ts)


def _hold(setting: Setting, counts: Counts, source: int, ts: int) -> None:
    leaves = min(ts + setting.windows[source], setting.end)
    counts.held[source] += max(0, leaves - max(ts, setting.warmup))


def _probe(
    setting: Setting,
    counts: Counts,
    stored: list[list[tuple[Arrival, int]]],
    composite: list[tuple[Arrival, int]],
    counted: bool,
) -> None:
    """Loop over the next window for this composite, and go deeper with each match."""
    (first, key), *_ = composite
    level = len(composite) - 1
    order = setting.orders[first.alias]
    if level == len(order):
        seqs = {arrival.alias: arrival.seq for arrival, _ in composite}
        counts.results.append((*(seqs[alias] for alias in sorted(seqs)), first.ts))
        return
    target = order[level]
    bucket = setting.bucket[target]
    for stored_tuple in stored[target]:
        if bucket is not None and bucket(stored_tuple[1]) != bucket(key):
            continue
        counts.comparisons[first.alias][level] += counted
        if stored_tuple[1] == key:
            counts.matches[first.alias][level] += counted
            _probe(setting, counts, stored, [*composite, stored_tuple], counted)

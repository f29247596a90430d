"""A join's answer by its definition, as short as it can be said; far too slow for anything else.

A result is a combination of one tuple per source with equal keys such that, when the last of them
arrives, every other one is in its own window: 0 <= last.ts - other.ts < window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Item:
    """One tuple of a stream; `ts` in microseconds, a missing key is None."""

    ts: int
    key: int | None


@dataclass(frozen=True, slots=True, order=True)
class Arrival:
    """One arrival, in the total order of the project: a tuple arrives once per alias."""

    ts: int
    stream: int
    seq: int
    alias: int


Data = dict[str, Sequence[Item]]
Result = tuple[int, ...]


def arrivals_of(workload: Workload, data: Data) -> list[tuple[Arrival, int | None]]:
    """Every arrival with its key, in order: by time, stream's place, position, place in FROM."""
    (query,) = workload.queries
    places = {stream.name: place for place, stream in enumerate(workload.streams)}
    return sorted(
        (
            (Arrival(item.ts, places[source.name], seq, alias), item.key)
            for alias, source in enumerate(query.sources)
            for seq, item in enumerate(data[source.name])
        ),
        key=lambda arrived: arrived[0],
    )


def results_of(workload: Workload, windows: Sequence[int], data: Data) -> list[Result]:
    """Every result once, as the seq of each member in FROM order and the time of the last."""
    by_alias: list[list[tuple[Arrival, int | None]]] = [[] for _ in windows]
    for arrival, key in arrivals_of(workload, data):
        by_alias[arrival.alias].append((arrival, key))
    found = []
    for combination in product(*by_alias):
        members = [arrival for arrival, _ in combination]
        last = max(members)
        keys = {key for _, key in combination}
        in_windows = all(
            member is last or last.ts - member.ts < windows[member.alias] for member in members
        )
        if None not in keys and len(keys) == 1 and in_windows:
            found.append((*(member.seq for member in members), last.ts))
    return sorted(found)

"""How long it takes to find the CPU-Opt chain of thousands of windows.

A workload has at most 1,000 queries; the search is timed on a group with as many windows as asked
for, from its model on. Every round has windows of its own: the planner caches what it worked out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from planner.experiments.wang.workloads import windowed_joins
from planner.families.sliced_chain.chain_search.chains import GroupChains
from planner.families.sliced_chain.model import GroupModel
from planner.joins.query_groups import Group, Member, groups_of
from planner.workload.validation import microseconds
from planner.workload.workload import Workload

ROUNDS = 3
LIMITS = {2_000: 1.0, 100_000: 5.0}
# Seconds from one window to the next: at random between these, or far enough apart that no slice
# is often empty. There the quadrangle inequality holds among all slices.
SPACINGS = {"close": (0.0, 0.02), "apart": (0.5, 1.5)}
# The shares of the first stream that pass queries' filters: the larger the window, the fewer.
SHARES = {"no filters": (1.0,), "three filters": (0.9, 0.5, 0.2)}
_SEEDS = count()


def chain_planning() -> dict[str, Any]:
    """Seconds of the processor, best of the rounds, and how the chain was found."""
    return {
        f"{windows:,} windows, {spacing}, {filters}": _timed(windows, spacing, shares)
        for windows in LIMITS
        for spacing in SPACINGS
        for filters, shares in SHARES.items()
    }


def _timed(windows: int, spacing: str, shares: tuple[float, ...]) -> dict[str, Any]:
    seconds = []
    for _ in range(ROUNDS):
        workload, group = many_windows(windows, spacing, shares, next(_SEEDS))
        begun = time.process_time()
        chains = GroupChains(GroupModel(workload, group), c_sys=0.0)
        slices = len(chains.cheapest)
        seconds.append(time.process_time() - begun)
    return {
        "seconds": min(seconds),
        "seconds of all rounds": seconds,
        "at most": LIMITS[windows],
        "slices": slices,
        "too short for the quadrangle inequality": windows * (windows - 1) // 2 - chains.edges.long,
    }


def many_windows(
    windows: int, spacing: str, shares: tuple[float, ...], seed: int
) -> tuple[Workload, Group]:
    """A group of so many queries, each with a window of its own; and its workload."""
    workload = windowed_joins("many windows", 40.0, range(1, len(shares) + 1), shares, 0.025)
    (group,) = groups_of(workload)
    least, most = (microseconds(seconds) for seconds in SPACINGS[spacing])
    steps = np.random.default_rng(seed).integers(max(least, 1), most, windows)
    return workload, replace(group, members=tuple(_members(group, np.cumsum(steps).tolist())))


def _members(group: Group, lengths: list[int]) -> Iterator[Member]:
    kinds = group.members
    for place, length in enumerate(lengths):
        kind = kinds[place * len(kinds) // len(lengths)]
        yield replace(kind, query=f"Q{place + 1}", windows=(length, length))

"""One way of a sliced join: tuples of one stream are stored, those of the other purge and probe.

Arrivals decide how often a purge finds a tuple that stays, and how long one that is due waits for
the next tuple of the other stream. Buckets matter for probes alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from planner.joins.arrays import Floats
from planner.joins.graph import JoinGraph, KeyClass
from planner.joins.keys import Spread, looked_up
from planner.joins.model_builder import graph_of
from planner.joins.query_groups import Group
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload


@dataclass(frozen=True)
class Way:
    """Tuples of one stream stored, those of the other probing.

    `per_length` is how many arrive to be stored per unit of a window's length: the rate, or 1 where
    windows count rows. `scanned` is the part of a join's tuples that a probe looks at: those of its
    bucket. `horizon` bounds how long a tuple can wait in a run.
    """

    rate: float
    arrivals: Arrivals
    counted: bool
    probing_rate: float
    probing_arrivals: Arrivals
    selectivity: float
    scanned: float
    horizon: float

    @property
    def per_length(self) -> float:
        """Arrivals of the stored stream per unit of length."""
        return 1.0 if self.counted else self.rate

    @property
    def is_plain(self) -> bool:
        """Whether windows are lengths of time and tuples arrive at random."""
        return not self.counted and self.arrivals.kind == "poisson"

    def finds_one(self, stored: Floats, arrived: Floats) -> Floats:
        """How often a probing tuple finds any of so many arrivals, of which a share is stored."""
        return np.asarray(1 - self._none(stored, arrived))

    def _none(self, share: Floats, arrived: Floats) -> Floats:
        """The chance that none of so many arrivals is one of this share."""
        if self.counted:
            return np.asarray((1 - share) ** arrived)
        if self.arrivals.kind == "regular":
            whole = np.floor(arrived)
            return np.asarray((1 - share) ** whole * (1 - (arrived - whole) * share))
        if self.arrivals.kind == "pareto":
            burst = self.arrivals.burst
            return np.exp(-arrived / burst * (1 - (1 - share) ** burst))
        return np.exp(-arrived * share)

    def waits(self, probing: float) -> float:
        """Seconds until a tuple that is due is purged by one of this share, at the mean."""
        rate = self.probing_rate * probing
        if self.probing_arrivals.kind == "pareto":
            # Of the tuples of a burst the first one purges.
            burst = self.probing_arrivals.burst
            rate = self.probing_rate / burst * (1 - (1 - probing) ** burst)
        if not rate:
            return self.horizon
        if self.probing_arrivals.kind == "poisson":
            return -math.expm1(-rate * self.horizon) / rate
        early = 0.5 / self.probing_rate if self.probing_arrivals.kind == "regular" else 0.0
        return min(1 / rate - early, self.horizon)

    def leaves(self, probing: float) -> float:
        """The share of stored tuples that are purged within the horizon: none where none probes."""
        return -math.expm1(-self.probing_rate * probing * self.horizon)


def way_of(workload: Workload, group: Group, side: int) -> Way:
    """The way of a group's join in which tuples of this side are stored."""
    streams = [workload.stream(name) for name in group.streams]
    stored, probing = streams[side], streams[1 - side]
    assert stored.rate is not None, "`refusal` has seen that it is known"
    assert probing.rate is not None, "`refusal` has seen that it is known"
    graph, places = pair_graph(workload, group)
    scanned = 1.0
    if group.key is not None:
        known = graph.linking([places[probing.name]], places[stored.name])
        assert known is not None, "the equality by which windows are hashed"
        values, keys = (_spread(known, places[stream.name]) for stream in (stored, probing))
        scanned = looked_up(keys, values, group.buckets, known.declared)
    return Way(
        stored.rate,
        stored.arrivals,
        group.unit == "rows",
        probing.rate,
        probing.arrivals,
        graph.share((0, 1)),
        scanned,
        _horizon(workload, group),
    )


def pair_graph(workload: Workload, group: Group) -> tuple[JoinGraph, dict[str, int]]:
    """How the two streams of a group are linked, and the place of each in the graph.

    Conditions on a join attribute are taken as independent of the join; explanations say so.
    """
    first = workload.query(group.members[0].query)
    graph = graph_of(workload, replace(first, filters=()))
    return graph, {source.name: place for place, source in enumerate(first.sources)}


def _spread(known: KeyClass, place: int) -> Spread:
    key = known.key(place)
    assert key is not None
    return key.spread


def _horizon(workload: Workload, group: Group) -> float:
    """How long a tuple can have waited at the middle of what is measured."""
    if group.unit == "rows":
        return workload.middle
    return max(workload.run.duration / 2, workload.middle - group.boundaries[-1] / 1e6)

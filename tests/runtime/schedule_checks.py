"""A run of a scheduled join compared with the simulator: answers, delays and measures, by era."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.families.stages import PlannedStage
from planner.joins.shared.query_groups import Group, groups_of
from planner.workload.query import Query
from planner.workload.workload import Workload
from runtime.engines.shared_schedule import schedule_program as servers
from runtime.engines.shared_schedule.counters import ALONE
from runtime.engines.shared_schedule.kernel.types import (
    BUFFER_MAX,
    BUSY,
    HELD_MAX,
    HELD_TIME,
    QUEUE_MAX,
    WAITED,
)
from runtime.engines.shared_schedule.simulation import server as oracle
from runtime.engines.shared_schedule.simulation.policies import policy_of
from runtime.engines.shared_schedule.simulation.server import (
    NEVER,
    Outer,
    Policy,
    ScheduleTrace,
    WorkClock,
)
from tests.oracles import schedule_measures as measure
from tests.oracles.joins import Data, holds
from tests.runtime.scheduling import SPAN, Scheduled

WARMUP, END = SPAN.warmup * 1000, SPAN.end * 1000


def outers_of(stages: Sequence[PlannedStage], data: Data) -> list[list[Outer]]:
    """By stage its tuples as they arrive, with what each examines in the partial windows then.

    A match is known by the seqs of its members, first stream first.
    """
    streams = [stream.name for stream in stages[0].workload.streams]
    sides = groups_of(stages[0].workload)[0].streams
    arrivals = sorted(
        (item[0], streams.index(name), seq, name)
        for name in sides
        for seq, item in enumerate(data[name])
    )
    stored: dict[str, list[tuple[int, int]]] = {name: [] for name in sides}
    left = dict.fromkeys(sides, 0)
    found: list[list[Outer]] = [[] for _ in stages]
    for ts, _, seq, name in arrivals:
        number = sum(stage.at is None or stage.at <= ts for stage in stages) - 1
        (group,) = groups_of(stages[number].workload)
        side = sides.index(name)
        other = sides[1 - side]
        partials: list[list[object]] = [[] for _ in group.boundaries[1:]]
        for rank, (when, with_seq) in enumerate(reversed(stored[other].copy())):
            age = rank if group.unit == "rows" else ts - when
            partial = sum(age >= window for window in group.boundaries[1:])
            if partial == len(partials):
                stored[other].remove((when, with_seq))
                left[other] += 1
            elif _examined(group, data, (name, seq), (other, with_seq)):
                seqs = (seq, with_seq) if side == 0 else (with_seq, seq)
                joins = _joins(stages[0].workload, data, seqs)
                partials[partial].append(seqs if joins else None)
        found[number].append(Outer(ts * 1000, partials, side, left[other]))
        stored[name].append((ts, seq))
    return found


def _joins(workload: Workload, data: Data, seqs: tuple[int, int]) -> bool:
    """Whether two tuples satisfy the predicates that all queries share."""
    (group,) = groups_of(workload)
    first = workload.query(group.members[0].query)
    by_stream = dict(zip(group.streams, seqs, strict=True))
    members = [(0, 0, by_stream[source.name]) for source in first.sources]
    return holds(Query("-", first.sources, first.predicates), data, members)


def _examined(group: Group, data: Data, one: tuple[str, int], other: tuple[str, int]) -> bool:
    """Whether two tuples are in the same bucket."""
    if group.key is None:
        return True
    keys = [data[name][seq][1]["k"] for name, seq in (one, other)]
    if group.buckets == "per-value":
        return keys[0] == keys[1]
    return keys[0] % group.buckets == keys[1] % group.buckets


def served_by(stage: PlannedStage, found: Scheduled, number: int, server: int) -> Policy:
    """What a server should do in an era, in the simulator's terms."""
    table = found.program.eras[number].policies[server]
    assert table is not None
    names = {number: name.split()[0] for name, number in found.program.names.items()}
    name = stage.plan.label.split("@")[0] if server == servers.OWN else names[server]
    return policy_of(stage.workload, name, table)


@dataclass(slots=True)
class Expected:
    """What a query should be given, in order; its delays, and how long its scans take."""

    results: list[tuple[int, int]] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)
    scans: list[int] = field(default_factory=list)


class Comparison:
    """A run beside the simulator."""

    def __init__(self, stages: Sequence[PlannedStage], data: Data, found: Scheduled) -> None:
        self.stages, self.data, self.found = stages, data, found
        self.clock = WorkClock(*found.program.join.unit_costs)
        self.outers = outers_of(stages, data)

    def check(self) -> dict[str, list[tuple[int, int]]]:
        """Compare everything; returns what each query should be given, in order."""
        program = self.found.program
        own = servers.OWN if program.alias < 0 else program.alias
        alone = self._check_alone()
        for server in {own, *program.names.values()}:
            assert self._check_server(server) == alone, server
        return alone

    def _wanted(self, stage: PlannedStage, query: str, seqs: tuple[int, int]) -> bool:
        """Whether a match passes the filters of a query, and its members came after it did."""
        (group,) = groups_of(self.stages[0].workload)
        asked = stage.workload.query(query)
        by_stream = dict(zip(group.streams, seqs, strict=True))
        members = [(0, 0, by_stream[source.name]) for source in asked.sources]
        since = stage.entered.get(query, NEVER)
        came = min(self.data[name][seq][0] for name, seq in by_stream.items())
        return came >= since and holds(asked, self.data, members)

    def _add(
        self,
        expected: Expected,
        trace: ScheduleTrace,
        window: int,
        results: Sequence[tuple[int, int, object]],
    ) -> None:
        """Results as (time, outer, match) of a stage."""
        outers = trace.outers
        expected.results += [match for _, _, match in results]
        expected.delays += [at - outers[k].ts for at, k, _ in results if outers[k].ts >= WARMUP]
        pairs = zip(outers, trace.ends, strict=True)
        expected.scans += [ends[window] - o.ts for o, ends in pairs if o.ts >= WARMUP]

    def _check_server(self, server: int) -> dict[str, list[tuple[int, int]]]:
        by_query = {name: Expected() for name in self.found.program.queries}
        free = NEVER
        for number, (stage, outers) in enumerate(zip(self.stages, self.outers, strict=True)):
            policy = served_by(stage, self.found, number, server)
            trace = oracle.scheduled(outers, policy, self.clock, free)
            free = max((scan.end for scan in trace.scans), default=free)
            (group,) = groups_of(stage.workload)
            for member in group.members:
                window = group.boundaries.index(member.longest)
                results = [
                    result
                    for result in oracle.released(trace, policy, window)
                    if self._wanted(stage, member.query, result.inner)
                ]
                self._add(by_query[member.query], trace, window, results)
            measures = self.found.counters.measures[server, number]
            self._check_measures(measures, trace, policy, len(group.boundaries) - 1)
        self._check_queries(server, by_query)
        return {name: expected.results for name, expected in by_query.items()}

    def _check_measures(
        self, measures: np.ndarray, trace: ScheduleTrace, policy: Policy, widest: int
    ) -> None:
        span = (WARMUP, END)
        assert measures[BUSY] == measure.busy(trace, span)
        assert measures[WAITED] == measure.waited(trace, span)
        assert measures[HELD_TIME] == measure.held_time(trace, policy, widest, span)
        assert measures[HELD_MAX] == measure.held_max(trace, policy, widest, WARMUP)
        if len(self.stages) == 1 and any(max(ends.values()) >= WARMUP for ends in trace.ends):
            assert measures[QUEUE_MAX] == measure.waiting_max(trace, WARMUP)
            assert measures[BUFFER_MAX] == measure.buffer_max(trace, WARMUP)

    def _check_alone(self) -> dict[str, list[tuple[int, int]]]:
        by_query = {name: Expected() for name in self.found.program.queries}
        free: dict[str, int] = {}
        for stage, outers in zip(self.stages, self.outers, strict=True):
            (group,) = groups_of(stage.workload)
            for member in group.members:
                window = group.boundaries.index(member.longest)
                begins = stage.entered.get(member.query) == stage.at
                since = NEVER if begins else free.get(member.query, NEVER)
                trace = oracle.isolated(outers, window, self.clock, since)
                free[member.query] = max((scan.end for scan in trace.scans), default=since)
                results = [
                    (found.at, found.outer, found.inner)
                    for found in trace.found
                    if self._wanted(stage, member.query, found.inner)
                ]
                self._add(by_query[member.query], trace, window, results)
        self._check_queries(ALONE, by_query)
        return {name: expected.results for name, expected in by_query.items()}

    def _check_queries(self, server: int, by_query: dict[str, Expected]) -> None:
        for number, (name, expected) in enumerate(by_query.items()):
            figures, scanned = self.found.figures.delays(server, number)
            delays, scans = expected.delays, expected.scans
            assert (figures.count, figures.total) == (len(delays), sum(delays)), name
            assert figures.largest == max(delays, default=0)
            assert (scanned.count, scanned.total) == (len(scans), sum(scans))
            # Nobody is there who enters and leaves at once.
            if server == ALONE or figures.histogram is None:
                continue
            counts = {int(b): int(figures.histogram[b]) for b in np.flatnonzero(figures.histogram)}
            assert counts == Counter(map(bucket_of, delays))
            for share in (0.5, 0.95, 0.99) if delays else ():
                exact = sorted(delays)[max(0, int(np.ceil(share * len(delays))) - 1)] / 1e6
                read = figures.quantile_ms(share)
                assert read is not None
                assert abs(read - exact) <= exact / 63


def bucket_of(delay: int) -> int:
    """By definition: a bucket for each delay below 32 ns, then 32 for every power of two."""
    shift = max(0, delay.bit_length() - 6)
    return delay if delay < 32 else 32 * shift + (delay >> shift)

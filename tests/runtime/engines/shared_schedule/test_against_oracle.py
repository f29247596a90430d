"""Every policy on random arrivals: answers of isolated execution, delays to the nanosecond."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.families.shared_schedule.labels import POLICIES, Schedule
from planner.families.shared_schedule.model import model_of
from planner.joins.groups import groups_of
from planner.workload.workload import Workload
from runtime.engines.kernels.digest import digest_of
from runtime.engines.registry import program_from_json
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
from tests.examples import examples
from tests.oracles import schedules as oracle
from tests.oracles.joins import Data, results_of
from tests.oracles.schedules import Clock, Outer, Policy, Trace
from tests.runtime.scheduling import (
    SPAN,
    Scheduled,
    feed_of,
    outers_of,
    passes,
    scheduled,
    tuples,
    weights_of,
    workloads,
)

FEW = examples(60)
WARMUP, END = SPAN.warmup * 1000, SPAN.end * 1000


@st.composite
def labels(draw: st.DrawFn, workload: Workload) -> str:
    """A policy, at all windows or at some."""
    (group,) = groups_of(workload)
    *inner, last = group.boundaries[1:]
    ends = (*(end for end in inner if draw(st.booleans())), last)
    policy = draw(st.sampled_from(POLICIES))
    return Schedule(policy, draw(st.sampled_from([None, ends]))).label(group)


def _clock(found: Scheduled) -> Clock:
    return Clock(*found.program.join.unit_costs)


def _policy(workload: Workload, found: Scheduled, server: int) -> Policy:
    """What a server should do, in the simulator's terms."""
    (group,) = groups_of(workload)
    table, windows = found.program.eras[0].policies[server], group.boundaries
    assert table is not None
    points, ties = table.points, "smaller" if table.smaller else "larger"
    name = found.program.label.split("@")[0] if server == servers.OWN else ""
    if server == servers.LWO or name == "LWO":
        return oracle.largest_window_only(len(windows) - 1)
    if server == servers.SWF or name == "SWF":
        return oracle.smallest_window_first(points)
    if server == servers.EDF or name == "EDF":
        deadlines: list[int | None] = [None] * len(windows)
        for member in group.members:
            due, place = workload.query(member.query).deadline, windows.index(member.longest)
            if due is not None:
                known = deadlines[place]
                deadlines[place] = min(round(due * 1e9), known or round(due * 1e9))
        return oracle.earliest_deadline(deadlines, points, ties)
    if server == servers.FAIR or name == "FAIR":
        lengths = dict(zip(points, table.length, strict=False))
        return oracle.least_stretch(lengths, points, ties)
    weights = weights_of(workload, {query.name: 1.0 for query in workload.queries})
    if server == servers.WMQT or name == "WMQT":
        weights = weights_of(workload, {query.name: query.weight for query in workload.queries})
    elif server == servers.OUT or name == "OUT":
        wanted = model_of(workload).wanted(lambda: [1.0] * len(windows))
        weights = [0 * weights[0], *wanted.outputs]
    return oracle.maximum_query_throughput(windows, weights, points, ties)


def _bucket(delay: int) -> int:
    """By definition: a bucket for each delay below 32 ns, then 32 for every power of two."""
    shift = max(0, delay.bit_length() - 6)
    return delay if delay < 32 else 32 * shift + (delay >> shift)


def _check_delays(
    found: Scheduled, server: int, query: int, delays: list[int], scans: list[int]
) -> None:
    figures, scanned = found.figures.delays(server, query)
    assert (figures.count, figures.total) == (len(delays), sum(delays))
    assert figures.largest == max(delays, default=0)
    assert (scanned.count, scanned.total) == (len(scans), sum(scans))
    if figures.histogram is not None:
        counts = {int(b): int(figures.histogram[b]) for b in np.flatnonzero(figures.histogram)}
        assert counts == Counter(map(_bucket, delays))
        for share in (0.5, 0.95, 0.99) if delays else ():
            exact = sorted(delays)[max(0, int(np.ceil(share * len(delays))) - 1)] / 1e6
            read = figures.quantile_ms(share)
            assert read is not None
            assert abs(read - exact) <= exact / 63


def _check_server(
    workload: Workload, data: Data, found: Scheduled, server: int, outers: list[Outer]
) -> dict[str, list[object]]:
    """Delays and measures of a server; returns what each query is given, in order."""
    policy = _policy(workload, found, server)
    trace = oracle.scheduled(outers, policy, _clock(found))
    (group,) = groups_of(workload)
    measured = [outer.ts >= WARMUP for outer in outers]
    given = {}
    for member in group.members:
        window = group.boundaries.index(member.longest)
        results = [
            result
            for result in oracle.released(trace, policy, window)
            if passes(workload, member.query, data, result.inner)
        ]
        given[member.query] = [result.inner for result in results]
        delays = [r.at - outers[r.outer].ts for r in results if measured[r.outer]]
        scans = [
            ends[window] - outer.ts
            for outer, ends, counts in zip(outers, trace.ends, measured, strict=True)
            if counts
        ]
        number = found.program.queries.index(member.query)
        _check_delays(found, server, number, delays, scans)
    _check_measures(found.counters.measures[server, 0], trace, policy, len(group.boundaries) - 1)
    return given


def _check_measures(measures: np.ndarray, trace: Trace, policy: Policy, widest: int) -> None:
    span = (WARMUP, END)
    assert measures[BUSY] == oracle.busy(trace, span)
    assert measures[WAITED] == oracle.waited(trace, span)
    assert measures[HELD_TIME] == oracle.held_time(trace, policy, widest, span)
    if any(max(ends.values()) >= WARMUP for ends in trace.ends):
        assert measures[QUEUE_MAX] == oracle.waiting_max(trace, WARMUP)
        assert measures[BUFFER_MAX] == oracle.buffer_max(trace, WARMUP)
        assert measures[HELD_MAX] == oracle.held_max(trace, policy, widest, WARMUP)


@FEW
@given(st.data(), workloads(), tuples(), st.sets(st.integers(1, 50)))
def test_every_policy_is_as_the_simulator_has_it(
    choose: st.DataObject, workload: Workload, data: Data, cuts: set[int]
) -> None:
    label = choose.draw(labels(workload))
    found = scheduled(workload, feed_of(workload, data), label, sorted(cuts))
    assert program_from_json(found.program.to_json()) == found.program
    outers = outers_of(workload, data)
    own = servers.OWN if found.program.alias < 0 else found.program.alias
    alone = _isolated(workload, data, found, outers)
    for server in {own, *found.program.names.values()}:
        assert _check_server(workload, data, found, server, outers) == alone, server
    for query in workload.queries:
        turned = query.sources[0].name != groups_of(workload)[0].streams[0]
        given = [seqs[::-1] if turned else seqs for seqs in alone[query.name]]
        assert [row[:2] for row in found.rows[query.name]] == given
        expected = results_of(workload.only(query.name), data)
        assert sorted(found.rows[query.name]) == expected
        seqs = np.array(expected, np.int64).reshape(-1, 3)[:, :2]
        assert found.tally.by_query[query.name] == (len(expected), int(digest_of(seqs)))


def _isolated(
    workload: Workload, data: Data, found: Scheduled, outers: list[Outer]
) -> dict[str, list[object]]:
    """Delays of each query alone; returns what it is given, in order."""
    (group,) = groups_of(workload)
    given = {}
    busy = waited = 0
    slots = set()
    for member in group.members:
        window = group.boundaries.index(member.longest)
        trace = oracle.isolated(outers, window, _clock(found))
        results = [f for f in trace.found if passes(workload, member.query, data, f.inner)]
        given[member.query] = [result.inner for result in results]
        measured = [(o, e) for o, e in zip(outers, trace.ends, strict=True) if o.ts >= WARMUP]
        delays = [f.at - outers[f.outer].ts for f in results if outers[f.outer].ts >= WARMUP]
        number = found.program.queries.index(member.query)
        _check_delays(
            found, ALONE, number, delays, [ends[window] - outer.ts for outer, ends in measured]
        )
        slot = next(s for q, s, _ in found.program.eras[0].queries if q == number)
        if slot not in slots:
            busy += oracle.busy(trace, (WARMUP, END))
            waited += oracle.waited(trace, (WARMUP, END))
        slots.add(slot)
    assert found.counters.measures[ALONE, 0, BUSY] == busy
    assert found.counters.measures[ALONE, 0, WAITED] == waited
    return given

"""The simulation beside a server in plain Python that keeps every tuple and match by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.shared_schedule.delays.response_times import (
    delays_alone,
    responses,
    weighted_quantiles,
)
from planner.families.shared_schedule.delays.sample import ArrivalSample
from planner.families.shared_schedule.delays.simulation import simulated
from planner.families.shared_schedule.delays.waiting_work import waiting_work
from planner.families.shared_schedule.labels import EDF, FAIR, LWO, MQT, POLICIES, SWF
from planner.families.shared_schedule.policies import Rule, Wanted, rule_of

PAIR = 1.0


@dataclass
class Outer:
    """A tuple, what it matches in each partial window, and when it completed each."""

    ts: float
    matches: list[int]
    ends: list[float] = field(default_factory=list)
    found: list[list[float]] = field(default_factory=list)


@dataclass
class Server:
    """The contract, word by word."""

    windows: tuple[int, ...]
    queries: tuple[int, ...]
    policy: str
    rule: Rule
    smaller: bool

    def choose(self, now: float, waiting: list[Outer]) -> tuple[Outer, int]:
        """Who scans next, and up to which window."""
        last = len(self.windows)
        if self.policy == LWO:
            return waiting[0], last
        heads: dict[int, Outer] = {}
        for outer in waiting:
            heads.setdefault(len(outer.ends), outer)
        if self.policy == SWF:
            queue = min(heads)
            return heads[queue], queue + 1
        best: tuple[object, int, int] | None = None
        larger = last
        for queue in sorted(heads, reverse=True):
            value, target = self.value(now, heads[queue], queue, larger)
            if best is None or value > best[0] or (value == best[0] and self.smaller):
                best = value, queue, target
            larger = queue
        assert best is not None
        return heads[best[1]], best[2]

    def value(self, now: float, head: Outer, queue: int, larger: int) -> tuple[object, int]:
        if self.policy == EDF:
            return -(head.ts + self.rule.due_ns[queue] / 1e9), queue + 1
        if self.policy == FAIR:
            return (now - head.ts) / self.rule.lengths[queue], queue + 1
        bounds = (0, *self.windows)
        best: tuple[Fraction, int] | None = None
        for k in range(queue + 1, larger + 1):
            served = sum(self.queries[queue:k])
            ratio = Fraction(served, bounds[k] - bounds[queue])
            if best is None or ratio > best[0] or (ratio == best[0] and not self.smaller):
                best = ratio, k
        assert best is not None
        return best

    def serve(self, outers: list[Outer]) -> None:
        now, last = 0.0, len(self.windows)
        while unfinished := [outer for outer in outers if len(outer.ends) < last]:
            waiting = [outer for outer in unfinished if outer.ts <= now]
            if not waiting:
                now = unfinished[0].ts
                continue
            outer, target = self.choose(now, waiting)
            while len(outer.ends) < target:
                count = outer.matches[len(outer.ends)]
                outer.found.append([now + PAIR * (n + 1) for n in range(count)])
                now += PAIR * count
                outer.ends.append(now)

    def delays(self, outers: list[Outer], q: int) -> list[float]:
        """Of all results of window q."""
        found = []
        for place, outer in enumerate(outers):
            done = max((older.ends[q] for older in outers[:place]), default=-np.inf)
            for p in range(q + 1):
                for time in outer.found[p]:
                    release = max(time, done)
                    if self.policy == SWF:
                        release = next(e for e in outer.ends[p : q + 1] if e >= done)
                    found.append(release - outer.ts)
        return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[ArrivalSample, tuple[int, ...], tuple[int, ...]]:
    """Bursts and ties of whole numbers: every sum is exact."""
    lengths = draw(st.lists(st.integers(1, 20), min_size=1, max_size=4, unique=True))
    windows = tuple(sorted(lengths))
    count = draw(st.integers(1, 12))
    gaps = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    matches = draw(
        st.lists(
            st.lists(st.integers(0, 5), min_size=len(windows), max_size=len(windows)),
            min_size=count,
            max_size=count,
        )
    )
    queries = draw(st.lists(st.integers(1, 3), min_size=len(windows), max_size=len(windows)))
    found = np.array(matches, dtype=np.int64)
    spent = np.concatenate((np.zeros((count, 1)), PAIR * np.cumsum(found, axis=1)), axis=1)
    sample = ArrivalSample(np.cumsum(gaps).astype(np.float64), spent, found, 0, 1.0)
    return sample, windows, tuple(queries)


@pytest.mark.parametrize("smaller", [False, True])
@pytest.mark.parametrize("policy", [p for p in POLICIES if p not in ("WMQT", "OUT")])
@given(cases())
def test_every_result_is_released_when_the_contract_says(
    policy: str, smaller: bool, case: tuple[ArrivalSample, tuple[int, ...], tuple[int, ...]]
) -> None:
    sample, windows, queries = case
    counted = tuple(map(Fraction, queries))
    deadlines = tuple(3.0 if place % 2 else None for place in range(len(windows)))
    wanted = Wanted(windows, queries, counted, counted, deadlines, lambda: list(windows))
    points = (0, windows[-1]) if policy == LWO else (0, *windows)
    rule = rule_of(policy, points, wanted, "smaller" if smaller else "larger")
    server = Server(windows, queries, policy, rule, smaller)
    outers = [Outer(t, m) for t, m in zip(sample.ts.tolist(), sample.matches.tolist(), strict=True)]
    server.serve(outers)

    served = simulated(sample, windows, rule)
    assert served.ended.tolist() == [outer.ends for outer in outers]
    found = responses(sample, served, PAIR, rule.at_ends)
    for q in range(len(windows)):
        delays = server.delays(outers, q)
        expected = np.mean(delays) if delays else 0.0
        assert found.results[q] == pytest.approx(expected)
        assert found.scans[q] == pytest.approx(np.mean([o.ends[q] - o.ts for o in outers]))


@given(cases())
def test_slices_keep_a_policy_from_pausing_inside(
    case: tuple[ArrivalSample, tuple[int, ...], tuple[int, ...]],
) -> None:
    sample, windows, queries = case
    counted = tuple(map(Fraction, queries))
    wanted = Wanted(windows, queries, counted, counted, (None,) * len(windows), list)
    whole = simulated(sample, windows, rule_of(LWO, (0, windows[-1]), wanted, "larger"))
    for policy in (SWF, MQT):
        one_slice = rule_of(policy, (0, windows[-1]), wanted, "larger")
        assert simulated(sample, windows, one_slice).ended.tolist() == whole.ended.tolist()


@given(cases())
def test_the_work_that_waits_is_that_of_a_queue_in_order(
    case: tuple[ArrivalSample, tuple[int, ...], tuple[int, ...]],
) -> None:
    sample, windows, queries = case
    counted = tuple(map(Fraction, queries))
    wanted = Wanted(windows, queries, counted, counted, (None,) * len(windows), list)
    whole = simulated(sample, windows, rule_of(LWO, (0, windows[-1]), wanted, "larger"))
    waits = waiting_work(sample.ts, sample.spent[:, -1])
    assert (whole.begun[:, 0] - sample.ts).tolist() == pytest.approx(waits.tolist())
    alone = responses(sample, whole, PAIR, at_ends=False).results[-1]
    assert delays_alone(sample, PAIR)[-1] == pytest.approx(alone)


def test_quantiles_count_every_result() -> None:
    figures, weights = np.array([5.0, 1.0, 3.0]), np.array([1.0, 98.0, 1.0])
    assert weighted_quantiles(figures, weights).tolist() == [1.0, 1.0, 3.0]

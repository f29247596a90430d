"""Random workloads of one shared join, plans of them driven without Spark, and their schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from planner.families.shared_schedule.labels import schedule_of
from planner.families.stages import PlannedStage
from planner.joins.groups import Group, groups_of
from planner.plan.plan import Operator, Plan
from planner.workload.execution import Execution
from planner.workload.query import (
    Column,
    CountWindow,
    Filter,
    Predicate,
    Query,
    Source,
    TimeWindow,
    Window,
)
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.data.batch import unpack
from runtime.data.feed import Feed, Span, Split
from runtime.engines.kernel_state import summed
from runtime.engines.pair_feed import pair_feed
from runtime.engines.protocol import Tally
from runtime.engines.shared_schedule.counters import ScheduleCounters
from runtime.engines.shared_schedule.program import ScheduleProgram
from runtime.engines.shared_schedule.tally import Figures
from tests.oracles.joins import Data, holds
from tests.oracles.schedules import Outer
from tests.runtime.driving import program_of, stepped, tables_of

SPAN = Span(2_000_000, 15_000_000)
_SECONDS = (1, 2, 3.5, 6)
_ROWS = (1, 2, 3, 5)
# Seconds per comparison and output: many multiples of the times between arrivals.
_COSTS = ((0.05, 0.0), (0.125, 0.125), (0.0, 0.25), (1e-9, 0.0), (0.033333333, 0.0101), (0.5, 0.1))
_ONE_SPLIT = Split(1, None)


@st.composite
def workloads(draw: st.DrawFn, most: int = 5, hashed: bool | None = None) -> Workload:
    """One to `most` queries of one join of A and B, with windows, filters and wishes at random."""
    streams = tuple(
        Stream(name, rate=1.0, attributes={"k": Attribute(3), "v": Attribute(5)}) for name in "AB"
    )
    if hashed is None:
        hashed = draw(st.booleans())
    compare, output = draw(st.sampled_from(_COSTS))
    execution = Execution(
        join="hash" if hashed else "nested",
        buckets=draw(st.sampled_from(["per-value", 2])) if hashed else "per-value",
        unit_costs={"compare": compare, "output": output},
        ties=draw(st.sampled_from(["larger", "smaller"])),
    )
    in_rows = draw(st.booleans())
    theta = not hashed and draw(st.sampled_from([False, False, True]))
    made = [
        draw(query_of(f"Q{number}", in_rows, theta)) for number in range(draw(st.integers(1, most)))
    ]
    return Workload("random", streams, tuple(made), execution=execution)


@st.composite
def query_of(draw: st.DrawFn, name: str, in_rows: bool, theta: bool) -> Query:
    """One query of that join."""
    window: Window
    if in_rows:
        window = CountWindow(draw(st.sampled_from(_ROWS)))
    else:
        window = TimeWindow(draw(st.sampled_from(_SECONDS)))
    sources = [Source("x", "A", window), Source("y", "B", window)]
    if draw(st.booleans()):
        sources.reverse()
    predicate = Predicate(Column("x", "k"), "=", Column("y", "k"))
    if theta:
        predicate = Predicate(Column("x", "k"), "<=", Column("y", "k"), 1.0)
    filters = [
        Filter(Column(alias, "v"), draw(st.sampled_from(["<", ">", "="])), draw(st.integers(1, 3)))
        for alias in ("x", "y")
        for _ in range(draw(st.sampled_from([0, 0, 1])))
    ]
    return Query(
        name,
        tuple(sources),
        (predicate,),
        tuple(filters),
        weight=draw(st.sampled_from([1.0, 1.0, 2.5])),
        deadline=draw(st.sampled_from([None, None, 0.5, 3.0])),
    )


@st.composite
def tuples(draw: st.DrawFn, most: int = 25) -> Data:
    """Tuples of both streams, in bursts and at equal times, some without a value."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    found = {}
    for name in "AB":
        count = draw(st.integers(0, most))
        times = np.cumsum(random.choice([0, 0, 250_000, 500_000, 2_000_000], count))
        keys, values = random.integers(1, 4, count), random.integers(0, 6, count)
        found[name] = [
            (int(ts), {"k": int(k), "v": int(v) if v < 5 else None})
            for ts, k, v in zip(times, keys, values, strict=True)
        ]
    return found


def feed_of(workload: Workload, data: Data) -> Feed:
    """The tuples merged in arrival order."""
    return pair_feed(workload, tables_of(data, {"k": "int64", "v": "int64"}))


# --- plans ---------------------------------------------------------------------------------------


def plan_of(workload: Workload, label: str) -> Plan:
    """The plan of a policy, from arriving tuples to the outputs of the queries."""
    (group,) = groups_of(workload)
    schedule = schedule_of(group, label)
    arrive = [Operator("arrive", (("source", name), ("stream", name))) for name in group.streams]
    join = Operator(
        "join",
        (
            ("left", group.streams[0]),
            ("right", group.streams[1]),
            ("on", group.on),
            ("window", group.number_of(group.boundaries[-1])),
            ("access", group.access),
            ("buckets", group.buckets),
        ),
        tuple(arrive),
    )
    points = "-".join(map(group.text_of, schedule.points(group)))
    ties = workload.execution.ties
    order = Operator(
        "schedule", (("policy", schedule.policy), ("ties", ties), ("points", points)), (join,)
    )
    routes = {
        window: Operator("route", (("window", group.number_of(window)),), (order,))
        for window in group.boundaries[1:]
    }
    roots = []
    for member in group.members:
        given = routes[member.longest]
        asked = [str(condition) for condition in member.conditions if not condition.is_open]
        if asked:
            given = Operator(
                "filter", (("query", member.query), ("condition", " and ".join(asked))), (given,)
            )
        roots.append(Operator("output", (("query", member.query),), (given,)))
    return Plan("shared_schedule", label, tuple(roots))


# --- runs ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What came of a run: the rows of each query as they were written, the tally, and counters."""

    rows: dict[str, list[tuple[int, ...]]]
    tally: Tally
    program: ScheduleProgram
    counters: ScheduleCounters

    @property
    def figures(self) -> Figures:
        """Delays by server and query."""
        return Figures(self.program, self.counters, SPAN.seconds)


def scheduled(
    workload: Workload,
    feed: Feed,
    label: str,
    cuts: Sequence[int] = (),
    span: Span = SPAN,
    stages: Sequence[PlannedStage] = (),
) -> Scheduled:
    """Run the plan with this label over a feed cut into batches at these places."""
    plan = plan_of(workload, label)
    program = program_of(plan, workload, feed, span, _ONE_SPLIT, stages)
    assert isinstance(program, ScheduleProgram)
    rows, totals = stepped(program, _ONE_SPLIT, feed, cuts, keep_rows=True)
    by_query = {
        name: [row[1:4] for row in rows if row[0] == number]
        for number, name in enumerate(program.queries)
    }
    counters = summed(totals, ScheduleCounters).counters
    assert len(unpack(totals[0])) > len(counters)
    return Scheduled(by_query, program.tally(totals, plan), program, counters)


# --- what the simulator is given -----------------------------------------------------------------


def outers_of(workload: Workload, data: Data) -> list[Outer]:
    """All tuples as they arrive, with what each examines in the partial windows of the workload.

    A match is known by the seqs of its members, first stream first.
    """
    (group,) = groups_of(workload)
    first = workload.query(group.members[0].query)
    places = [[s.name for s in first.sources].index(name) for name in group.streams]
    query = Query("-", first.sources, first.predicates)
    arrivals = sorted(
        (item[0], [s.name for s in workload.streams].index(name), seq, name)
        for name in group.streams
        for seq, item in enumerate(data[name])
    )
    stored: dict[str, list[tuple[int, int]]] = {name: [] for name in group.streams}
    found = []
    for ts, _, seq, name in arrivals:
        side = group.streams.index(name)
        other = group.streams[1 - side]
        partials: list[list[object]] = [[] for _ in group.boundaries[1:]]
        left = 0
        for rank, (when, with_seq) in enumerate(reversed(stored[other])):
            age = rank if group.unit == "rows" else ts - when
            partial = sum(age >= window for window in group.boundaries[1:])
            left += partial == len(partials)
            if partial == len(partials) or not _examined(
                group, data, (name, seq), (other, with_seq)
            ):
                continue
            seqs = (seq, with_seq) if side == 0 else (with_seq, seq)
            members = [(0, 0, seqs[places.index(place)]) for place in (0, 1)]
            partials[partial].append(seqs if holds(query, data, members) else None)
        found.append(Outer(ts * 1000, partials, side, left))
        stored[name].append((ts, seq))
    return found


def _examined(group: Group, data: Data, one: tuple[str, int], other: tuple[str, int]) -> bool:
    """Whether two tuples are in the same bucket."""
    if group.key is None:
        return True
    keys = [data[name][seq][1]["k"] for name, seq in (one, other)]
    if group.buckets == "per-value":
        return keys[0] == keys[1]
    return keys[0] % group.buckets == keys[1] % group.buckets


def passes(workload: Workload, query: str, data: Data, seqs: tuple[int, int]) -> bool:
    """Whether a match passes the filters of a query."""
    (group,) = groups_of(workload)
    asked = workload.query(query)
    by_stream = dict(zip(group.streams, seqs, strict=True))
    members = [(0, 0, by_stream[source.name]) for source in asked.sources]
    return holds(asked, data, members)


def weights_of(workload: Workload, weight: Mapping[str, float]) -> list[Fraction]:
    """By window, the first of nothing: the weights of its queries together."""
    (group,) = groups_of(workload)
    found = [Fraction(0)] * len(group.boundaries)
    for member in group.members:
        found[group.boundaries.index(member.longest)] += Fraction(repr(weight[member.query]))
    return found

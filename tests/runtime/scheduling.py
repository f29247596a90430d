"""Random workloads of one shared join, plans of them driven without Spark, and their schedules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from planner.families.shared_schedule.labels import POLICIES, Schedule, schedule_of
from planner.families.shared_schedule.model import model_of
from planner.families.shared_schedule.plans import built
from planner.families.stages import PlannedStage, whole_plan
from planner.joins.shared.query_groups import groups_of
from planner.plan.plan import Plan
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
from runtime.data.batch import Batch
from runtime.data.feed import Feed, Span, Split
from runtime.engines.kernel_state import summed
from runtime.engines.pair_feed import pair_feed
from runtime.engines.protocol import Tally
from runtime.engines.shared_schedule.counters import ScheduleCounters
from runtime.engines.shared_schedule.program import ScheduleProgram
from runtime.engines.shared_schedule.tally import Figures
from runtime.runs.result_parts import MOST_RESULT_ROWS
from tests.oracles.joins import Data
from tests.runtime.driving import program_of, tables_of

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


@st.composite
def labels(draw: st.DrawFn, workload: Workload) -> str:
    """A policy, at all windows or at some."""
    (group,) = groups_of(workload)
    *inner, last = group.boundaries[1:]
    ends = (*(end for end in inner if draw(st.booleans())), last)
    policy = draw(st.sampled_from(POLICIES))
    return Schedule(policy, draw(st.sampled_from([None, ends]))).label(group)


def feed_of(workload: Workload, data: Data) -> Feed:
    """The tuples merged in arrival order."""
    return pair_feed(workload, tables_of(data, {"k": "int64", "v": "int64"}))


# --- plans ---------------------------------------------------------------------------------------


def plan_of(workload: Workload, label: str) -> Plan:
    """The plan of a policy, whether it is listed or not."""
    model = model_of(workload)
    return built(model, schedule_of(model.group, label)).plan


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
    changed: tuple[int, Sequence[PlannedStage]] | None = None,
) -> Scheduled:
    """Run the plan with this label over a feed cut into batches at these places.

    `changed` by hand: from a cut on, the program is one of these stages.
    """
    plan = whole_plan(stages) if stages else plan_of(workload, label)
    program = program_of(plan, workload, feed, span, _ONE_SPLIT, stages)
    arrivals, state, totals = len(feed.tuples.ts), None, b""
    rows: list[tuple[int, ...]] = []
    for start, end in pairwise([0, *(cut for cut in cuts if 0 < cut < arrivals), arrivals]):
        if changed is not None and start == changed[0]:
            plan = whole_plan(changed[1])
            program = program_of(plan, workload, feed, span, _ONE_SPLIT, changed[1])
        given = feed.tuples.take(slice(start, end))
        until = int(given.ts[-1]) if len(given.ts) else 0
        step = program.step(state, Batch(given, until, end == arrivals).pack(), 0, MOST_RESULT_ROWS)
        state, totals = step.state, step.totals
        rows += map(tuple, step.rows.tolist())
    assert isinstance(program, ScheduleProgram)
    by_query = {
        name: [row[1:4] for row in rows if row[0] == number]
        for number, name in enumerate(program.queries)
    }
    counters = summed([totals], ScheduleCounters).counters
    return Scheduled(by_query, program.tally([totals], plan), program, counters)

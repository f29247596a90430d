"""One plan or two of a workload, watched on the same tuples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.errors import PlanError
from planner.families.registry import applicable, chosen_plan, covering, family
from planner.files.tuple_table import Table
from planner.plan.cost import Estimate, UnitCosts
from planner.statistics.generate import generate
from planner.workload.query import TimeWindow, TumblingWindow
from planner.workload.workload import Workload
from runtime.tracing.trace import PlanTrace, traced

# With more tuples in the windows a simulation takes too long, and nobody could see them.
MOST_STORED = 1_500
_MORE_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Watching:
    """Traces with the estimates of their plans; `full`: windows were full at the first step."""

    traces: tuple[PlanTrace, ...]
    estimates: tuple[Estimate, ...]
    full: bool
    sheds: bool


def watch(
    workload: Workload,
    labels: Sequence[str],
    steps: int,
    name: str | None = None,
    tables: Mapping[str, Table] | None = None,
    full: bool = True,
    units: UnitCosts | None = None,
) -> Watching:
    """Step these plans, on these tuples or on generated ones, from full windows if that can be."""
    if name is None:
        applicable(workload, "no plans for this workload")
        name = covering(workload)[0].name
    space = family(name).space(workload)
    plans = [chosen_plan(space, label) for label in labels]
    start = 0
    if tables is None:
        rate = sum(stream.rate or 0.0 for stream in workload.streams)
        if rate <= 0:
            raise PlanError("no stream has a rate, so no tuples can be generated", workload.name)
        longest = _longest(workload)
        full = full and rate * longest <= MOST_STORED
        start = round(longest * 1_000_000) if full else 0
        seconds = (longest if full else 0.0) + _MORE_SECONDS * steps / rate
        tables = generate(workload, seconds, workload.run.seed)
    else:
        full = False
    traces = tuple(traced(plan, workload, tables, start, steps, units) for plan in plans)
    if all(trace.ends_quietly for trace in traces):
        traces = tuple(trace.without_end() for trace in traces)
    estimates = tuple(space.estimate(plan) for plan in plans)
    # An answer that may miss results says so by its recall.
    sheds = any(q.recall is not None for e in estimates for q in e.qualities.values())
    return Watching(traces, estimates, full, sheds)


def _longest(workload: Workload) -> float:
    """The longest window in seconds; a window of rows as long as it takes to fill."""
    found = [0.0]
    for query in workload.queries:
        for source in query.sources:
            window = source.window
            if isinstance(window, TimeWindow | TumblingWindow):
                found.append(window.seconds)
            elif window is not None and hasattr(window, "rows"):
                found.append(window.rows / (workload.stream(source.name).rate or 1.0))
    return max(found)

"""One plan or two of a workload, watched on the same tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from planner.errors import PlanError
from planner.families.protocol import PlanSpace
from planner.families.registry import applicable, chosen_plan, covering, family
from planner.files.tuple_table import Table
from planner.plan.cost import Estimate, UnitCosts
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.statistics.generate import generate
from planner.workload.execution import Every
from planner.workload.query import TumblingWindow
from planner.workload.workload import Workload
from runtime.tracing.shortened import MOST_STORED_QUICKLY
from runtime.tracing.trace import PlanTrace, traced

# Tuples are generated for so many times the seconds that the steps should take.
_MORE_SECONDS = 3
# With more steps nobody would step from scan to scan: those between two tuples are then one.
MOST_WITH_PAUSES, MOST_QUERIES_WITH_PAUSES = 200, 12


@dataclass(frozen=True, slots=True)
class Watching:
    """Traces with the estimates of their plans, and what they are ranked by.

    `full`: windows were full at the first step, as the model has it. `sheds`: answers may differ,
    since tuples are not kept. `exact` is then the plan that finds all results, stepped through the
    same tuples, where there is one. `drawn`: a simulation says what happens in a step.
    """

    workload: Workload
    traces: tuple[PlanTrace, ...]
    estimates: tuple[Estimate, ...]
    objective: Objective
    full: bool
    sheds: bool
    drawn: bool
    exact: PlanTrace | None = None


def watch(
    workload: Workload,
    labels: Sequence[str],
    steps: int,
    name: str | None = None,
    tables: Mapping[str, Table] | None = None,
    full: bool = True,
    units: UnitCosts | None = None,
    by: str | None = None,
) -> Watching:
    """Step these plans, on these tuples or on generated ones, from full windows if that can be.

    `by` is the objective whose figure they are compared by; None is the family's own.
    """
    if name is None:
        applicable(workload, "no plans for this workload")
        name = covering(workload)[0].name
    space = family(name).space(workload, units)
    plans = [chosen_plan(space, label) for label in labels]
    start = 0
    if tables is None:
        tables, start = _generated(workload, steps, full)
    step = partial(traced, workload=workload, tables=tables, start=start, most=steps, units=units)
    traces = tuple(step(plan) for plan in plans)
    pauses = sorted({at for trace in traces for at in trace.pauses if at > start})
    few = len(workload.queries) <= MOST_QUERIES_WITH_PAUSES
    if pauses and few and len(traces[0].steps) + len(pauses) <= MOST_WITH_PAUSES:
        step = partial(step, pauses=pauses)
        traces = tuple(step(plan) for plan in plans)
    if all(trace.ends_quietly for trace in traces):
        traces = tuple(trace.without_end() for trace in traces)
    estimates = tuple(space.estimate(trace.plan) for trace in traces)
    # An answer that may miss results says so by its recall.
    sheds = any(recalls(estimate) for estimate in estimates)
    exact = _exact(space, traces, step) if sheds else None
    drawn = any(trace.places for trace in traces)
    by_objective = space.objective(by)
    return Watching(workload, traces, estimates, by_objective, start > 0, sheds, drawn, exact)


def recalls(estimate: Estimate) -> list[float]:
    """The predicted recall of each query whose answer may miss results."""
    return [q.recall for q in estimate.qualities.values() if q.recall is not None]


def _exact(
    space: PlanSpace, traces: Sequence[PlanTrace], step: Callable[[Plan], PlanTrace]
) -> PlanTrace | None:
    """The baseline, if it misses nothing, stepped as the others were."""
    if space.workload.execution.utilisation is not None:
        # Where the processor is short every plan drops tuples: none is exact.
        return None
    baseline = next(space.candidates())
    if any(recall < 1 for recall in recalls(space.estimate(baseline))):
        return None
    known = next((trace for trace in traces if trace.plan == baseline), None)
    return known or step(baseline)


def _generated(workload: Workload, steps: int, full: bool) -> tuple[Mapping[str, Table], int]:
    """Tuples for so many steps, and when those begin: with full windows, if these can be filled."""
    rate = sum(stream.rate or 0.0 for stream in workload.streams)
    if rate <= 0:
        raise PlanError("no stream has a rate, so no tuples can be generated", workload.name)
    longest = workload.longest_window
    if not full or rate * longest > MOST_STORED_QUICKLY:
        longest = 0.0
    elif any(isinstance(s.window, TumblingWindow) for q in workload.queries for s in q.sources):
        # A block begins empty: its middle is what the model speaks of.
        longest *= 1.5
    seconds = longest + _MORE_SECONDS * steps / rate
    tables, start = generate(workload, seconds, workload.run.seed), round(longest * 1_000_000)
    if start and isinstance(workload.execution.evaluate, Every):
        # A tick happens when a tuple comes after it: that of the filling belongs to the filling.
        later = [int(t.ts[t.ts > start][0]) for t in tables.values() if (t.ts > start).any()]
        start = 1 + min(later, default=start - 1)
    return tables, start

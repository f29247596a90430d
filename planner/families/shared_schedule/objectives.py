"""What schedules are ranked by: delays of queries, from an estimate or from a measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from planner.plan.cost import Quality
from planner.plan.objective import Objective, PlanOutcome
from planner.plan.plan import Plan
from planner.workload.workload import Workload

# What is read of a query's quality: None where it is not known.
Read = Callable[[Quality], float | None]
# What pages call all of these.
_KIND = "Delay"


def mean_delay(quality: Quality) -> float | None:
    """The mean over a query's results."""
    return quality.delay_ms


def median_delay(quality: Quality) -> float | None:
    """What half of a query's results wait at most."""
    return quality.delay_ms_p50


def late_delay(quality: Quality) -> float | None:
    """What all but one in twenty of a query's results wait at most."""
    return quality.delay_ms_p95


def stretch(quality: Quality) -> float | None:
    """How many times longer a query waits than it would by itself."""
    if quality.delay_ms is None or not quality.isolated_delay_ms:
        return None
    return quality.delay_ms / quality.isolated_delay_ms


def _known(read: Read, outcome: PlanOutcome) -> dict[str, float]:
    """The figure of every query that has one."""
    figures = ((query, read(quality)) for query, quality in outcome.qualities.items())
    return {query: figure for query, figure in figures if figure is not None}


def _mean(read: Read, _plan: Plan, outcome: PlanOutcome) -> float | None:
    known = _known(read, outcome)
    return sum(known.values()) / len(known) if known else None


def _worst(read: Read, _plan: Plan, outcome: PlanOutcome) -> float | None:
    return max(_known(read, outcome).values(), default=None)


def _weighted(
    read: Read, weights: Mapping[str, float], _plan: Plan, outcome: PlanOutcome
) -> float | None:
    known = {q: value for q, value in _known(read, outcome).items() if weights.get(q)}
    whole = sum(weights[query] for query in known)
    return sum(weights[q] * value for q, value in known.items()) / whole if whole else None


def _over_outputs(read: Read, plan: Plan, outcome: PlanOutcome) -> float | None:
    """Every result counts alike, so that queries with many of them count most."""
    if not outcome.costs:
        return None
    rows = {str(root.param("query")): outcome.costs[root.id].rows_out for root in plan.roots}
    return _weighted(read, rows, plan, outcome)


def _delay(
    name: str, title: str, figure: str, of: Callable[[Plan, PlanOutcome], float | None], unit: str
) -> Objective:
    return Objective(name, title, unit, figure, of, better="shorter", worse="longer", kind=_KIND)


DELAY = _delay("delay", "Mean delay", "delay_ms", partial(_mean, mean_delay), "ms")


def delay_of(read: Read) -> Objective:
    """The default objective by another figure of queries: medians where no mean exists."""
    if read is mean_delay:
        return DELAY
    return replace(DELAY, title="Median delay", figure="delay_ms_p50", of=partial(_mean, read))


def other_objectives(read: Read) -> Iterator[Objective]:
    """What schedules can be ranked by beside, whatever the workload declares."""
    kind = "Mean" if read is mean_delay else "Median"
    worst, outputs = partial(_worst, read), partial(_over_outputs, read)
    late = partial(_mean, late_delay)
    yield _delay("worst-query", f"{kind} delay of the worst query", "worst delay_ms", worst, "ms")
    yield _delay("p95", "95th percentile of delays", "delay_ms_p95", late, "ms")
    yield _delay(
        "output-delay", f"{kind} delay over results", "delay_ms over results", outputs, "ms"
    )
    if read is mean_delay:
        figure, unit = "delay_ms / isolated_delay_ms", "times its delay alone"
        worst = partial(_worst, stretch)
        yield Objective(
            "stretch",
            "Worst stretch",
            unit,
            figure,
            worst,
            better="less",
            worse="more",
            kind=_KIND,
        )


def declared_objectives(workload: Workload, read: Read) -> Iterator[Objective]:
    """By the weights and the deadlines of the queries, where some are declared."""
    weights = {query.name: query.weight for query in workload.queries}
    if has_weights(workload):
        of = partial(_weighted, read, weights)
        yield _delay("weighted-delay", "Weighted delay", "delay_ms by weight", of, "ms")
    deadlines = {q.name: 1e3 * q.deadline for q in workload.queries if q.deadline is not None}
    if deadlines:
        of = partial(_lateness, deadlines)
        title, unit = "95th percentile / deadline", "times its deadline"
        yield _delay("lateness", title, "delay_ms_p95 / deadline", of, unit)


def _lateness(deadlines: Mapping[str, float], _plan: Plan, outcome: PlanOutcome) -> float | None:
    """The worst share of its deadline that a query's 95th percentile takes; above 1 is late."""
    known = _known(late_delay, outcome)
    return max((known[q] / ms for q, ms in deadlines.items() if q in known), default=None)


def has_weights(workload: Workload) -> bool:
    """Whether some query counts more than another."""
    return len({query.weight for query in workload.queries}) > 1

"""Buckets where the printed model is wrong: what the kernels count beside both figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.families.join_order.pricing import EXACT_BUCKETS, PRINTED_BUCKETS, SKEWED, UNIFORM
from planner.families.registry import family
from planner.plan.cost import Cost, models_behind, q_error, total
from planner.statistics.generate import generate
from planner.workload.execution import Every, Execution
from planner.workload.streams import Attribute
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.feed import Span
from tests.planner.workloads import equality_join
from tests.runtime.driving import counted, feed_of

ROWS = ((8.0, 20.0, 40), (6.0, 20.0, 10), (10.0, 10.0, 25))
LABEL = "S1,S2,S3"
SECONDS = 4000
# One hot key joins so much that less will do.
HOT_SECONDS = 800


def counts(workload: Workload, seconds: int = SECONDS) -> Cost:
    """What the FROM order costs, as counted."""
    plan = family("join_order").space(workload).plan(LABEL)
    merged = feed_of(plan, workload)(workload, generate(workload, seconds + 60, seed=3))
    span = Span(microseconds(60), microseconds(60 + seconds))
    return total(counted(plan, workload, merged, span).costs, [root.id for root in plan.roots])


def figures(workload: Workload, beside: str) -> tuple[Cost, float]:
    """What the FROM order should cost, and its comparisons where this model stands beside."""
    known = family("join_order")
    plan = known.space(workload).plan(LABEL)
    estimate = known.space(workload).estimate(plan)
    other = 0.0
    for operator in plan.operators():
        told = [f for f in estimate.formulas[operator.id] if f.field == "comparisons"]
        named = [formula for formula in told[1:] if beside in formula.model]
        other += sum(formula.result for formula in (named or told)[:1])
    return total(estimate.costs, [root.id for root in plan.roots]), other


def hot(exponent: float, execution: Execution) -> Workload:
    """A join whose keys have one hot value."""
    workload = equality_join(ROWS, execution)
    streams = tuple(
        replace(s, attributes={"attr": Attribute(s.attributes["attr"].distinct, exponent)})
        for s in workload.streams
    )
    return replace(workload, streams=streams)


@pytest.mark.parametrize("buckets", [7, 17, 60, 1000])
def test_more_buckets_than_values_are_priced_as_counted(buckets: int) -> None:
    """S2 has 10 values, S3 25, S1 40: from 17 buckets on some of them stay empty."""
    workload = equality_join(ROWS, Execution(join="hash", buckets=buckets))
    found = counts(workload)
    predicted, printed = figures(workload, PRINTED_BUCKETS)
    assert predicted.comparisons == pytest.approx(found.comparisons, rel=0.05)
    if buckets > 40:
        assert printed < found.comparisons / 2, "the printed cost goes on falling"


@pytest.mark.parametrize("evaluate", ["eager", Every(2)])
def test_buckets_that_stay_empty_are_visited_and_priced(evaluate: Every) -> None:
    execution = Execution(join="hash", buckets=300, evaluate=evaluate, expire=Every(4))
    workload = equality_join(ROWS, execution)
    predicted, _ = figures(workload, PRINTED_BUCKETS)
    found = counts(workload)
    assert predicted.expirations == pytest.approx(found.expirations, rel=0.02)
    assert found.expirations > 3 * 300 / 4, "all buckets of three windows, every 4 s"


@pytest.mark.parametrize("buckets", [5, 100, "per-value"])
def test_one_hot_key_is_priced_from_its_frequency(buckets: int) -> None:
    workload = hot(2.5, Execution(join="hash", buckets=buckets))
    found = counts(workload, HOT_SECONDS)
    predicted, uniform = figures(workload, UNIFORM)
    assert predicted.comparisons == pytest.approx(found.comparisons, rel=0.05)
    assert (q_error(uniform, found.comparisons) or 0) > 2, "the uniform figure misleads"
    estimate = (
        family("join_order")
        .space(workload)
        .estimate(family("join_order").space(workload).plan(LABEL))
    )
    assert all(SKEWED in model for model in models_behind(estimate))
    assert all(EXACT_BUCKETS in model for model in models_behind(estimate))

"""What every family must hold, on every sample workload it covers."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import islice

import pytest

from planner.errors import PlanError
from planner.families.protocol import Family
from planner.families.registry import FAMILIES, chosen_plan, family
from planner.plan.cost import total
from planner.plan.expression import WHERE, Expression
from planner.workload.workload import Workload
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES
from tests.planner.join_graphs import GRAPH_SAMPLES
from tests.planner.latex import evaluate
from tests.planner.workloads import SAMPLES

MOST_CHECKED = 60
# Of so many plans every formula is read and worked out.
MOST_READ = 12
EVERY_SAMPLE = SAMPLES | GRAPH_SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES

CASES = [
    pytest.param(known, workload, id=f"{known.name}: {name}")
    for known in FAMILIES
    for name, workload in EVERY_SAMPLE.items()
    if known.refuses(workload) is None
]
every_case = pytest.mark.parametrize(("known", "workload"), CASES)


@pytest.mark.parametrize("known", FAMILIES, ids=lambda known: known.name)
def test_a_family_covers_some_sample_and_cites_its_paper(known: Family) -> None:
    assert any(known.refuses(workload) is None for workload in EVERY_SAMPLE.values())
    assert all(known.cites)
    assert family(known.name) is known


@every_case
def test_every_operator_is_priced_finite_and_not_negative(
    known: Family, workload: Workload
) -> None:
    for plan in islice(known.candidates(workload), MOST_CHECKED):
        estimate = known.estimate(plan, workload)
        assert set(estimate.costs) == {operator.id for operator in plan.operators()}
        for cost in estimate.costs.values():
            assert all(math.isfinite(v) and v >= 0 for v in cost.as_dict().values())
        assert set(estimate.qualities) == {query.name for query in workload.queries}


@every_case
def test_every_cost_is_what_its_formula_says(known: Family, workload: Workload) -> None:
    for plan in islice(known.candidates(workload), MOST_READ):
        estimate = known.estimate(plan, workload)
        for operator_id, cost in estimate.costs.items():
            formulas = estimate.formulas[operator_id]
            first = {formula.field: formula.result for formula in reversed(formulas)}
            spent = {field: value for field, value in cost.as_dict().items() if value}
            assert {field: value for field, value in first.items() if value} == spent
            for formula in formulas:
                _check_values(formula.expression)


def _check_values(expression: Expression) -> None:
    """What is printed works out to the value, as far as seven digits of each number tell."""
    written = expression.values.partition(WHERE)[0]
    assert evaluate(written) == pytest.approx(expression.value, rel=1e-5, abs=1e-6), written
    for meaning in expression.meanings.values():
        _check_values(meaning)


@every_case
def test_candidates_are_distinct_and_found_by_their_labels(
    known: Family, workload: Workload
) -> None:
    plans = list(islice(known.candidates(workload), MOST_CHECKED))
    assert len({plan.id for plan in plans}) == len({plan.label for plan in plans}) == len(plans)
    assert [plan.id for plan in known.plans(workload, (p.label for p in plans))] == [
        plan.id for plan in plans
    ]
    assert plans[0].label == known.rank(workload, top=1).baseline, "the naive plan comes first"


@every_case
def test_best_is_no_dearer_than_any_candidate(known: Family, workload: Workload) -> None:
    labels = [plan.label for plan in islice(known.candidates(workload), MOST_CHECKED)]
    ranking = known.rank(workload, top=None)
    best = chosen_plan(known, workload, "best").label
    assert best == ranking.best
    least = known.scores(workload, [best])[0]
    assert all(least <= score * (1 + 1e-9) for score in known.scores(workload, labels))


@every_case
def test_a_ranking_prices_as_the_estimate_does(known: Family, workload: Workload) -> None:
    ranking = known.rank(workload, top=5)
    for candidate in ranking.candidates:
        plan = known.plan(workload, candidate.label)
        priced = total(known.estimate(plan, workload).costs, [root.id for root in plan.roots])
        assert priced.as_dict() == pytest.approx(candidate.cost.as_dict())
    assert ranking.baseline in {candidate.label for candidate in ranking.candidates}
    # A long label is told in words: that of a general plan, or of a chain of many slices.
    assert known.answer(workload, ranking).startswith(
        (ranking.best, "A general plan", "A chain of")
    )
    assert all(sentence.strip() for sentence in known.why(workload))


@every_case
def test_an_unknown_label_is_the_users_mistake(known: Family, workload: Workload) -> None:
    with pytest.raises(PlanError):
        known.plan(workload, "no such plan")


def test_plans_have_the_same_ids_in_every_process() -> None:
    script = (
        "from tests.planner.aggregations import AGGREGATION_SAMPLES\n"
        "from tests.planner.chains import CHAIN_SAMPLES\n"
        "from tests.planner.workloads import SAMPLES\n"
        "from planner.families.registry import FAMILIES\n"
        "from itertools import islice\n"
        "for f in FAMILIES:\n"
        "    for w in (SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES).values():\n"
        "        if f.refuses(w) is None:\n"
        "            print(*(p.id for p in islice(f.candidates(w), 5)))\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    here = [
        plan.id
        for known in FAMILIES
        for workload in (SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES).values()
        if known.refuses(workload) is None
        for plan in islice(known.candidates(workload), 5)
    ]
    assert there == here


def test_an_unknown_family_is_told_which_there_are() -> None:
    with pytest.raises(PlanError, match="join_order"):
        family("join-order")

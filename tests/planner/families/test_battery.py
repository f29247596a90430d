"""What every family must hold, on every sample workload it covers."""

from __future__ import annotations

import math
import subprocess
import sys
from functools import cache
from itertools import islice

import pytest

from planner.errors import PlanError
from planner.families.protocol import Family, PlanSpace
from planner.families.registry import FAMILIES, chosen_plan, family
from planner.plan.cost import total
from planner.plan.expression import WHERE, Expression
from tests.examples import times
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES
from tests.planner.join_graphs import GRAPH_SAMPLES
from tests.planner.latex import evaluate
from tests.planner.schedules import SCHEDULE_SAMPLES
from tests.planner.shedding import STAR_SAMPLES, star_space
from tests.planner.workloads import SAMPLES

# More in `./check --all`.
MOST_CHECKED = times(12)
# Of so many plans every formula is read and worked out.
MOST_READ = 12
EVERY_SAMPLE = (
    SAMPLES | GRAPH_SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES | SCHEDULE_SAMPLES | STAR_SAMPLES
)

CASES = [
    pytest.param(known.name, name, id=f"{known.name}: {name}")
    for known in FAMILIES
    for name, workload in EVERY_SAMPLE.items()
    if known.refuses(workload) is None
]
every_case = pytest.mark.parametrize(("family_name", "sample"), CASES)


@cache
def _space(family_name: str, sample: str) -> PlanSpace:
    """One for all tests: what it has priced, it need not price again."""
    if family_name == "load_shedding" and sample in STAR_SAMPLES:
        return star_space(sample)
    return family(family_name).space(EVERY_SAMPLE[sample])


@pytest.mark.parametrize("known", FAMILIES, ids=lambda known: known.name)
def test_a_family_covers_some_sample_and_cites_its_paper(known: Family) -> None:
    assert any(known.refuses(workload) is None for workload in EVERY_SAMPLE.values())
    assert all(known.cites)
    assert family(known.name) is known


@every_case
def test_every_operator_is_priced_finite_and_not_negative(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    queries = {query.name for query in EVERY_SAMPLE[sample].queries}
    for plan in islice(space.candidates(), MOST_CHECKED):
        estimate = space.estimate(plan)
        assert set(estimate.costs) == {operator.id for operator in plan.operators()}
        for cost in estimate.costs.values():
            assert all(math.isfinite(v) and v >= 0 for v in cost.as_dict().values())
        assert set(estimate.qualities) == queries


@every_case
def test_every_cost_is_what_its_formula_says(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    for plan in islice(space.candidates(), MOST_READ):
        estimate = space.estimate(plan)
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
def test_candidates_are_distinct_and_found_by_their_labels(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    plans = list(islice(space.candidates(), MOST_CHECKED))
    assert len({plan.id for plan in plans}) == len({plan.label for plan in plans}) == len(plans)
    found = space.plans(plan.label for plan in plans)
    assert [plan.id for plan in found] == [plan.id for plan in plans]
    assert plans[0].label == space.rank(top=1).baseline, "the naive plan comes first"


@every_case
def test_best_is_no_worse_than_any_candidate(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    labels = [plan.label for plan in islice(space.candidates(), MOST_CHECKED)]
    ranking = space.rank()
    best = chosen_plan(space, "best").label
    assert best == ranking.best
    (least,) = space.scores([best])
    eligible = [label for label in labels if ranking.by.eligible(label)]
    assert all(ranking.by.within(least, score, 1 + 1e-9) for score in space.scores(eligible))


@every_case
def test_every_objective_ranks_plans(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    assert {by.name for by in space.objectives} >= {"work", "seconds", "state"}
    assert space.objective(None) == space.objectives[0]
    assert space.objectives[0].name == family(family_name).objective.name
    for by in space.objectives:
        assert space.objective(by.name) == by
        ranking = space.rank(by, 5)
        shown = [c for c in ranking.candidates if c.label != ranking.baseline]
        assert [c.score for c in shown] == pytest.approx(
            [c.score for c in sorted(shown, key=lambda c: by.key(c.score, c.label))]
        )
        assert space.best(by).label == ranking.best
        assert by.eligible(ranking.best)
        labels = [c.label for c in ranking.candidates]
        assert space.scores(labels, by) == pytest.approx([c.score for c in ranking.candidates])
        assert space.explanation(ranking).answer.endswith(".")
        plan = space.plan(ranking.best)
        of_estimate = by.of(plan, space.estimate(plan))
        if by.name == "state":
            # Lazy windows are priced as a scan finds them, or as they are on average.
            assert of_estimate == pytest.approx(ranking.of(plan.label).score, rel=0.05)
        assert of_estimate is not None


@every_case
def test_a_ranking_prices_as_the_estimate_does(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    ranking = space.rank(top=5)
    for candidate in ranking.candidates:
        plan = space.plan(candidate.label)
        priced = total(space.estimate(plan).costs, [root.id for root in plan.roots])
        assert priced.as_dict() == pytest.approx(candidate.cost.as_dict())
    assert ranking.baseline in {candidate.label for candidate in ranking.candidates}
    explained = space.explanation(ranking)
    assert explained.answer.startswith(space.title(ranking.best))
    assert all(sentence.strip() for sentence in explained.why)


@every_case
def test_an_unknown_label_is_the_users_mistake(family_name: str, sample: str) -> None:
    space = _space(family_name, sample)
    with pytest.raises(PlanError):
        space.plan("no such plan")
    with pytest.raises(PlanError, match=r"ranked by .*work, seconds"):
        space.objective("beauty")


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
        "            print(*(p.id for p in islice(f.space(w).candidates(), 5)))\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    here = [
        plan.id
        for known in FAMILIES
        for workload in (SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES).values()
        if known.refuses(workload) is None
        for plan in islice(known.space(workload).candidates(), 5)
    ]
    assert there == here


def test_an_unknown_family_names_those_there_are() -> None:
    with pytest.raises(PlanError, match="join_order"):
        family("join-order")

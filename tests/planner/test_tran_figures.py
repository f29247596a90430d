"""Figures 6 to 10 of the early-aggregation paper: what both models predict, and the claims."""

from __future__ import annotations

import pytest

from planner.cost import total
from planner.evaluation.experiment import Experiment
from planner.evaluation.tran_figures import PRINTED, REFINED, TRAN_FIGURES
from planner.families import family
from planner.workload_file import dump_workload, load_workload

every = pytest.mark.parametrize("shown", TRAN_FIGURES, ids=lambda known: known.name)
FAMILY = family("early_aggregation")


def _named(name: str) -> Experiment:
    (found,) = [known for known in TRAN_FIGURES if known.name == name]
    return found


def _holds(shown: Experiment, model: str) -> list[bool]:
    return [claim.check(shown.predicted()[model]).holds for claim in shown.claims]


@every
def test_every_point_has_a_plan_that_can_be_priced_and_opened(shown: Experiment) -> None:
    for point in shown.points[::5]:
        assert FAMILY.plan(point.workload, point.plan).label == point.plan
        assert load_workload(dump_workload(point.workload), "a point") == point.workload
    labels = [curve.label for curve in shown.curves]
    assert len(set(labels)) == len(labels) == 2 * len({curve.subject for curve in shown.curves})


@every
def test_refined_predictions_are_the_familys_own(shown: Experiment) -> None:
    for curve in shown.curves:
        for point in curve.points[::3]:
            if curve.model == PRINTED:
                continue
            plan = FAMILY.plan(point.workload, point.plan)
            costs = FAMILY.estimate(plan, point.workload).costs
            found = total(costs, [root.id for root in plan.roots])
            assert found.operations == pytest.approx(point.predicted)


@pytest.mark.parametrize("name", ["figure-6a", "figure-7a"])
def test_a_set_goes_on_filling_where_the_printed_one_is_full(name: str) -> None:
    constant = {
        model: _named(name).claims[1].check(_named(name).predicted()[model]).holds
        for model in (PRINTED, REFINED)
    }
    assert constant == {PRINTED: True, REFINED: False}


@pytest.mark.parametrize("name", ["figure-6b", "figure-7b", "figure-8b", "figure-9b"])
def test_with_more_groups_early_plans_approach_late_ones(name: str) -> None:
    assert all(_holds(_named(name), REFINED))


@pytest.mark.parametrize("letter", "cd")
@pytest.mark.parametrize("number", [6, 7, 8, 9])
@pytest.mark.parametrize("model", [PRINTED, REFINED])
def test_claims_about_rates_and_selectivities_hold(number: int, letter: str, model: str) -> None:
    assert all(_holds(_named(f"figure-{number}{letter}"), model))


@pytest.mark.parametrize("letter", "abcd")
@pytest.mark.parametrize("model", [PRINTED, REFINED])
def test_each_plan_has_its_showcase(letter: str, model: str) -> None:
    assert _holds(_named(f"figure-10{letter}"), model) == [True]


def test_a_showcase_does_not_hold_for_another_plans_figures() -> None:
    values = _named("figure-10d").predicted()[REFINED]
    assert not _named("figure-10a").claims[0].check(values).holds


def test_the_axes_are_the_papers() -> None:
    places = {name: [p.x for p in _named(name).curves[0].points] for name in ("figure-6b",)}
    assert places["figure-6b"] == [3**power for power in range(1, 10)]
    point = _named("figure-6d").curves[0].points[0]
    keys = [stream.attributes["j"].distinct for stream in point.workload.streams]
    assert (point.x, keys) == (0.0005, [2000, 2000])
    rates = [stream.rate for stream in _named("figure-6c").curves[0].points[0].workload.streams]
    assert rates == [100, 500]

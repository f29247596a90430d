"""Figures 6 to 10 of the early-aggregation paper: what both models predict, and the claims."""

from __future__ import annotations

import pytest

from planner.experiments.agreements import ranked_alike, shaped_alike
from planner.experiments.registry import experiment, experiments
from planner.experiments.tran.curves import HASH, PRINTED, REFINED, SECONDS, Row, timed
from planner.families.registry import family

every_four = pytest.mark.parametrize("number", [6, 7, 8, 9])
TRAN_FIGURES = [
    known for known in experiments() if known.paper == "Tran & Lee 2007" and not known.x.named
]
COUNTED = [known for known in TRAN_FIGURES if known.quantity == "operations"]
TWO_MODELS = pytest.mark.parametrize("model", [PRINTED, REFINED])


def _holds(name: str, model: str) -> list[bool]:
    shown = experiment(name)
    return [claim.check(shown.predicted()[model]).holds for claim in shown.claims]


def test_every_plan_has_a_curve_under_each_model() -> None:
    for shown in COUNTED:
        labels = [curve.label for curve in shown.curves]
        subjects = {curve.subject for curve in shown.curves}
        assert len(labels) == 2 * len(subjects)
        assert len(subjects) == 2 ** len(shown.points[0].workload.streams)


@every_four
def test_a_set_goes_on_filling_where_the_printed_one_is_full(number: int) -> None:
    """So the early plans do not stay constant; that they are better than LAP holds all the same."""
    assert _holds(f"figure-{number}a", REFINED) == [True, False, True]
    assert _holds(f"figure-{number}a", PRINTED)[:2] == [True, True]


@every_four
def test_with_more_groups_early_plans_approach_late_ones(number: int) -> None:
    assert all(_holds(f"figure-{number}b", REFINED))


def test_tables_of_groups_have_at_most_b_buckets() -> None:
    """Equation 22, worked out by hand for 19,683 groups: 5,000 of them in 1,021 buckets."""
    printed = experiment("figure-6b").predicted()[PRINTED]
    chain = 5000 / 1021
    assert printed["LAP"][19683] == pytest.approx(1200 * (500 + 1 + 500 * chain))
    assert printed["LAP"][19683] == pytest.approx(3_539_496, abs=1)
    assert printed["EAP-10"][19683] / printed["LAP"][19683] == pytest.approx(1.085, abs=5e-4)
    nested = experiment("figure-7b").predicted()[PRINTED]
    assert nested["LAP"][19683] == pytest.approx(1200 * (5000 + 1 + 500 * chain))
    both = experiment("figure-10a").predicted()[PRINTED]
    assert both["LAP"][500] == pytest.approx(2000 * (500 + 1 + 5 * 500 * 500 / 1021))


def test_every_figure_is_there_in_seconds_as_well() -> None:
    timed_figures = {known.name for known in TRAN_FIGURES if known.quantity == "seconds"}
    assert timed_figures == {f"{known.name}-seconds" for known in COUNTED}
    shown, counted = experiment("figure-7b-seconds"), experiment("figure-7b")
    assert not shown.points, "operations are measured"
    assert [c.text for c in shown.claims] == [c.text for c in counted.claims]
    for curve in shown.curves:
        for point in curve.points:
            space = family("early_aggregation").space(point.workload)
            assert point.predicted == space.scores([point.plan], space.objective("seconds"))[0]


@pytest.mark.parametrize("number", [6, 7, 8, 9])
def test_in_seconds_claims_hold_as_in_operations(number: int) -> None:
    for letter in "abcd":
        counted = _holds(f"figure-{number}{letter}", REFINED)
        assert _holds(f"figure-{number}{letter}-seconds", SECONDS) == counted


@pytest.mark.parametrize("letter", "cd")
@every_four
@TWO_MODELS
def test_claims_about_rates_and_selectivities_hold(number: int, letter: str, model: str) -> None:
    assert all(_holds(f"figure-{number}{letter}", model))


@pytest.mark.parametrize("letter", "abcd")
@TWO_MODELS
def test_each_plan_has_its_showcase(letter: str, model: str) -> None:
    assert _holds(f"figure-10{letter}", model) == [True]


@pytest.mark.parametrize("name", ["figure-10", "figures-6-to-9"])
@TWO_MODELS
def test_claims_across_figures_hold(name: str, model: str) -> None:
    assert all(_holds(name, model))


def test_a_showcase_does_not_hold_for_another_plans_figures() -> None:
    values = experiment("figure-10d").predicted()[REFINED]
    assert not experiment("figure-10a").claims[0].check(values).holds


def test_claims_do_not_hold_where_curves_are_turned_round() -> None:
    for name in ("figure-6a", "figure-6b", "figure-6c", "figure-6d"):
        shown = experiment(name)
        turned = {
            curve: dict(zip(values, reversed(values.values()), strict=True))
            for curve, values in shown.predicted()[REFINED].items()
        }
        assert not any(c.check(turned).holds for c in shown.claims if "better" not in c.text)


def test_ranks_and_shapes_are_compared_with_what_was_measured() -> None:
    predicted = {"LAP": {1: 100.0, 2: 200.0}, "EAP-10": {1: 90.0, 2: 120.0}}
    twice = {curve: {x: 2 * y for x, y in by.items()} for curve, by in predicted.items()}
    assert ranked_alike(predicted, twice).holds
    assert shaped_alike(predicted, twice).holds
    swapped = {"LAP": twice["EAP-10"], "EAP-10": twice["LAP"]}
    assert ranked_alike(predicted, swapped).text == (
        "0 of 2 pairs of plans in the same order; not LAP and EAP-10 at 1 and 1 more"
    )
    assert not ranked_alike(predicted, swapped).holds
    assert not shaped_alike(predicted, swapped).holds
    near = {"LAP": {1: 100.0, 2: 200.0}, "EAP-10": {1: 102.0, 2: 120.0}}
    assert ranked_alike(predicted, near).holds, "within 5% nothing is said about the order"


def test_a_run_is_shorter_where_there_is_more_work_and_its_windows_are_full() -> None:
    default = timed("default", [Row(300, 5000, 150, 10), Row(300, 5000, 1, 10)], HASH)
    assert (default.run.warmup, default.run.duration) == (20.0, 10.0)
    heavy = [point.workload for point in experiment("figure-8d").points if point.x == 0.5]
    assert {workload.run.duration for workload in heavy} == {1.0}
    for shown in TRAN_FIGURES:
        assert all(p.workload.warmup > p.workload.longest_window for p in shown.points)


def test_the_axes_are_the_papers() -> None:
    places = {name: [p.x for p in experiment(name).curves[0].points] for name in ("figure-6b",)}
    assert places["figure-6b"] == [3**power for power in range(1, 10)]
    point = experiment("figure-6d").curves[0].points[0]
    keys = [stream.attributes["j"].distinct for stream in point.workload.streams]
    assert (point.x, keys) == (0.0005, [2000, 2000])
    rates = [stream.rate for stream in experiment("figure-6c").curves[0].points[0].workload.streams]
    assert rates == [100, 500]

"""Figures 11, 17, 18 and 19 of the state-slice paper: settings, predictions and claims."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from planner.experiments import checks
from planner.experiments.registry import experiment, experiments
from planner.experiments.wang.curves import (
    COMPARISONS,
    EQUATION_4,
    EXPECTED,
    KERNEL_C_SYS,
    LINEAR_TERMS,
    WITH_OVERHEAD,
)
from planner.experiments.wang.workloads import many_joins, spread_windows, windowed_joins
from planner.families.registry import family
from planner.families.sliced_chain.model import model_of
from planner.workload.execution import Execution
from planner.workload.workload import Workload

SLICED, MEMORY = "State-slice", "Mem-Opt"
WITHOUT, WITH = "CPU-Opt, C_sys = 0", "CPU-Opt, C_sys = 125"
TABLE_4 = {
    "uniform": (2.5, 5, 7.5, 10, 12.5, 15, 17.5, 20, 22.5, 25, 27.5, 30),
    "mostly small": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30),
    "small and large": (1, 2, 3, 4, 5, 6, 25, 26, 27, 28, 29, 30),
}


@pytest.mark.parametrize("spread", TABLE_4)
def test_windows_are_those_of_table_4_and_more_of_them_are_spread_alike(spread) -> None:
    assert spread_windows(spread, 12) == TABLE_4[spread]
    for queries in (24, 36):
        windows = spread_windows(spread, queries)
        assert len(set(windows)) == queries
        assert windows[-1] == 30
        small = sum(window <= 10 for window in TABLE_4[spread])
        assert sum(window <= 10 for window in windows) == small * queries // 12


@pytest.mark.parametrize("joined", [0.025, 0.1, 0.4])
@pytest.mark.parametrize("filtered", [0.2, 0.5, 0.8])
def test_shares_are_exactly_those_of_table_3(joined: float, filtered: float) -> None:
    workload = windowed_joins("two", 20.0, (10, 30), (1.0, filtered), joined)
    (group,) = model_of(workload).groups
    assert group.ways[0].selectivity == pytest.approx(joined)
    assert group.stored[0][1] == pytest.approx(filtered)


def test_a_share_that_no_attribute_has_is_refused() -> None:
    with pytest.raises(ValueError, match="of all pairs"):
        windowed_joins("two", 20.0, (10, 30), joined=0.3)


def test_every_setting_of_table_3_has_a_figure_of_memory_and_of_service_rate() -> None:
    names = {
        known.name for known in experiments() if known.figure.startswith(("Figure 17", "Figure 18"))
    }
    spreads = ("mostly-small", "uniform", "mostly-large")
    grid = product((17, 18), spreads, (0.2, 0.5, 0.8), (0.025, 0.1, 0.4))
    wanted = {f"figure-{n}-{spread}-{passing}-{joined}" for n, spread, passing, joined in grid}
    assert len(wanted) == 54
    assert names == wanted | {"figure-17", "figure-18"}
    rates = [point.x for point in experiment("figure-17-uniform-0.5-0.1").curves[0].points]
    assert rates == [20, 40, 60, 80]


def test_what_equation_4_leaves_out_matters_at_low_rates() -> None:
    """At 20 tuples/s all savings are positive; at 2/s a chain loses to push-down."""
    fast = experiment("figure-11c-push-down-0.025").predicted()
    slow = experiment("figure-11c-push-down-0.025-slow").predicted()
    assert fast[EQUATION_4] == slow[EQUATION_4]
    for curve, by_place in fast[EQUATION_4].items():
        for x, saved in by_place.items():
            near, far = (saved - predicted[LINEAR_TERMS][curve][x] for predicted in (fast, slow))
            assert 0 < near < 0.01
            assert far == pytest.approx(10 * near, rel=0.2), "they grow as 1/λ"
    positive = experiment("figure-11c-push-down-0.025").claims[0].check
    assert positive(fast[LINEAR_TERMS]).holds
    assert positive(fast[EXPECTED]).holds
    assert not positive(slow[LINEAR_TERMS]).holds
    assert not positive(slow[EXPECTED]).holds


def test_savings_are_a_surface_over_window_ratio_and_selectivity() -> None:
    shown = experiment("figure-11a-pull-up")
    assert shown.surface is not None
    surface = shown.surface()
    heights = surface.heights[EQUATION_4]
    assert heights[0][0] == pytest.approx((1 - 0.05) ** 2 / 2), "45%: close to the paper's 50%"
    assert len(heights) == len(surface.y)
    assert {len(row) for row in heights} == {len(surface.x)}
    at = surface.x.index(0.5), surface.y.index(surface.levels["Sσ = 0.2"])
    assert heights[at[1]][at[0]] == shown.predicted()[EQUATION_4]["Sσ = 0.2"][0.5]
    assert set(experiment("figure-11b-pull-up-0.1").surface().heights) == {EQUATION_4, LINEAR_TERMS}


@pytest.mark.parametrize("name", ["figure-17-mostly-small-0.2-0.1", "figure-17"])
def test_a_chain_needs_least_memory(name: str) -> None:
    shown = experiment(name)
    (values,) = shown.predicted().values()
    assert shown.claims[0].check(values).holds
    swapped = {**values, SLICED: values["Unshared"]}
    assert not shown.claims[0].check(swapped).holds


def test_service_rates_are_the_inverse_of_the_work_beside_pull_up() -> None:
    shown = experiment("figure-18-uniform-0.5-0.1")
    predicted = shown.predicted()
    assert set(predicted[COMPARISONS]["Selection pull-up"].values()) == {1.0}
    for curve in shown.curves:
        point = curve.points[0]
        c_sys = KERNEL_C_SYS if curve.model == WITH_OVERHEAD else 0.0
        own, other = (_score(point.workload, plan, c_sys) for plan in (point.plan, "pull-up"))
        assert point.predicted == pytest.approx(other / own)
    assert predicted[WITH_OVERHEAD][SLICED][20] < predicted[COMPARISONS][SLICED][20]


def _score(workload: Workload, label: str, c_sys: float) -> float:
    priced = replace(workload, execution=Execution(c_sys=c_sys))
    return family("sliced_chain").space(priced).scores([label])[0]


def test_cpu_opt_depends_on_what_entering_a_slice_costs() -> None:
    shown = experiment("figure-19-small-and-large-12")
    plans = {
        curve.subject: {point.x: point.plan for point in curve.points} for curve in shown.curves
    }
    assert list(plans) == [MEMORY, WITHOUT, WITH, "One slice (pull-up)"]
    assert plans[MEMORY][20].count("-") == 12
    assert plans[WITHOUT][20].count("-") == 7
    assert plans[WITH][20].count("-") < 4
    overheads = {c.subject: c.points[0].workload.execution.c_sys for c in shown.curves}
    assert overheads[WITH] == KERNEL_C_SYS
    assert overheads[WITHOUT] == 0
    for curve in shown.curves:
        if curve.subject == WITH and curve.model == WITH_OVERHEAD:
            assert all(point.predicted > 1.2 for point in curve.points)
    assert many_joins("uniform", 12, 20.0).warmup == 30


def test_with_uniform_windows_cpu_opt_is_mem_opt_but_at_low_rates() -> None:
    """At 20 tuples/s merging the two shortest windows saves 20 comparisons of 25,400."""
    shown = experiment("figure-19-slices")
    assert not shown.points
    finding = shown.claims[0].check(shown.predicted()["planned"])
    assert (finding.holds, finding.text) == (False, "11 and 12 at 20")
    higher = {c: {x: n for x, n in by.items() if x > 20} for c, by in _slices().items()}
    assert shown.claims[0].check(higher).holds


def _slices() -> dict[str, dict[float, float]]:
    return experiment("figure-19-slices").predicted()["planned"]


def test_with_uniform_windows_cpu_opt_is_as_fast_as_mem_opt() -> None:
    (claim,) = experiment("figure-19-uniform-12").claims
    predicted = experiment("figure-19-uniform-12").predicted()[COMPARISONS]
    assert claim.check(predicted).holds
    other = {**predicted, WITHOUT: predicted["One slice (pull-up)"]}
    assert not claim.check(other).holds


CURVES = {"a": {1: 1.0, 2: 2.0, 3: 3.0}, "b": {1: 1.0, 2: 1.0, 3: 1.0}}


@pytest.mark.parametrize(
    ("check", "arguments", "holds"),
    [
        (checks.highest, ("a", ["b"]), True),
        (checks.highest, ("b", ["a"]), False),
        (checks.widens, ("a", "b"), True),
        (checks.widens, ("b", "a"), False),
        (checks.reaches, ("a", ["b"], 3.0), True),
        (checks.reaches, ("a", ["b"], 3.1), False),
        (checks.saves_between, ("b", ["a"], 0.0, 0.7), True),
        (checks.saves_between, ("b", ["a"], 0.1, 0.7), False),
        (checks.same_within, ("b", [[1, 2, 3]]), True),
        (checks.same_within, ("a", [[1, 2]]), False),
        (checks.differs_within, ("a", "b", [[1, 2], [2, 3]]), True),
        (checks.differs_within, ("b", "b", [[1, 2]]), False),
        (checks.rises_along, ("a", [[1, 2, 3]]), True),
        (checks.rises_along, ("a", [[1, 2, 3], [3, 1]]), False),
        (checks.rises_along, ("b", [[1, 2]]), False),
        (checks.gains_on_average, ("a", 0.9, 1.1), True),
        (checks.gains_on_average, ("a", 0.2, 0.3), False),
        (checks.mean_between, (1.4, 1.6), True),
        (checks.mean_between, (1.6, 2.0), False),
        (checks.nothing_on, ("a",), False),
        (checks.never_negative, (), True),
    ],
)
def test_checks_hold_and_fail(check, arguments, holds: bool) -> None:
    assert check(CURVES, *arguments).holds is holds


def test_what_is_below_nothing_is_told() -> None:
    found = checks.never_negative({"a": {1: 0.2, 2: -0.1}})
    assert not found.holds
    assert found.text == "-10% at least, a at 2"
    assert checks.nothing_on({"a": {1: 0.001}}, "a").holds

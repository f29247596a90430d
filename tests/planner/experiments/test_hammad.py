"""Shared-join scheduling: Table 1, batches by the equations, quantities and claims."""

from __future__ import annotations

import pytest

from planner.experiments import place_checks
from planner.experiments.hammad.curves import EQUATIONS, POLICIES, PREDICTED, SIMULATED
from planner.experiments.hammad.simultaneous import batch_tuples, simultaneous
from planner.experiments.hammad.workloads import POOL, TABLE_1, pool, shared_join
from planner.experiments.quantities import figure_of, quality_figure, unit_of
from planner.experiments.registry import experiment, experiments
from planner.families.registry import family
from planner.plan.cost import Quality

OWN = [known for known in experiments() if known.paper == "Hammad et al. 2003"]


@pytest.mark.parametrize("name", ["schedule-figure-2b", "schedule-figure-3b"])
def test_the_equations_are_what_a_batch_comes_to_scan_by_scan(name: str) -> None:
    shown = experiment(name)
    assert len(shown.points) == 7 * len({curve.subject for curve in shown.curves})
    predicted = shown.predicted()
    for subject, delays in predicted[EQUATIONS].items():
        assert predicted[SIMULATED][subject] == pytest.approx(delays)
    for values in predicted.values():
        assert all(claim.check(values).holds for claim in shown.claims)


def test_the_figures_that_the_paper_draws_of_batches() -> None:
    """50 tuples of 60,000 pairs at 1 µs: LWO waits 1.47 s even for the smallest window."""
    lwo = experiment("schedule-figure-2b").predicted()[EQUATIONS]
    assert lwo["LWO"][1] == pytest.approx(1470.05)
    assert lwo["Isolated"][1] == pytest.approx(2.5005)
    swf = experiment("schedule-figure-3b").predicted()[EQUATIONS]["SWF"]
    assert swf[1] == pytest.approx(2.55)
    assert swf[600] == pytest.approx(50 * 30 + 25.5 * 30)


def test_a_batch_meets_full_windows_and_nothing_else_is_measured() -> None:
    workload = simultaneous("a batch", (1, 5))
    tables = batch_tuples(workload)
    (at,) = set(tables["A"].ts.tolist())
    assert len(tables["A"]) == 50
    ages = at - tables["B"].ts
    assert [(ages < 1e6 * window).sum() for window in (1, 5)] == [100, 500]
    assert tables["B"].ts.max() < 1e6 * workload.warmup < at


def test_every_distribution_has_seven_windows_from_a_second_to_ten_minutes() -> None:
    for windows in TABLE_1.values():
        assert len(windows) == 7
        assert (windows[0], windows[-1]) == (1, 600)
        assert list(windows) == sorted(set(windows))


@pytest.mark.parametrize("favoured", TABLE_1["Small-Large"])
def test_four_fifths_of_the_pool_have_one_window(favoured: float) -> None:
    windows = pool(TABLE_1["Small-Large"], favoured)
    assert len(windows) == POOL
    assert windows.count(favoured) == 24
    assert {windows.count(other) for other in TABLE_1["Small-Large"] if other != favoured} == {1}


def test_a_pool_that_cannot_be_shared_out_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be shared out"):
        pool((1, 2, 3, 4, 5), 1)


@pytest.mark.parametrize("load", [0.7, pytest.param(0.93, marks=pytest.mark.slow)])
def test_mqt_is_best_over_queries_and_lwo_over_results(load: float) -> None:
    over_queries = experiment(f"schedule-figure-5-hash-{load}-queries").predicted()[PREDICTED]
    over_results = experiment(f"schedule-figure-5-hash-{load}-results").predicted()[PREDICTED]
    for place in over_queries["MQT"]:
        assert min(POLICIES, key=lambda policy: over_queries[policy][place]) == "MQT"
        assert min(POLICIES, key=lambda policy: over_results[policy][place]) == "LWO"


def test_bursts_of_no_mean_have_predicted_quantiles_and_no_predicted_mean() -> None:
    assert experiment("schedule-figure-7-mean").models == ()
    for name in ("schedule-figure-7-median", "schedule-figure-7-p95"):
        values = experiment(name).predicted()[PREDICTED]
        assert list(values["MQT"]) == [1, 2, 3, 4, 5]


def test_points_of_one_workload_share_their_runs() -> None:
    shown = experiment("schedule-figure-6-uniform-0.7-mean")
    assert len(shown.points) == 21
    assert len({point.key for point in shown.points}) == 21
    assert len({point.run_key for point in shown.points}) == 3
    other = experiment("schedule-figure-6-uniform-0.7-maximum")
    assert other.digest != shown.digest
    assert {p.run_key for p in other.points} == {p.run_key for p in shown.points}


def test_texts_say_how_the_load_was_set_and_which_mean_it_is() -> None:
    for known in OWN:
        text = " ".join((known.about, known.y.title, *known.remarks))
        if known.figure.startswith("Figure 5"):
            assert "unit costs are scaled to a load of" in text
            assert "mean over" in text
        if known.figure.startswith(("Figure 7", "Figure 8")):
            assert "delays have no mean" in text
        assert len(known.about) <= 400, "the page shows so much"
        assert all(len(remark) <= 600 for remark in known.remarks)


def test_a_quantity_is_part_of_a_cost_a_figure_of_queries_or_an_objective() -> None:
    workload = shared_join("small", (1, 5), 0.5)
    space = family("shared_schedule").space(workload)
    plan = space.plan("LWO")
    estimate = space.estimate(plan)

    def read(quantity: str, query: str = "") -> float | None:
        return figure_of(plan, estimate, space.objectives, quantity, query)

    assert read("comparisons") == pytest.approx(space.cost("LWO").comparisons)
    assert read("delay_ms") == pytest.approx(read("delay"))
    each = [read("delay_ms", query) or 0.0 for query in ("Q1", "Q2")]
    assert sum(each) / 2 == pytest.approx(read("delay_ms"))
    assert each[0] < (read("output-delay") or 0.0) < each[1] or each[0] == each[1]
    assert (read("delay_ms_max") or 0.0) > (read("delay_ms_p99") or 0.0) > 0
    assert read("recall") is None
    assert read("nonsense") is None
    assert unit_of("rate") == "Tuples/s"


def test_the_mean_is_over_queries_that_have_the_figure() -> None:
    qualities = {"Q1": Quality(delay_ms=2.0), "Q2": Quality(delay_ms=4.0), "Q3": Quality()}
    assert quality_figure(qualities, "delay_ms") == 3.0
    assert quality_figure(qualities, "delay_ms", "Q2") == 4.0
    assert quality_figure(qualities, "delay_ms", "Q3") is None


def test_checks_of_single_places() -> None:
    values = {"a": {"x": 1.0, 2: 9.0}, "b": {"x": 4.0, 2: 3.0}}
    assert place_checks.below_at(values, "a", "b", ["x"]).holds
    assert not place_checks.below_at(values, "a", "b", ["x", 2]).holds
    assert place_checks.times_at(values, "a", "b", 2, 3).holds
    assert not place_checks.times_at(values, "a", "b", 2, 3.1).holds
    assert place_checks.saves_at(values, "a", "b", "x", 0.75).text == "75% at x"
    assert place_checks.share_of(values, "b", 2, "x", 0.7, 0.8).holds
    assert not place_checks.at_least(values, "a", "x", 2).holds

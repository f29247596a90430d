"""Predicted delays: closed forms beside long simulated runs, and who is best where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.families.registry import family
from planner.families.shared_schedule.delays.batches import SimultaneousBatch
from planner.families.shared_schedule.delays.response_times import delays_alone, responses
from planner.families.shared_schedule.delays.sample import ArrivalSample, drawn_sample
from planner.families.shared_schedule.delays.simulation import simulated
from planner.families.shared_schedule.labels import EDF, FAIR, LWO, MQT, OUT, SWF, WMQT, Schedule
from planner.families.shared_schedule.model import model_of
from planner.families.shared_schedule.predictions import (
    FEEDBACK,
    PK,
    SIMULATED,
    SchedulePredictions,
    predictions_of,
)
from planner.families.shared_schedule.ranking_notes import notes
from planner.families.shared_schedule.space import SKETCHED_SCANS
from planner.seconds.units import units_of
from planner.workload.execution import RunSettings
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload
from tests.planner.schedules import TABLE_1, scheduled, urgent

LONG = 30_000
# What closed forms are off at most; the runs themselves by a third of it.
NEAR = 0.05


def predicted(workload: Workload) -> SchedulePredictions:
    return predictions_of(model_of(workload), units_of(workload))


def long_run(workload: Workload, policies: tuple[str, ...], seed: int) -> dict[str, np.ndarray]:
    """Mean delays by window of so many tuples; and alone."""
    model = model_of(replace(workload, run=RunSettings(seed)))
    own = SchedulePredictions(model, model.clock(units_of(workload)))
    sample = drawn_sample(model, own.clock, LONG)
    found = {"alone": delays_alone(sample, own.scans.find)}
    for policy in policies:
        rule = own.rule(Schedule(policy))
        served = simulated(sample, model.windows, rule)
        found[policy] = responses(sample, served, own.scans.find, rule.at_ends).results
    return found


CASES = {
    "Small-Large, hashed": scheduled(TABLE_1["Small-Large"]),
    "Uniform, hashed": scheduled(TABLE_1["Uniform"]),
    "Small-Large, nested": scheduled(TABLE_1["Small-Large"], (15, 15), join="nested"),
    "frequent keys": scheduled((5, 100, 300), (50, 50), 100, zipf=1.0),
    "different rates": scheduled((5, 10, 30), (20, 60), 10, join="nested"),
    "rows": scheduled((50, 100, 500), (20, 60), 10, join="nested", kind="ROWS"),
    "five buckets": scheduled((20, 50, 200), (40, 40), 12, buckets=5),
}


@pytest.mark.parametrize("name", CASES)
def test_closed_forms_are_near_long_runs(name: str) -> None:
    workload = CASES[name]
    closed = predicted(workload).closed
    assert closed is not None
    runs = [long_run(workload, (LWO, SWF), seed) for seed in range(40, 43)]
    for policy, expected in (
        (LWO, closed.lwo.results),
        (SWF, closed.swf.results),
        ("alone", closed.isolated),
    ):
        seen = np.mean([run[policy] for run in runs], axis=0)
        assert expected.mean() == pytest.approx(seen.mean(), rel=NEAR), policy
        assert expected == pytest.approx(seen, rel=2 * NEAR), policy


def test_where_windows_hold_few_tuples_closed_forms_are_not_used() -> None:
    found = predicted(scheduled((1, 2, 5), (20, 20), 10, join="nested", utilisation=0.9))
    assert found.closed is None
    assert found.of(Schedule(LWO)).model == SIMULATED
    arrivals = Arrivals("regular")
    assert predicted(scheduled((5, 100), arrivals=arrivals)).closed is None


def test_every_figure_says_its_model() -> None:
    found = predicted(CASES["Small-Large, hashed"])
    models = {policy: found.of(Schedule(policy)).model for policy in (LWO, SWF, MQT, OUT)}
    assert models == {LWO: PK, SWF: FEEDBACK, MQT: SIMULATED, OUT: PK}, "OUT serves whole here"
    assert found.of(Schedule(LWO)).error == 0 < found.of(Schedule(MQT)).error < 0.02


@pytest.mark.parametrize(("load", "largest"), [(0.8, 4), (0.95, 60)])
def test_near_full_load_small_samples_are_as_long_as_large_ones(load: float, largest: int) -> None:
    """Without a closed form; by themselves, the small samples are up to a third too short."""
    workload = scheduled((1, 2, largest), (60, 100), utilisation=load)
    long, short, uncorrected = [], [], []
    for seed in range(20, 28):
        model = model_of(replace(workload, run=RunSettings(seed)))
        small = SchedulePredictions(model, model.clock(units_of(workload)), SKETCHED_SCANS)
        assert small.closed is None
        short.append(small.of(Schedule(MQT)).delays.mean())
        uncorrected.append(responses_of(small, small.sample).mean())
        if len(long) < 2:
            sample = drawn_sample(model, small.clock, 250_000)
            long.append(responses_of(small, sample).mean())
    assert np.mean(short) == pytest.approx(np.mean(long), rel=0.12)
    if load > 0.9:
        assert np.mean(uncorrected) < 0.8 * np.mean(long)


def responses_of(found: SchedulePredictions, sample: ArrivalSample) -> np.ndarray:
    """Mean delays by window under MQT, as they are in this sample."""
    rule = found.rule(Schedule(MQT))
    served = simulated(sample, found.model.windows, rule)
    return responses(sample, served, found.scans.find, rule.at_ends).results


def test_what_is_too_near_full_load_says_so() -> None:
    found = predicted(scheduled((1, 5, 60), (60, 100), utilisation=0.99))
    assert found.expected_work.covered < 0.5
    assert any("swings slowly" in note for note in notes(found, [MQT]))
    assert found.of(Schedule(MQT)).error > 0.05


def test_a_simulated_mean_does_not_hang_on_the_seed() -> None:
    means = []
    for seed in range(4):
        workload = replace(CASES["Uniform, hashed"], run=RunSettings(seed))
        means.append(float(predicted(workload).of(Schedule(MQT)).delays.mean()))
    assert np.std(means) < 0.01 * np.mean(means)


def paired(name: str, load: float) -> tuple[np.ndarray, ...]:
    """For each seed, the mean over queries under LWO, SWF and MQT on the same arrivals."""
    workload = scheduled(TABLE_1[name], utilisation=load)
    runs = [long_run(workload, (LWO, SWF, MQT), seed) for seed in range(60, 65)]
    return tuple(np.array([run[policy].mean() for run in runs]) for policy in (LWO, SWF, MQT))


@pytest.mark.parametrize("load", [0.7, pytest.param(0.93, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "Uniform" else pytest.mark.slow) for n in TABLE_1]
)
def test_of_the_papers_policies_mqt_is_best_for_queries(name: str, load: float) -> None:
    largest, smallest, best = paired(name, load)
    for other in (largest, smallest):
        gain = (other - best) / other
        # The 99% confidence interval of a mean of five: 4.6 standard errors.
        assert gain.mean() - 4.6 * gain.std(ddof=1) / np.sqrt(len(gain)) > 0


def test_results_may_prefer_another_policy_than_queries() -> None:
    space = family("shared_schedule").space(scheduled(TABLE_1["Small-Large"], utilisation=0.9))
    assert space.rank().best == MQT
    assert space.rank(space.objective("output-delay")).best in (LWO, OUT)
    assert space.rank(space.objective("worst-query")).best in (LWO, OUT)
    assert any("where every result does" in text for text in space.explanation(space.rank()).why)


def test_urgent_queries_are_served_first() -> None:
    workload = urgent(scheduled((50, 100, 200, 600), utilisation=0.9))
    found = predicted(workload)
    last = {p: float(found.of(Schedule(p)).delays[-1]) for p in (MQT, WMQT, EDF, SWF)}
    assert last[EDF] < last[SWF]
    assert last[WMQT] < last[SWF]


def test_fair_has_about_the_least_worst_stretch() -> None:
    for windows in (*TABLE_1.values(), (300, 350, 400, 450, 500, 550, 600)):
        found = predicted(scheduled(windows, utilisation=0.8))
        worst = {
            policy: float((found.of(Schedule(policy)).delays / found.isolated).max())
            for policy in (LWO, SWF, MQT, FAIR)
        }
        # The smallest window has few matches in the sample.
        assert worst[FAIR] < 1.1 * min(worst.values())


def test_at_full_load_the_backlog_grows() -> None:
    space = family("shared_schedule").space(scheduled((5, 20), (40, 40), 10, utilisation=1.5))
    explanation = space.explanation(space.rank())
    assert "delays grow without end" in explanation.answer
    assert "There is no steady state: 0.5 s of work pile up per second." in explanation.notes


def test_bursts_without_a_mean_are_compared_by_quantiles() -> None:
    space = family("shared_schedule").space(scheduled((5, 20), (40, 40), 10, Arrivals("pareto", 3)))
    assert (space.objectives[0].name, space.objectives[0].figure) == ("delay", "delay_ms_p50")
    assert "stretch" not in {by.name for by in space.objectives}
    quality = space.estimate(space.plan(MQT)).qualities["Q1"]
    assert quality.delay_ms is None
    assert quality.delay_ms_p50 is not None
    assert quality.delay_ms_p50 < (quality.delay_ms_p95 or 0) < (quality.delay_ms_p99 or 0)
    assert any("delays have no mean" in note for note in space.explanation(space.rank()).notes)
    calm = family("shared_schedule").space(
        scheduled((5, 20), (40, 40), 10, Arrivals("pareto", 1.5))
    )
    assert calm.objectives[0].figure == "delay_ms"


def test_the_longest_delay_is_that_of_as_many_tuples_as_a_run_has() -> None:
    workload = scheduled((2, 5, 20), (20, 60), 10)
    short, long = (replace(workload, run=RunSettings(7, duration=at)) for at in (5, 100))
    for policy in (LWO, SWF, MQT, FAIR):
        longest = {}
        for own in (short, long):
            found = predicted(own).of(Schedule(policy))
            longest[own.run.duration] = found.longest
            said = family("shared_schedule").space(own)
            qualities = said.estimate(said.plan(policy)).qualities
            assert [q.delay_ms_max for q in qualities.values()] == pytest.approx(
                1e3 * found.longest
            )
        assert (longest[5] < longest[100]).all()
        assert (longest[100] > found.quantiles[2]).all()
    (notes,) = [n for n in said.explanation(said.rank()).notes if "simulated" in n]
    assert "the longest delays of the 8,000 tuples of a run" in notes


def test_the_longest_delay_of_a_batch_is_that_of_its_last_result() -> None:
    rule = predicted(scheduled((10,))).rule(Schedule(LWO))
    batch = SimultaneousBatch(4, (rule.points[-1],), 1.0)
    served = simulated(batch.sample, batch.sizes, rule)
    (longest,) = responses(batch.sample, served, 1.0, rule.at_ends).longest
    assert longest == pytest.approx(4 * batch.sizes[-1], rel=1e-3)


@pytest.mark.parametrize("execution", [{"utilisation": 1.2}, {}])
def test_where_delays_grow_without_end_no_longest_one_is_predicted(
    execution: dict[str, float],
) -> None:
    arrivals = None if execution else Arrivals("pareto", 3.0)
    space = family("shared_schedule").space(scheduled((2, 5), arrivals=arrivals, **execution))
    for quality in space.estimate(space.plan(MQT)).qualities.values():
        assert quality.delay_ms_max is None
    assert any("it grows with the run" in note for note in space.explanation(space.rank()).notes)


def test_what_is_predicted_is_kept() -> None:
    first = family("shared_schedule").space(CASES["rows"])
    again = family("shared_schedule").space(replace(CASES["rows"], name="the same"))
    assert first.predictions is again.predictions  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "arrivals", [Arrivals("regular"), Arrivals("poisson"), Arrivals("pareto", 2.0)]
)
def test_times_of_tuples_that_hardly_ever_come_do_not_overflow(arrivals: Arrivals) -> None:
    workload = scheduled((5, 10), (1e-15, 1e-15), 10, arrivals, utilisation=None)
    found = predictions_of(model_of(workload), units_of(workload))
    sample = drawn_sample(found.model, found.clock, LONG)
    assert ((sample.ts >= 0) & (sample.ts <= sample.seconds)).all()

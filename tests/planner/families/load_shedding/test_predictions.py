"""What policies should find: closed forms beside simulations, and what the sample is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from planner.experiments.towne.workloads import star_join
from planner.families.load_shedding.labels import (
    EXACT,
    IMPORTANCE,
    LABELS,
    ONLINE,
    OPTIMUM,
    RANDOM,
)
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.prediction.filling import full_seconds
from planner.families.load_shedding.prediction.predictions import (
    BY_CHANCE,
    BY_THRESHOLD,
    NO_RESULT,
    NOTHING_KEPT,
    NOTHING_SHED,
    SIMULATED,
    TOO_LARGE,
    SheddingPredictions,
)
from planner.families.load_shedding.prediction.result_worth import arm_values, worth_of
from planner.families.load_shedding.prediction.sample import MOST_IN_WINDOWS, drawn_sample
from planner.families.load_shedding.simulation.settings import Settings, Simulated
from planner.families.load_shedding.simulation.simulate import Simulation
from planner.families.load_shedding.space import Policies
from planner.statistics.generate import generate
from planner.workload.arrival_shapes import Drift
from planner.workload.execution import Shedding
from planner.workload.streams import Arrivals, Attribute, RelationChanges
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from tests.planner.shedding import PLAIN, STAR_SAMPLES, THREE, TWO, star, star_space, ticking


def simulated(workload: Workload, label: str, seeds: Sequence[int]) -> list[Simulated]:
    """A policy on tuples as runs have them, with seeds that no prediction knows."""
    model = ShedModel(workload)
    settings = Settings(
        prefilter=workload.execution.shedding.prefilter,
        since=microseconds(workload.warmup),
        until=microseconds(model.span),
    )
    draws = (generate(workload, model.span, seed) for seed in seeds)
    return [Simulation(model.star, tables).run(label, settings) for tables in draws]


def at_random(workload: Workload) -> Workload:
    """The same with Poisson arrivals."""
    return replace(
        workload, streams=tuple(replace(s, arrivals=Arrivals()) for s in workload.streams)
    )


def share(runs: Sequence[Simulated]) -> float:
    """The share of the exact importance that was found, over all runs."""
    return sum(run.importance for run in runs) / sum(run.exact_importance for run in runs)


def predicted_share(workload: Workload, label: str) -> float:
    predictions = SheddingPredictions(ShedModel(workload))
    return predictions.of(label).importance / predictions.exact.importance


# --- closed forms --------------------------------------------------------------------------------

SETTINGS = {
    "m = 50, M = 10": star_join(50, 10, 800),
    "m = 50, M = 40": star_join(50, 40, 800),
    "m = 50, M = 80": star_join(50, 80, 800),
    "m = 10, M = 10": star_join(10, 10, 800),
    "m = 50, M = 40, not skewed": star_join(50, 40, 800, zipf=0.0),
    "m = 50, M = 40, at random": at_random(star_join(50, 40, 800)),
    "m = 10, M = 10, at random": at_random(star_join(10, 10, 800)),
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    ("label", "model", "bound"),
    # Over six data sets chance is below the bounds; twelve would take as long again.
    [(RANDOM, BY_CHANCE, 0.05), (IMPORTANCE, BY_THRESHOLD, 0.10)],
)
def test_closed_forms_are_near_simulations(name: str, label: str, model: str, bound: float) -> None:
    workload = SETTINGS[name]
    assert SheddingPredictions(ShedModel(workload)).of(label).model == model
    runs = simulated(workload, label, range(101, 107))
    assert predicted_share(workload, label) == pytest.approx(share(runs), rel=bound)


def test_what_is_kept_by_chance_is_counted() -> None:
    workload = star_join(50, 20, 800)
    flow = SheddingPredictions(ShedModel(workload)).of(RANDOM).arms[0]
    (run,) = simulated(workload, RANDOM, [5])
    counts = run.counts["R"]
    assert flow.admitted == pytest.approx(counts.admitted / counts.with_row, rel=0.03)
    assert flow.looked_at == pytest.approx(counts.compared / counts.with_row, rel=0.03)
    assert flow.held == pytest.approx(run.held["R"], rel=0.01)
    assert flow.examined == pytest.approx(counts.probed / counts.with_row, rel=0.02)


@pytest.mark.parametrize(
    "name", ["ticking together", "two streams", "no relation", "filters, scan and hash", "changing"]
)
def test_the_exact_answer_follows_from_distributions(name: str) -> None:
    """Over many draws of the relation, which decides more than the streams do."""
    workload = STAR_SAMPLES[name]
    exact = SheddingPredictions(ShedModel(workload)).exact
    runs = simulated(workload, EXACT, range(201, 241))
    results = np.array([run.results for run in runs])
    importance = np.array([run.importance for run in runs]) / 1e6
    error = results.std() / np.sqrt(len(results))
    assert exact.results == pytest.approx(results.mean(), abs=4 * error)
    error = importance.std() / np.sqrt(len(results))
    assert exact.importance == pytest.approx(importance.mean(), abs=4 * error)


def test_the_mean_importance_of_results_is_the_mean_of_the_least() -> None:
    workload = star(PLAIN, attributes={"worth": Attribute(values=(1, 10))})
    model = ShedModel(workload)
    values = arm_values(model)
    assert values is not None
    # Both are 10 with a chance of one in four.
    assert worth_of(model, values).mean == pytest.approx(0.25 * 10 + 0.75 * 1)
    only_high = worth_of(model, values, [lambda worth: (worth > 1).astype(float)] * 2)
    assert only_high.mean == pytest.approx(10)
    assert only_high.share == pytest.approx(worth_of(model, values).share / 4)


def test_windows_that_fill_give_less() -> None:
    assert full_seconds([10, 20], 20) == pytest.approx(10**3 / 3 / 200 + (20**2 - 10**2) / 2 / 20)
    assert full_seconds([0.0], 20) == 20


# --- simulated -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STAR_SAMPLES)
def test_predictions_are_ordered_as_they_must_be(name: str) -> None:
    space = star_space(name)
    exact = space.predictions.exact
    for label in space.labels:
        own = space.predictions.of(label)
        assert 0 <= own.recall <= 1
        assert own.importance <= exact.importance * (1 + 1e-9)
        if OPTIMUM in space.labels and not space.predictions.is_closed(label):
            assert own.importance <= space.predictions.of(OPTIMUM).importance * (1 + 1e-9)


@pytest.mark.parametrize(
    ("workload", "label", "model"),
    [
        (ticking(), "GAIN-S", SIMULATED),
        (star(TWO, changes=RelationChanges(0.5, 0.5)), RANDOM, SIMULATED),
        (star(TWO, arrivals=Arrivals("pareto", 2.5)), IMPORTANCE, SIMULATED),
        (STAR_SAMPLES["ample"], "DGL-S", NOTHING_SHED),
        (STAR_SAMPLES["one stream"], "OSSJ", NOTHING_KEPT),
        (star(THREE), RANDOM, BY_CHANCE),
    ],
)
def test_every_figure_says_where_it_comes_from(workload: Workload, label: str, model: str) -> None:
    assert SheddingPredictions(ShedModel(workload)).of(label).model == model


@pytest.mark.parametrize(
    "label",
    [
        pytest.param("OSSJ", marks=pytest.mark.slow),
        pytest.param("SJA-S", marks=pytest.mark.slow),
        "SIMPPROB-S",
        "DIMPPROB-S",
        "DGL-S",
        "GAIN-S",
    ],
)
def test_a_longer_run_is_predicted_by_a_sample(label: str) -> None:
    workload = star_join(20, 10, 3_000, rows=100, distinct=20)
    runs = simulated(workload, label, [301, 302, 303])
    assert predicted_share(workload, label) == pytest.approx(share(runs), rel=0.12)


def test_the_sample_is_small_and_no_run_has_its_tuples() -> None:
    workload = star_join(50, 20)
    sample = drawn_sample(ShedModel(workload))
    assert sample.tuples == 2 * (1_000 + 50)
    own = generate(workload, sample.seconds, workload.run.seed)
    (drawn,) = sample.draws
    assert drawn["R"].columns["a"].values.tolist() != own["R"].columns["a"].values.tolist()


def test_large_windows_are_thinned_and_memory_with_them() -> None:
    workload = star_join(50_000, 10_000, 200_000)
    sample = drawn_sample(ShedModel(workload))
    # Windows of 50,000 tuples, in which an arrival has thousands of results.
    assert sample.thinned > 2 * 50_000 / MOST_IN_WINDOWS
    assert sample.tuples < MOST_IN_WINDOWS
    assert sample.share(5_000) == round(5_000 / sample.thinned)
    assert (sample.share(1), sample.share(0)) == (1, 0)
    assert sample.serves([5_000, 0])
    assert not sample.serves([5_000, 10])


def test_memory_of_which_a_thinned_sample_leaves_nothing_is_not_predicted() -> None:
    space = Policies(star_join(50_000, 20, 200_000))
    left_out = dict(space.excluded)
    assert {why for label, why in left_out.items() if label in ONLINE} == {TOO_LARGE}
    assert list(space.labels) == [EXACT, RANDOM, IMPORTANCE]
    changing = star_join(50_000, 20, 200_000, changes=RelationChanges(0.1, 0.1))
    assert list(Policies(changing).labels) == [EXACT, RANDOM]
    assert Policies(changing).predictions.of(RANDOM).recall == pytest.approx(10 / 50_000, rel=0.01)


def test_a_short_run_is_drawn_several_times() -> None:
    sample = drawn_sample(ShedModel(ticking(length=40)))
    assert len(sample.draws) == 25
    assert sample.seconds == 40


def test_what_the_sample_does_not_show_is_not_predicted() -> None:
    """Keys that hardly ever meet: the sample has no result, but a long run should have some."""
    rare = star(PLAIN, memory=4)
    streams = tuple(
        replace(s, attributes={**s.attributes, key: Attribute(9_000_000)})
        for s, key in zip(rare.streams, "abc", strict=True)
    )
    space = Policies(replace(rare, streams=streams))
    assert space.predictions.exact.results > 0
    left_out = dict(space.excluded)
    assert set(left_out.values()) == {NO_RESULT}
    assert set(left_out) | set(space.labels) == set(LABELS)
    # Chance finds what it keeps of the windows: 2 of 20 and 2 of 24 tuples.
    assert list(space.labels) == [EXACT, RANDOM]
    assert space.rank().best == RANDOM
    assert space.predictions.of(RANDOM).recall == pytest.approx((2 / 20 + 2 / 24) / 2, rel=0.25)
    mean = space.predictions.exact.importance / space.predictions.exact.results
    assert mean == pytest.approx(sum((6 - v) ** 2 for v in range(1, 6)) / 25, rel=0.1)


def test_alpha_and_beta_change_what_is_predicted() -> None:
    usual = SheddingPredictions(ShedModel(ticking())).of("DGL-S").importance
    shedding = Shedding(alpha=0.01, beta=100.0)
    workload = star_join(20, 10, 300, rows=60, distinct=20, shedding=shedding)
    assert SheddingPredictions(ShedModel(workload)).of("DGL-S").importance != usual


def test_a_sample_is_drawn_at_the_declared_rates() -> None:
    """Plans are priced at these. A sample of a rate that rises would be as large as that rate."""
    workload = at_random(star(TWO))
    rising = tuple(
        replace(s, arrivals=Arrivals(shape=Drift(to=1e4, over=1.0))) for s in workload.streams
    )
    steady, drawn = (
        drawn_sample(ShedModel(own)) for own in (workload, replace(workload, streams=rising))
    )
    assert drawn.seconds == steady.seconds
    assert drawn.tuples == steady.tuples

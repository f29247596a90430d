"""Measured figures: real counts beside the model's, rounds, cancelling, and what is kept."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.experiments.experiment import Experiment, Point
from planner.experiments.golab.curves import CORRECTED
from planner.experiments.hammad.workloads import shared_join
from planner.experiments.registry import experiment
from planner.workload.execution import RunSettings
from runtime.control.jobs import Runner
from runtime.experiments import figure as figure_store
from runtime.experiments import measurement
from runtime.experiments.figure import MeasuredFigure, nothing_yet
from runtime.experiments.measurement import FigureRequest, Sampler, measure, rounds
from runtime.runs.records import Progress

SEEDS = range(6)
# The mean over the seeds is known to 2 or 3%.
TOLERANCE = 0.05


def _point(name: str, label: str, x: float | str) -> Point:
    (curve,) = [c for c in experiment(name).curves if c.label == label]
    (point,) = [p for p in curve.points if p.x == x]
    return point


def _counted(point: Point, seeds: Sequence[int] = SEEDS) -> float:
    sampler = Sampler()
    return sum(sampler.sample(point, seed).cost.comparisons for seed in seeds) / len(seeds)


@pytest.mark.parametrize(
    ("name", "label", "x"),
    [
        ("figure-2", "NAIVE", 4),
        ("figure-2", "MULTI-WAY", 4),
        ("figure-3a", "NAIVE", 20),
        ("figure-3a", "LAZY", 50),
        ("figure-3b", "NAIVE", 30),
        ("figure-3b", "LAZY", 30),
        ("figure-3b", "GENERAL", 50),
    ],
)
def test_counts_are_those_of_the_model(name: str, label: str, x: float) -> None:
    point = _point(name, label, x)
    assert _counted(point) == pytest.approx(point.predicted, rel=TOLERANCE)


@pytest.mark.parametrize("name", ["schedule-figure-2b", "schedule-figure-3b"])
def test_a_batch_is_served_as_the_equations_say(name: str) -> None:
    sampler, wanted = Sampler(), experiment(name)
    for point in wanted.points:
        found = sampler.counted(point, 1, point.quantity).value(point.quantity, point.query)
        assert found == pytest.approx(point.predicted, rel=1e-12)


def test_the_crossover_of_figure_3b_is_not_there() -> None:
    """What the paper's lazy model predicts for large tau, and the corrected one does not."""
    assert CORRECTED in experiment("figure-3b").predicted()
    naive, lazy = _point("figure-3b", "NAIVE", 50), _point("figure-3b", "LAZY", 50)
    assert _counted(lazy, [1]) < 0.95 * _counted(naive, [1]), "more than chance, on one sample"


def _short(point: Point, seconds: float = 60) -> Point:
    workload = replace(point.workload, run=RunSettings(warmup=200, duration=seconds))
    return replace(point, workload=workload)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[Experiment]:
    """Table 8 on few tuples, in place of the experiments there are."""
    table = experiment("table-8")
    curves = tuple(
        replace(curve, points=tuple(map(_short, curve.points[:2]))) for curve in table.curves
    )
    shortened = replace(table, name="small", draw=lambda: curves, rounds=2)
    monkeypatch.setattr(measurement, "experiment", lambda _name: shortened)
    yield shortened
    figure_store.figure_file(shortened).unlink(missing_ok=True)


def test_both_kernels_and_all_plans_count_and_answer_alike(small: Experiment) -> None:
    eager = [p for p in small.points if p.workload.execution.evaluate == "eager"]
    by_plan: dict[tuple[str, str], list[float]] = {}
    answers = set()
    for point in eager:
        sample = Sampler().sample(point, seed=7)
        by_plan.setdefault((point.workload.digest, point.plan), []).append(sample.cost.comparisons)
        answers.add((sample.data, sample.answer, sample.results))
    assert len(answers) == 1
    on_both = [counts for counts in by_plan.values() if len(counts) == 2]
    assert len(on_both) == 2, "the best and the worst order of nested loops"
    assert all(general == pytest.approx(usual) for general, usual in on_both)


def test_the_warm_up_is_not_in_the_tuples_that_are_timed(small: Experiment) -> None:
    point = small.points[0]
    sample = Sampler().sample(point, seed=7)
    rate = sum(stream.rate or 0 for stream in point.workload.streams)
    assert sample.span == 60
    assert sample.tuples == pytest.approx(60 * rate, rel=0.2)
    assert sample.comparisons_per_tuple == pytest.approx(
        sample.cost.comparisons * 60 / sample.tuples
    )


def test_every_point_is_measured_in_every_round(small: Experiment) -> None:
    seen: list[Progress] = []
    figure = measure(FigureRequest("small"), seen.append)
    assert figure.complete
    assert figure.status == "finished"
    assert figure.same_answer
    assert {len(m.values) for m in figure.points.values()} == {2}
    assert set(figure.points) == {point.key for point in small.points}
    assert seen[-1].share == 1
    assert [p.batches_done for p in seen] == list(range(2 * len(small.points) + 1))
    assert {p.phase for p in seen[1:]} == {"Round 1 of 2", "Round 2 of 2"}


def test_what_a_cancelled_measuring_found_is_kept_and_gone_on_with(small: Experiment) -> None:
    cancel = threading.Event()

    def after_three(progress: Progress) -> None:
        if progress.batches_done == 3:
            cancel.set()

    begun = measure(FigureRequest("small"), after_three, cancel)
    assert begun.status == "cancelled"
    assert begun.samples == 3
    kept = figure_store.kept(small)
    assert kept is not None
    assert kept.samples == 3

    seen: list[Progress] = []
    whole = measure(FigureRequest("small"), seen.append)
    assert whole.complete
    assert seen[-1].batches == 2 * len(small.points) - 3, "only what was missing"
    first = small.points[0].key
    assert whole.points[first].values[0] == pytest.approx(begun.points[first].values[0], rel=1e-5)

    again = measure(FigureRequest("small", anew=True), cancel=cancel)
    assert again.samples == 1, "anew: cancelled after its first measurement"


def test_the_runner_measures_figures_in_their_turn(small: Experiment) -> None:
    runner = Runner()
    job = runner.submit([FigureRequest("small")])
    assert job.figure == "small"
    waiting = threading.Event()
    for _ in range(2_000):
        if job.done:
            break
        waiting.wait(0.02)
    (entry,) = job.entries
    assert entry.status == "finished"
    assert isinstance(entry.outcome, MeasuredFigure)
    assert entry.outcome.complete
    assert len(small.points) == entry.outcome.size


def test_counts_differ_from_round_to_round_and_their_mean_is_shown() -> None:
    point = _short(_point("figure-3a", "LAZY", 10), 300)
    counted = replace(experiment("figure-3a"), rounds=3)
    alone = replace(counted, draw=lambda: (replace(counted.curves[0], points=(point,)),))
    *_, figure = rounds(alone, nothing_yet(alone, {}, 1), lambda _: None)
    values = figure.points[point.key].values
    assert len(set(values)) == 3
    assert figure.values(alone)[point.key] == pytest.approx(sum(values) / 3)
    assert figure.points[point.key].spread == (min(values), max(values))


def test_a_figure_survives_its_file(small: Experiment) -> None:
    figure = measure(FigureRequest(small.name))
    again = MeasuredFigure.from_json(json.loads(json.dumps(figure.to_json())), "here")
    assert again.answers == figure.answers
    for key, value in figure.values(small).items():
        assert again.values(small)[key] == pytest.approx(value, rel=1e-5)


def test_answers_that_differ_are_seen(small: Experiment) -> None:
    point = small.points[0]
    sample = Sampler().sample(point, seed=7)
    figure = nothing_yet(small, {}, 1).with_sample(point, sample, 0.0)
    assert figure.same_answer
    assert not figure.with_sample(point, replace(sample, answer="00"), 0.0).same_answer


def test_a_damaged_file_counts_as_absent(small: Experiment) -> None:
    file = figure_store.figure_file(small)
    file.parent.mkdir(parents=True, exist_ok=True)
    for content in ("{", "{}", '{"points": 3}'):
        file.write_text(content)
        assert figure_store.kept(small) is None


def test_the_points_that_come_with_sluice_are_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Their file is long, and every click on the page of figures asks for it."""
    file = tmp_path / "paper_points.json.gz"
    file.write_bytes(b"")
    reads: list[Path] = []
    monkeypatch.setattr(figure_store, "PAPER_POINTS", file)
    monkeypatch.setattr(figure_store, "_read", lambda asked: reads.append(asked) or {})
    for _ in range(3):
        assert figure_store.shipped(experiment("figure-3a")) is None
    assert reads == [file]


@pytest.mark.parametrize("content", [b"", b"{}", gzip.compress(b"{", mtime=0)])
def test_damaged_points_are_an_error(
    content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "paper_points.json.gz"
    file.write_bytes(content)
    monkeypatch.setattr(figure_store, "PAPER_POINTS", file)
    with pytest.raises(RunError, match="cannot be read"):
        figure_store.shipped(experiment("figure-3a"))


def _delays(name: str, seconds: float = 20) -> Experiment:
    """An experiment of delays, over short windows that fill quickly."""
    known = experiment(name)

    def short(point: Point) -> Point:
        workload = shared_join("short", (1, 2, 5), 0.7)
        run = RunSettings(warmup=10, duration=seconds)
        query = "Q2" if point.query else ""
        return replace(point, workload=replace(workload, run=run), query=query)

    curves = tuple(replace(c, points=(short(c.points[0]),)) for c in known.curves)
    return replace(known, name="short delays", draw=lambda: curves, rounds=2)


@pytest.mark.parametrize(
    "name",
    [
        "schedule-figure-5-hash-0.7-queries",
        "schedule-figure-5-hash-0.7-results",
        "schedule-figure-6-uniform-0.7-maximum",
        "schedule-memory-0.7",
    ],
)
def test_one_run_has_the_figures_of_every_policy_that_it_serves(name: str) -> None:
    shown, sampler = _delays(name), Sampler()
    *_, figure = rounds(shown, nothing_yet(shown, {}, 1), lambda _: None, sampler)
    assert figure.complete
    assert figure.same_answer
    for point in shown.points:
        quantity = point.quantity or shown.quantity
        own = [
            Sampler().sample(point, point.workload.run.seed + turn).value(quantity, point.query)
            for turn in range(2)
        ]
        assert figure.points[point.key].values == pytest.approx(own)


def test_what_a_run_does_not_have_is_an_error() -> None:
    point = _delays("schedule-figure-5-hash-0.7-queries").points[0]
    sample = Sampler().sample(point, seed=7)
    assert sample.value("delay_ms", "Q1") < sample.value("delay_ms", "Q3")
    with pytest.raises(RunError, match="was not measured"):
        sample.value("recall")
    with pytest.raises(RunError, match="was not measured"):
        sample.value("nonsense")


def test_costs_are_those_of_a_run_of_the_plan_itself() -> None:
    lwo, _, mqt = _delays("schedule-figure-5-hash-0.7-queries").points
    sampler = Sampler()
    sampler.counted(lwo, 7, "delay_ms")
    held = sampler.counted(mqt, 7, "state_tuples").value("state_tuples")
    assert held == pytest.approx(Sampler().sample(mqt, 7).cost.state_tuples)
    assert held != sampler.counted(lwo, 7, "state_tuples").value("state_tuples")

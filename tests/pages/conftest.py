"""The app under test: pages over a runner that answers at once, in a data folder of its own."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test

from pages.parts.plans import replanning
from pages.parts.results import trust_view
from pages.parts.shared import backend
from planner.errors import RunError
from planner.experiments.quantities import QUALITY_FIELDS
from planner.experiments.registry import experiment
from planner.families.protocol import PlanSpace
from planner.families.registry import family
from planner.families.stages import planned_stages, whole_estimate, whole_plan
from planner.plan.cost import COST_UNITS, Cost, Estimate, Measurement, Quality, Timings
from planner.seconds.units import NOT_CALIBRATED
from planner.workload.changes import queries_of_run
from runtime.backends.kernels.prepare import prepare
from runtime.backends.live_changes import Steering
from runtime.calibration.calibrate import CalibrationRequest
from runtime.control.job_entry import Outcome, Request
from runtime.control.jobs import Runner
from runtime.control.resume import ResumeRequest
from runtime.data.run_data import run_seconds
from runtime.experiments import figure as figure_store
from runtime.experiments.figure import MeasuredFigure, nothing_yet
from runtime.experiments.measurement import FigureRequest, MeasuredSample
from runtime.runs.history import History
from runtime.runs.records import KernelTime, Progress, Run, RunRequest
from tests.pages.helpers import PATIENCE, fresh_app

# Families whose runs measure all policies at once.
SCHEDULED = ("shared_schedule",)
PROJECT = Path(__file__).resolve().parents[2]
# What these keep belongs to one data folder. All other caches depend on their arguments alone.
OF_THE_FOLDER = (backend.runner, replanning._run_counted, trust_view._diagnoses)
# Every app under test would read the metadata of all installed packages, and compile the pages,
# each time anew: most of what opening one costs.
_COMPONENTS = functools.cache(manifest_scanner.scan_component_manifests)
_COMPILED_PAGES = ScriptCache()


@dataclass
class FakeSpark:
    """Runs a plan by saying that nine tenths of what was predicted was measured."""

    measured_share: float = 0.9
    reached_share: float = 0.25
    fails_with: str | None = None
    answer: Callable[[str], str] = lambda _label: "00ff"
    gate: threading.Event = field(default_factory=threading.Event)
    started: list[str] = field(default_factory=list)

    def execute(
        self,
        request: Request,
        on_progress: Callable[[Progress], None],
        cancel: threading.Event,
        steering: Steering,
    ) -> Outcome:
        """As `runtime.control.jobs.execute`, without Spark; it waits until the gate is open."""
        self.started.append(request.label)
        if isinstance(request, FigureRequest):
            return self._figure(request, on_progress, cancel)
        if isinstance(request, ResumeRequest):
            ended = replace(self._run(request.asked), id=request.run_id)
            History().save(ended)
            return ended
        if isinstance(request, CalibrationRequest):
            on_progress(Progress("Measuring designed runs", 1, 4, step="measurement"))
            assert self.gate.wait(PATIENCE)
            raise RunError("no calibration here", "calibration")
        reached = self.reached_share * run_seconds(request.workload)
        on_progress(Progress("Running", 1, 4, 1000, 0.5, 2000, 30, 400, reached=reached))
        if request.steerable and not self.gate.is_set():
            steering.begin(request, prepare(request, 1))
        while not self.gate.wait(0.01):
            if cancel.is_set():
                break
            if steering.open and (made := steering.made_at(round(reached * 1e6))):
                request = made[0]
        steering.close()
        if self.fails_with:
            raise RunError(self.fails_with, "java")
        run = self._run(request)
        ended = replace(run, status="cancelled", measurement=None) if cancel.is_set() else run
        History().save(ended)
        return ended

    def _figure(
        self,
        request: FigureRequest,
        on_progress: Callable[[Progress], None],
        cancel: threading.Event,
    ) -> MeasuredFigure:
        """One point at first; the others when the gate is open. Rates are all the same."""
        wanted = experiment(request.experiment)
        kept = None if request.anew else figure_store.kept(wanted)
        figure = kept or nothing_yet(wanted, {"python": "3", "numba": "1"}, 2)
        missing = [p for p in wanted.points for _ in range(wanted.rounds - figure.rounds_of(p))]
        for made, point in enumerate(missing, 1):
            amount = (point.predicted or 1000.0) * self.measured_share
            counted = Cost(comparisons=amount, state_tuples=amount)
            quantity = point.quantity or wanted.quantity
            figures: dict[str, Any] = {}
            if quantity not in (*COST_UNITS, "rate"):
                plan = family(point.family).space(point.workload).plan(point.plan)
                figures = {"plan": plan, "schedules": {point.plan: {quantity: amount}}}
                if quantity in QUALITY_FIELDS:
                    quality = Quality(**{quantity: amount})
                    figures["qualities"] = {q.name: quality for q in point.workload.queries}
            sample = MeasuredSample(
                counted, 10.0, 1000, 1.0, 12, "00ff", point.workload.digest, **figures
            )
            figure = figure.with_sample(point, sample, 1_700_000_000.0)
            figure_store.keep(wanted, figure)
            on_progress(Progress("Round 1 of 1", made, len(missing), step="measurement"))
            while not self.gate.wait(0.01) and not cancel.is_set():
                pass
            if self.fails_with:
                raise RunError(self.fails_with, "figures")
            if cancel.is_set():
                break
        return figure

    def _run(self, request: RunRequest) -> Run:
        changes = (*request.workload.run.changes, *request.steered)
        workload = replace(request.workload, run=replace(request.workload.run, changes=changes))
        chosen = family(request.family)
        stages = planned_stages(chosen, workload, request.label)
        plan = whole_plan(stages)
        warmup, end = (round(1e6 * at) for at in (workload.warmup, run_seconds(workload)))
        estimate = whole_estimate(chosen, stages, 0, warmup, end)
        costs = {
            name: replace(cost, comparisons=cost.comparisons * self.measured_share)
            for name, cost in estimate.costs.items()
        }
        queries = [query.name for query in queries_of_run(workload)]
        measurement = Measurement(
            costs,
            estimate.qualities,
            Timings(2.0, 1.5, 0.25),
            {"S1": 10},
            dict.fromkeys(queries, 12_345),
            dict.fromkeys(queries, self.answer(request.label)),
            schedules=_schedules(chosen.space(workload)) if request.family in SCHEDULED else {},
            shed=_shed(estimate, request.label),
            queues={"queued_tuples_max": 3, "union_rows_max": 40} if len(queries) > 1 else {},
        )
        return Run(
            id=f"run-{len(self.started)}-{abs(hash(request.label))}",
            request=request,
            workload=workload,
            plan=plan,
            estimate=estimate,
            partitions=1,
            batches=4,
            data_digest="data",
            versions={},
            started=1_700_000_000.0 + len(self.started),
            status="finished",
            finished=1_700_000_010.0,
            measurement=measurement,
            predicted_kernel=KernelTime(0.2, NOT_CALIBRATED),
        )


def _schedules(space: PlanSpace) -> dict[str, dict[str, Any]]:
    """What a run measures of all policies: what was predicted, and some queues and buffers."""
    held = {"busy": 0.9, "queue_mean": 2.5, "queue_max": 40, "held_mean": 1.5, "held_max": 60}
    found: dict[str, dict[str, Any]] = {}
    # A run serves all policies; of chains only its own plan.
    for candidate in (c for c in space.rank().candidates if "@chain" not in c.label):
        qualities = space.estimate(space.plan(candidate.label)).qualities
        queries = {
            name: {key: value for key, value in quality.as_dict().items() if value is not None}
            for name, quality in qualities.items()
        }
        found[candidate.label] = {"queries": queries, **held, "join_buffer_max": 1000}
        alone = {
            name: {"delay_ms": quality.isolated_delay_ms} for name, quality in qualities.items()
        }
        found["isolated"] = {"queries": alone, **held, "queue_max": None, "join_buffer_max": None}
    return found


def _shed(estimate: Estimate, label: str) -> dict[str, Any]:
    """What a run under a memory bound says of the tuples that it did not keep."""
    worth = [q.importance for q in estimate.qualities.values() if q.importance is not None]
    if not worth:
        return {}
    arms = ("p", "l")
    reasons = {
        "no match": 40,
        "relation ended": 1,
        "not admitted": 30,
        "replaced": 20,
        "expired": 9,
    }
    return {
        "exact": {"results": 15_000, "importance": 2 * worth[0]},
        "memory": dict.fromkeys(arms, None if label == "EXACT" else 40),
        "evictions": dict.fromkeys(arms, reasons),
        "timeline": {
            "from": 0.0,
            "every": 5.0,
            "shed": {arm: [0, 3, 47] + [0] * 57 for arm in arms},
        },
        "keys": {arm: [{"key": "<b>7", "arrived": 60, "shed": 45}] for arm in arms},
    }


def _run_router(path: str) -> None:
    exec(compile(Path(path).read_text(), path, "exec"), {"__name__": "__main__"})


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeSpark]:
    """A fake Spark behind the pages; its gate is open unless a test closes it."""
    fake = FakeSpark()
    fake.gate.set()
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SLUICE_WARM", "0")
    monkeypatch.delenv("SLUICE_DATA_ROOT", raising=False)
    monkeypatch.setattr(backend, "make_runner", lambda: Runner(fake.execute))
    # A second click comes late on a busy machine.
    monkeypatch.setattr(backend, "_DOUBLE_CLICK", PATIENCE)
    # AppTest forgets between runs that the app has a router, and would run files of pages/ alone.
    monkeypatch.setattr(script_runner, "_mpa_v1", _run_router)
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", _COMPONENTS)
    monkeypatch.setattr(app_test, "ScriptCache", lambda: _COMPILED_PAGES)
    yield fake
    fake.gate.set()
    for cached in OF_THE_FOLDER:
        cached.clear()


@pytest.fixture
def session(spark: FakeSpark) -> AppTest:  # noqa: ARG001 - the pages need it behind them
    """A visitor who has not opened a page yet."""
    return fresh_app()


@pytest.fixture
def app(session: AppTest) -> AppTest:
    """The app on its start page."""
    return session.run()


@pytest.fixture
def go(session: AppTest) -> Callable[[str], AppTest]:
    """Go to a page, and see that nothing went wrong there."""

    def to(page: str) -> AppTest:
        session.switch_page(f"pages/{page}.py").run()
        assert not session.exception
        return session

    return to

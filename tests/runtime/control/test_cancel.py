"""Runs that end before their time: cancelled, out of time, or broken; each is recorded as such."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from planner.errors import RunError
from planner.workload.execution import RunSettings
from runtime.backends import interruption
from runtime.backends.interruption import RunCancelledError
from runtime.backends.kernels.backend import KernelBackend
from runtime.control.execute import run
from runtime.control.resume import broken_off, resume
from runtime.data.folders import run_folder
from runtime.runs.history import History
from runtime.runs.records import BACKENDS, WAYS, Backend, Progress, RunRequest, Way
from runtime.spark import replay, session
from tests.planner.workloads import equality_join

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

WAY = pytest.mark.parametrize("way", WAYS)
# Every tuple is compared with tens of thousands: seconds of work, in one micro-batch or in many.
BUSY = replace(
    equality_join([(2000, 100, 10**6), (2000, 100, 10**6)]),
    run=RunSettings(seed=1, warmup=0, duration=60),
)


def _small(seed: int, way: Way) -> RunRequest:
    workload = replace(equality_join([(5, 10, 9), (5, 10, 9)]), run=RunSettings(seed, 0, 20))
    return RunRequest(workload, "join_order", "best", way, 1, 50)


@WAY
def test_a_run_that_is_cancelled_at_work_ends_and_is_recorded(way: Way) -> None:
    cancel = threading.Event()

    def cancel_when_running(progress: Progress) -> None:
        if progress.phase == "Running":
            cancel.set()

    ended = run(RunRequest(BUSY, "join_order", "best", way), cancel_when_running, cancel)
    assert ended.status == "cancelled"
    assert ended.measurement is None
    assert History().get(ended.id).status == "cancelled"
    assert not run_folder(ended.id).exists()


@WAY
def test_what_was_measured_before_a_cancel_is_kept_as_part_of_a_run(way: Way) -> None:
    workload = replace(equality_join([(1500, 20, 9), (1500, 20, 9)]), run=RunSettings(1, 4, 80))
    request = RunRequest(workload, "join_order", "best", way, 2, 6_000)
    cancel = threading.Event()
    seen: list[Progress] = []

    def cancel_in_the_midst(progress: Progress) -> None:
        seen.append(progress)
        if progress.batches_done >= 5:
            cancel.set()

    ended = run(request, cancel_in_the_midst, cancel)
    assert ended.status == "cancelled"
    kept = History().get(ended.id).measurement
    assert kept == ended.measurement
    assert kept is not None
    assert kept.reached is not None
    assert 8 < kept.reached < 84
    assert kept.answers == {}
    assert kept.results["Q1"] > 0
    last = seen[-1]
    assert kept.costs == last.costs
    # Windows are full after 20 s, so it is less than predicted, but counted in the same unit.
    predicted = ended.estimate.costs
    for operator in ended.plan.operators():
        if operator.kind == "insert":
            measured = kept.costs[operator.id].inserts
            assert measured == pytest.approx(predicted[operator.id].inserts, rel=0.1)


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    """What is stuck until this is set; no longer than its test, as the next run would wait."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize(
    ("phase", "place", "name"),
    [
        ("Generating tuples", KernelBackend, "prepare"),
        ("Starting Spark and the kernels", session, "session"),
    ],
)
def test_a_cancel_does_not_wait_for_what_cannot_be_broken_off(
    phase: str, place: object, name: str, let_go: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading, or starting Spark, takes for ever here; the next run waits for it to let go."""
    cancel, waited = threading.Event(), threading.Event()

    def stuck(*_: object) -> None:
        cancel.set()
        assert let_go.wait(600)

    monkeypatch.setattr(place, name, stuck)
    seen: list[str] = []
    request = _small(7, "replay")
    try:
        status = run(request, lambda p: seen.append(p.phase), cancel).status
    except RunCancelledError:
        status = "cancelled"
    assert (status, seen[-1]) == ("cancelled", phase)
    monkeypatch.undo()

    def after(progress: Progress) -> None:
        if progress.phase.startswith("Waiting"):
            waited.set()
            let_go.set()

    assert run(request, after).status == "finished"
    assert waited.is_set()


@WAY
def test_a_run_after_a_cancelled_one_is_not_disturbed(way: Way) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(RunCancelledError):
        run(_small(1, way), cancel=cancel)
    assert run(_small(1, way)).status == "finished"


@WAY
def test_a_run_that_reaches_its_limit_fails_and_says_what_to_do(way: Way) -> None:
    request = replace(_small(2, way), most_seconds=0.001)
    with pytest.raises(RunError, match=r"reached the limit of 0\.001 s; shorten run\.duration"):
        run(request)
    (latest,) = History().runs(request.workload.digest, most=1)
    assert latest.status == "failed"
    assert latest.error is not None
    assert "reached the limit" in latest.error


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_run_that_is_over_its_limit_before_it_is_looked_at_fails_too(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(monotonic=time.monotonic)
    monkeypatch.setattr(interruption, "time", clock)
    monkeypatch.setattr(replay, "_POLL_SECONDS", 600.0)

    def let_time_pass(progress: Progress) -> None:
        if progress.phase == "Running":
            clock.monotonic = lambda: time.monotonic() + 10**6

    request = replace(_small(9, "replay"), backend=backend)
    with pytest.raises(RunError, match="reached the limit of"):
        run(request, let_time_pass)
    (latest,) = History().runs(request.workload.digest, most=1)
    assert latest.status == "failed"


def test_a_run_ends_before_the_disk_is_full_and_can_be_gone_on_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = _small(8, "stream")

    def fill_up(progress: Progress) -> None:
        if progress.batches_done:
            # All batches may be done within a second: the disk is looked at before each of them.
            monkeypatch.setattr(interruption, "_LOOK_SECONDS", 0.0)
            monkeypatch.setattr(interruption, "LEAST_FREE_BYTES", 2**62)

    with pytest.raises(RunError, match=r"the disk has [\d,]+ MB left; make space, then resume"):
        run(request, fill_up)
    (latest,) = History().runs(request.workload.digest, most=1)
    assert latest.status == "failed"
    assert latest.measurement is not None
    assert latest.measurement.reached is not None
    monkeypatch.undo()
    assert [lost.id for lost in broken_off(History()) if lost.id == latest.id] == [latest.id]
    assert resume(latest.id).status == "finished"


@WAY
def test_a_run_that_breaks_off_fails_with_one_line(way: Way, tmp_path: Path) -> None:
    request = replace(_small(3 + WAYS.index(way), way), results=tmp_path / "results")

    def stand_in_the_way(progress: Progress) -> None:
        # Workers write rows into a folder of this name.
        if progress.phase == "Running":
            (going,) = History().runs(request.workload.digest, most=1)
            (run_folder(going.id) / "results").touch()

    with pytest.raises(RunError, match=f"Spark: the {way} was interrupted: ") as raised:
        run(request, stand_in_the_way)
    assert "\n" not in str(raised.value)
    (latest,) = History().runs(request.workload.digest, most=1)
    assert (latest.status, latest.error) == ("failed", str(raised.value))

"""Runs that end before their time: cancelled, out of time, or broken; each is recorded as such."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.execution import RunSettings
from runtime.execute import run, run_folder
from runtime.history import History
from runtime.microbatches import MicroBatches
from runtime.prepare import prepare
from runtime.records import WAYS, Progress, RunRequest, Way
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
def test_a_run_after_a_cancelled_one_is_not_disturbed(way: Way) -> None:
    cancel = threading.Event()
    cancel.set()
    assert run(_small(1, way), cancel=cancel).status == "cancelled"
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


def _damage(batches: MicroBatches) -> None:
    """Cut a micro-batch short, as a failing disk would."""
    file = sorted(Path(batches.folder).glob("*.parquet"))[1]
    file.write_bytes(file.read_bytes()[:50])


@WAY
def test_a_run_that_breaks_off_fails_with_one_line(way: Way) -> None:
    request = _small(3 + WAYS.index(way), way)
    _damage(prepare(request, 1).batches)
    with pytest.raises(RunError, match=f"Spark: the {way} broke off: ") as raised:
        run(request)
    assert "\n" not in str(raised.value)
    (latest,) = History().runs(request.workload.digest, most=1)
    assert (latest.status, latest.error) == ("failed", str(raised.value))

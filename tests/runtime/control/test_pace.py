"""The pace of a run: batches come when they are due, the lag is told, and nothing else changes."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import PlanError, RunError
from planner.workload.execution import RunSettings
from runtime.backends.kernels.pace import Pace, batch_seconds, cuts_of
from runtime.backends.kernels.prepare import prepare
from runtime.control.execute import run
from runtime.runs.records import Progress, RunRequest
from runtime.spark.arrivals import BatchInbox
from tests.planner.workloads import equality_join

WORKLOAD = replace(equality_join([(20, 5, 9), (20, 5, 9)]), run=RunSettings(1, 5, 35))
REQUEST = RunRequest(WORKLOAD, "join_order", "best", partitions=1)


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        """The seconds it shows."""
        return self.now


def test_batches_are_due_when_their_last_tuple_has_come() -> None:
    clock = Clock()
    pace = Pace(10.0, 1_000_000, [21_000_000, 41_000_000], clock)
    pace.go_on_from(0)
    assert [pace.seconds_until(n) for n in (0, 1)] == [2.0, 4.0]
    clock.now += 3.5
    assert [pace.seconds_until(n) for n in (0, 1)] == [0.0, 0.5]
    assert [pace.lag(done) for done in (0, 1, 2)] == [35.0, 15.0, 0.0]
    clock.now += 100
    # Beyond the last tuple nothing is there to be behind of.
    assert pace.lag(1) == 20.0
    assert [pace.reached(done) for done in (0, 1, 2)] == [0.0, 20.0, 40.0]


def test_a_run_that_goes_on_keeps_its_pace_from_where_it_was() -> None:
    clock = Clock()
    pace = Pace(10.0, 0, [20_000_000, 40_000_000], clock)
    clock.now += 50
    pace.go_on_from(1)
    assert (pace.lag(1), pace.seconds_until(1)) == (0.0, 2.0)


def test_as_fast_as_it_goes_waits_for_nothing_and_has_no_lag() -> None:
    pace = Pace(None, 0, [20_000_000])
    assert (pace.seconds_until(0), pace.lag(0)) == (0.0, None)


@pytest.mark.parametrize("pace", [1e-6, 0.013, 0.5, 1.0, 2.4, 2.5, 999.0, 1e6])
def test_a_batch_comes_every_one_or_two_seconds(pace: float) -> None:
    assert 0.8 <= batch_seconds(pace) / pace <= 2.0
    cuts = cuts_of(pace, 7, 7 + round(batch_seconds(pace) * 3e6))
    assert len(cuts) == 2


def test_batches_of_a_paced_run_end_at_round_times(tmp_path: Path) -> None:
    batches = prepare(replace(REQUEST, pace=2.0), 1).batches
    assert batches.batches == 20
    assert all(int(until) // 2_000_000 == n for n, until in enumerate(batches.untils))
    arriving = BatchInbox(batches, tmp_path / "arrivals", done=0)
    arriving.let_in()
    assert not arriving.all_come
    again = BatchInbox(batches, tmp_path / "arrivals", done=1)
    assert again.come == 1
    for _ in range(19):
        again.let_in()
    assert again.all_come


@pytest.mark.parametrize("pace", [0.0, -1.0, float("nan"), 2e6])
def test_a_pace_must_be_a_number_in_range(pace: float) -> None:
    with pytest.raises(PlanError, match="--pace: must be"):
        replace(REQUEST, pace=pace)


def test_a_replay_has_no_pace() -> None:
    with pytest.raises(RunError, match="only streams on the kernels"):
        replace(REQUEST, way="replay", pace=1.0)


def test_a_run_that_would_not_end_in_its_time_is_not_begun() -> None:
    slow = replace(REQUEST, pace=0.1, most_seconds=300)
    with pytest.raises(RunError, match="40 s of stream time would take 400 s"):
        prepare(slow, 1)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_paced_run_ends_as_a_quick_one_tells_its_lag_and_stops_at_once() -> None:
    told: list[Progress] = []
    paced = run(replace(REQUEST, pace=20.0), told.append)
    quick = run(replace(REQUEST, way="replay"))
    assert paced.measurement is not None
    assert quick.measurement is not None
    assert paced.measurement.answers == quick.measurement.answers
    assert paced.measurement.costs == quick.measurement.costs
    assert paced.measurement.timings.engine >= 2.0
    lags = [progress.lag for progress in told if progress.batches_done]
    assert len(lags) == paced.batches == 2
    assert all(lag is not None and lag >= 0 for lag in lags)

    cancel = threading.Event()

    def cancel_soon(progress: Progress) -> None:
        if progress.phase == "Running":
            threading.Timer(0.5, cancel.set).start()

    # Its first batch is due after half an hour; a run that waited for it would be finished.
    assert run(replace(REQUEST, pace=0.02), cancel_soon, cancel).status == "cancelled"

"""The runner: jobs one after the other, cancelled or failed without a loss to the next."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

import pytest

from planner.errors import RunError
from runtime.backends.live_changes import Steering
from runtime.backends.protocol import OnProgress
from runtime.control.job_entry import JobEntry
from runtime.control.jobs import Job, Runner
from runtime.runs.records import Progress, Run, RunRequest
from tests.runtime.run_records import a_request, a_run

# Waiting for another thread has to end some time, if that thread is broken.
AT_MOST = 600.0


class Steps:
    """A fake way to run plans: it notes what it is asked, and goes on when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_go_on = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)

    def execute(
        self,
        request: RunRequest,
        on_progress: OnProgress,
        cancel: threading.Event,
        _steering: Steering,
    ) -> Run:
        """Wait for a turn, then end as the label says."""
        self.asked.append(request.label)
        on_progress(Progress("Running", 1, 2))
        self.begun.release()
        assert self.may_go_on.acquire(timeout=AT_MOST)
        if cancel.is_set():
            return a_run(request.label, status="cancelled")
        if request.label == "wrong":
            raise RunError("there is no Java", "Java")
        if request.label == "bug":
            raise ZeroDivisionError("a bug")
        return a_run(request.label)

    def let(self, count: int) -> None:
        """Let so many runs go on."""
        self.may_go_on.release(count)

    def until_begun(self) -> None:
        """Wait for the next run to begin."""
        assert self.begun.acquire(timeout=AT_MOST)


@pytest.fixture
def steps() -> Steps:
    """What the runner is given to do."""
    return Steps()


@pytest.fixture
def runner(steps: Steps) -> Runner:
    """A runner that runs nothing."""
    return Runner(steps.execute)


def _submit(runner: Runner, labels: Sequence[str]) -> Job:
    return runner.submit([a_request(label) for label in labels])


def _finish(runner: Runner, steps: Steps) -> None:
    """Wait until everything before is done: jobs come in order, so one more tells."""
    after = _submit(runner, ["after"])
    steps.let(100)
    while not after.done:
        steps.until_begun()
        if steps.asked[-1] == "after":
            break


def test_plans_run_in_the_order_they_were_given(runner: Runner, steps: Steps) -> None:
    first, second = _submit(runner, ["a", "b"]), _submit(runner, ["c"])
    _finish(runner, steps)
    assert steps.asked == ["a", "b", "c", "after"]
    assert [entry.status for entry in (*first.entries, *second.entries)] == ["finished"] * 3
    assert [isinstance(e.outcome, Run) and e.outcome.id for e in first.entries] == ["a", "b"]
    assert first.entries[0].progress == Progress("Running", 1, 2)
    assert first.done
    assert second.done


def test_jobs_wait_for_those_ahead_of_them(runner: Runner, steps: Steps) -> None:
    first, second = _submit(runner, ["a"]), _submit(runner, ["b"])
    steps.until_begun()
    assert first.entries[0].status == "running"
    assert second.entries[0].status == "waiting"
    assert runner.active() == [first, second]
    assert runner.job(second.id) is second
    assert runner.job("unknown") is None
    _finish(runner, steps)
    assert first not in runner.active()


def test_cancelling_ends_the_plan_that_runs_and_starts_no_other(
    runner: Runner, steps: Steps
) -> None:
    job, other = _submit(runner, ["a", "b", "c"]), _submit(runner, ["d"])
    steps.until_begun()
    job.cancel()
    _finish(runner, steps)
    assert [entry.status for entry in job.entries] == ["cancelled"] * 3
    assert steps.asked == ["a", "d", "after"]
    assert other.entries[0].status == "finished"


def test_a_job_that_waits_can_be_cancelled(runner: Runner, steps: Steps) -> None:
    first, second = _submit(runner, ["a"]), _submit(runner, ["b"])
    second.cancel()
    _finish(runner, steps)
    assert first.entries[0].status == "finished"
    assert second.entries[0].status == "cancelled"
    assert "b" not in steps.asked


def test_a_plan_that_fails_says_why_and_the_next_one_runs(runner: Runner, steps: Steps) -> None:
    job = _submit(runner, ["wrong", "b"])
    _finish(runner, steps)
    failed, finished = job.entries
    assert (failed.status, failed.error) == ("failed", "Java: there is no Java")
    assert finished.status == "finished"


def test_a_bug_reaches_the_log_and_the_user_one_line(
    runner: Runner, steps: Steps, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        job = _submit(runner, ["bug", "b"])
        _finish(runner, steps)
    failed, finished = job.entries
    assert failed.status == "failed"
    assert failed.error == "an internal fault (ZeroDivisionError); the log has the details"
    assert "ZeroDivisionError: a bug" in caplog.text
    assert finished.status == "finished"


def test_a_job_that_waits_is_out_of_the_queue_as_soon_as_it_is_cancelled(
    runner: Runner, steps: Steps
) -> None:
    first, second, third = (_submit(runner, [label]) for label in "abc")
    steps.until_begun()
    second.cancel()
    assert second.done
    assert runner.active() == [first, third]
    _finish(runner, steps)


def test_time_left_comes_from_the_pace_and_from_what_others_took() -> None:
    job = Job([JobEntry(a_request(label)) for label in "abc"])
    assert job.seconds_left(100.0) is None
    first, second, _ = job.entries
    first.status, first.began = "running", 100.0
    assert job.seconds_left(103.0) is None, "nothing is done yet"
    first.heard(Progress("Running", 1, 6, seconds=20.0))
    assert job.seconds_left(104.0) is None, "the first batch of all takes longer than the others"
    first.heard(Progress("Running", 3, 6, seconds=24.0))
    assert job.seconds_left(104.0) == 6 + 2 * (4 + 6), "two more like this one"
    first.status, first.ended = "finished", 110.0
    second.status, second.began = "running", 110.0
    assert job.seconds_left(113.0) == 7 + 10, "as long as the first"
    second.heard(Progress("Running", 1, 4, seconds=4.0))
    second.heard(Progress("Running", 3, 4, seconds=12.0))
    assert job.seconds_left(115.0) == 4 + 10


def test_time_left_comes_from_earlier_runs_until_the_pace_is_known() -> None:
    entry = JobEntry(a_request("a"), expected=20.0)
    job = Job([entry, JobEntry(a_request("b"), expected=30.0)])
    assert job.seconds_left(100.0) == 50, "also while it waits"
    entry.status, entry.began = "running", 90.0
    assert entry.time_left(100.0) == 20, "Spark is starting"
    entry.underway = 100.0
    assert (entry.time_left(105.0), job.seconds_left(105.0)) == (15, 45)
    assert entry.time_left(140.0) == 4, "it takes longer than they did: no one knows how long"
    entry.heard(Progress("Running", 1, 6, seconds=20.0))
    entry.heard(Progress("Running", 3, 6, seconds=24.0))
    assert entry.time_left(144.0) == 6


def test_a_bar_moves_from_the_first_second_and_never_back() -> None:
    for expected in (None, 10.0):
        entry = JobEntry(a_request("a"), expected)
        assert entry.share(100.0) == 0
        entry.status, entry.began = "running", 100.0
        entry.heard(Progress("Starting Spark"))
        entry.underway = 103.0
        shares = [entry.share(100.0 + second) for second in range(1, 15)]
        entry.heard(Progress("Running", 1, 60, seconds=1.0))
        shares.append(entry.share(116.0))
        entry.heard(Progress("Running", 59, 60, seconds=2.0))
        shares.append(entry.share(117.0))
        assert shares == sorted(shares)
        assert 0 < shares[0] < shares[1] < shares[-1] < 1
        assert [step.phase for step in entry.steps] == ["Starting Spark", "Running"]
        entry.status = "finished"
        assert entry.share(118.0) == 1

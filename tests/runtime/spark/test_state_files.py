"""States beside the checkpoint: a batch that is run again begins where it began before."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.runs.records import RunRequest
from runtime.spark.partition_tasks import PartitionTask
from runtime.spark.state_files import StateFiles
from runtime.spark.worker import GoingOn
from tests.planner.workloads import equality_join


def test_the_last_two_states_are_kept(tmp_path: Path) -> None:
    states = StateFiles(str(tmp_path / "state"))
    assert states.before(0, 0) is None
    for number in range(4):
        for partition in range(2):
            states.keep(number, partition, bytes([number, partition]))
        states.drop_before(number, 2)
    assert states.before(4, 1) == bytes([3, 1])
    assert states.before(3, 0) == bytes([2, 0])
    with pytest.raises(RunError, match="the state after batch 1: is gone"):
        states.before(2, 0)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreparedKernelRun:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))
    workload = equality_join([(10, 10, 20), (10, 20, 20)])
    return prepare(RunRequest(workload, "join_order", "best", batch_rows=500, partitions=2), 2)


def test_a_batch_that_is_run_again_counts_once(prepared: PreparedKernelRun, tmp_path: Path) -> None:
    going_on = GoingOn(tmp_path)
    going_on.begin()
    task = PartitionTask(
        prepared.program.to_json(), prepared.batches.folder, str(going_on.file), None
    )
    last = prepared.batches.batches - 1
    assert last >= 2
    whole = [task.replay(last + 1, str(tmp_path / "notes"), partition) for partition in range(2)]
    once, again = str(tmp_path / "once"), str(tmp_path / "again")
    for number in range(last + 1):
        first = [task.step(once, number, partition) for partition in range(2)]
        for _ in range(2):
            second = [task.step(again, number, partition) for partition in range(2)]
        StateFiles(again).drop_before(number, 2)
    answers = [
        prepared.program.tally(totals, prepared.plan)
        for totals in (whole, [found for found, _ in first], [found for found, _ in second])
    ]
    assert len({(tally.results, tally.digest, tally.comparisons) for tally in answers}) == 1
    assert answers[0].results > 0

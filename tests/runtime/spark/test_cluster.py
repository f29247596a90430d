"""Scale-out: a standalone cluster of two workers gives the answer and counts of a local run, also
when a worker is killed in mid-run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from planner.workload.execution import RunSettings
from runtime.control.execute import run
from runtime.data.folders import PROJECT
from runtime.runs.records import Progress, Run, RunRequest
from tests.planner.workloads import equality_join
from tests.runtime.clusters import Cluster, cluster

pytestmark = [pytest.mark.slow, pytest.mark.spark]

_WORKLOAD = replace(
    equality_join([(10, 10, 20), (10, 20, 20)]), run=RunSettings(seed=5, warmup=10, duration=50)
)
_BATCHES = 8


@pytest.fixture(scope="module")
def request_of_a_run() -> RunRequest:
    return RunRequest(_WORKLOAD, "join_order", "S1,S2", "stream", 2, 1200 // _BATCHES)


@pytest.fixture(scope="module")
def plain(request_of_a_run: RunRequest) -> Run:
    """The run on this machine alone."""
    return run(request_of_a_run)


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster") as started:
        yield started


def _outcome(ended: Run) -> tuple[object, ...]:
    assert ended.status == "finished"
    assert ended.measurement is not None
    return ended.measurement.answers, ended.measurement.results, ended.measurement.costs


def _killing(cluster: Cluster, batch: int) -> Callable[[Progress], None]:
    def at(progress: Progress) -> None:
        if progress.batches_done >= batch and len(cluster.workers) == 2:
            cluster.kill_a_worker()

    return at


def test_a_worker_is_killed_in_mid_run(
    plain: Run, two_workers: Cluster, request_of_a_run: RunRequest, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    request = replace(request_of_a_run, master=two_workers.master, shared=shared)
    before = _outcome(run(request))
    ended = run(request, _killing(two_workers, _BATCHES // 2))

    assert len(two_workers.workers) == 1
    assert before == _outcome(ended) == _outcome(plain)
    assert ended.batches >= _BATCHES
    # All that executors read and wrote is in the folder they share.
    assert list(shared.glob("micro-batches/*/batch-*.parquet"))
    (modules,) = shared.glob("modules/*")
    assert (modules / "runtime/spark/worker.py").read_bytes() == (
        PROJECT / "runtime/spark/worker.py"
    ).read_bytes()
    assert list(shared.glob("kernels/*/*/*.nbi")), "executors keep no compiled kernels"

    # Back on this machine in the same process.
    assert _outcome(run(request_of_a_run)) == _outcome(plain)

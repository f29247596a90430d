"""A disk that is really full: a small one, mounted where runs keep their files."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.workload.execution import RunSettings
from runtime.backends import interruption as disk
from runtime.control.execute import run
from runtime.control.resume import broken_off, resume
from runtime.data.folders import run_folder
from runtime.runs.history import History
from runtime.runs.records import BACKENDS, Backend, RunRequest, Way
from tests.planner.workloads import equality_join

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.usefixtures("spark")]

# Over a million results, of which files of some MB are kept until the end.
WORKLOAD = replace(
    equality_join([(300, 20, 60), (300, 20, 60)]), run=RunSettings(seed=3, warmup=20, duration=20)
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = run_folder("any").parent
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount on this machine")
    if mounted.returncode:
        pytest.skip(f"a small disk needs the right to mount one: {mounted.stderr.strip()}")
    monkeypatch.setattr(disk, "LEAST_FREE_BYTES", 0)
    yield folder
    # Spark may still be at its files.
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _request(way: Way, backend: Backend, results: Path) -> RunRequest:
    return RunRequest(
        WORKLOAD, "join_order", "best", way, 2, 2_000, results=results, backend=backend
    )


def test_a_stream_on_a_full_disk_is_resumed_to_the_same_answer_and_counts(
    small: Path, tmp_path: Path
) -> None:
    request = _request("stream", "kernels", tmp_path / "results")
    with pytest.raises(RunError, match=r"the disk is full; make space, then resume the run$"):
        run(request)
    (latest,) = History().runs(WORKLOAD.digest, most=1)
    assert latest.status == "failed"
    subprocess.run(["mount", "-o", "remount,size=200m", str(small)], check=True)
    assert latest.id in [lost.id for lost in broken_off(History())]
    ended, whole = resume(latest.id).measurement, run(request).measurement
    assert ended is not None
    assert whole is not None
    assert (ended.answers, ended.results) == (whole.answers, whole.results)
    assert ended.costs == whole.costs


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_cannot_be_resumed_does_not_say_so(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"the disk is full; make space, then run the plan again$"):
        run(_request("replay", backend, tmp_path / "results"))

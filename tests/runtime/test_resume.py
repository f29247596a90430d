"""A run that is killed and resumed ends with the answer and the counts of one that was not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from planner.errors import RunError
from planner.execution import RunSettings
from planner.workload import Workload
from planner.workload_file import dump_workload
from runtime.__main__ import main
from runtime.execute import run, run_folder
from runtime.history import History
from runtime.home import PROJECT
from runtime.records import RunRequest
from runtime.resume import resume
from tests.planner.workloads import equality_join
from tests.runtime.runs import a_run

pytestmark = pytest.mark.spark

BATCHES = 8


def _workload() -> Workload:
    settings = RunSettings(seed=5, warmup=10, duration=50)
    return replace(equality_join([(10, 10, 20), (10, 20, 20)]), run=settings)


def _start_and_kill(file: Path, batch_rows: int, results: Path) -> int:
    """Start the run in a process group of its own, and kill it all after two micro-batches.

    Returns how many batches the last line said were done.
    """
    options = ["--partitions", "2", "--batch-rows", str(batch_rows), "--results", str(results)]
    child = subprocess.Popen(
        [sys.executable, "-m", "runtime", "run", str(file), *options, "--json"],
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stderr is not None
    done = 0
    with child.stderr:
        for line in child.stderr:
            if line.startswith("Running: "):
                done = int(line.split()[1])
            if done == 2:
                os.killpg(child.pid, signal.SIGKILL)
                break
    assert child.wait() == -signal.SIGKILL
    return done


def _damaged(run_id: str, pattern: str) -> None:
    """Overwrite these files of the run's checkpoint."""
    files = [file for file in run_folder(run_id).glob(pattern) if file.is_file()]
    assert files
    for file in files:
        file.write_bytes(b"\xff not what Spark wrote")


def test_killed_in_mid_run_and_resumed(
    tmp_path: Path, spark: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark
    workload, file = _workload(), tmp_path / "w.yaml"
    file.write_text(dump_workload(workload))
    plain = run(RunRequest(workload, "join_order", "best", "replay", 2, results=tmp_path / "plain"))
    assert plain.measurement is not None
    batch_rows = -(-sum(plain.measurement.rows.values()) // BATCHES)

    assert _start_and_kill(file, batch_rows, tmp_path / "resumed") == 2
    assert main(["history", "--json"]) == 0
    (lost,) = [
        entry
        for entry in json.loads(capsys.readouterr().out)
        if entry["status"] == "interrupted" and entry["batches"] == BATCHES
    ]

    # A checkpoint that cannot be read is said, and nothing is lost by trying.
    kept = tmp_path / "kept"
    shutil.copytree(run_folder(lost["run"]), kept)
    for pattern in ("checkpoint/offsets/*", "checkpoint/state/0/*/*.delta"):
        _damaged(lost["run"], pattern)
        with pytest.raises(RunError, match="its checkpoint may be damaged: run the plan") as raised:
            resume(lost["run"])
        assert "\n" not in str(raised.value)
        shutil.rmtree(run_folder(lost["run"]))
        shutil.copytree(kept, run_folder(lost["run"]))

    assert main(["resume", lost["run"], "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert "Running: 1 of" not in err
    assert document["status"] == "finished"
    assert document["answers"] == plain.measurement.answers
    assert document["results"] == plain.measurement.results
    resumed = History().get(lost["run"]).measurement
    assert resumed is not None
    assert resumed.costs == plain.measurement.costs
    assert sorted(_rows(tmp_path / "resumed")) == sorted(_rows(tmp_path / "plain"))
    assert not run_folder(lost["run"]).exists()


def _rows(folder: Path) -> list[tuple[object, ...]]:
    columns = pq.read_table(folder / "Q1.parquet").columns
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def test_a_replay_keeps_no_checkpoint_and_cannot_be_resumed() -> None:
    broken = a_run("a-replay", status="failed", error="broke off")
    History().save(replace(broken, request=replace(broken.request, way="replay")))
    with pytest.raises(RunError, match="a-replay: was a replay, which keeps no checkpoint"):
        resume("a-replay")


def test_other_data_cannot_be_gone_on_with() -> None:
    History().save(a_run("other-data", status="interrupted", error="killed"))
    with pytest.raises(RunError, match="other-data: its data have changed since"):
        resume("other-data")

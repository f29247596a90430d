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
from planner.files.workload_file import dump_workload, load_workload
from planner.seconds.calibration import calibration_file
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.control.execute import drop_old_folders, run
from runtime.control.resume import resume
from runtime.data.folders import PROJECT, run_folder
from runtime.runs.history import History
from runtime.runs.records import Run, RunRequest
from tests.planner.aggregations import HASHED, aggregation
from tests.planner.workloads import equality_join
from tests.runtime.breaking_off import TWO_WINDOWS, broken_off, measured
from tests.runtime.calibrating import calibrate
from tests.runtime.run_records import a_run

pytestmark = pytest.mark.spark

BATCHES = 8
_WITH_A_RELATION = """
version: 1
name: with a relation
streams:
  - {name: A, rate: 6, attributes: {k: {distinct: 9}, c: {distinct: 20}}}
  - {name: B, rate: 5, attributes: {k: {distinct: 9}}}
relations:
  - {name: R, rows: 40, attributes: {c: {distinct: 20}}, changes: {inserts: 2, deletes: 2}}
queries:
  - name: Q1
    text: SELECT * FROM A [RANGE 8], B [RANGE 6], R WHERE A.k = B.k AND A.c = R.c
run: {seed: 3, duration: 40}
"""

_CHANGING = """
run:
  seed: 4
  duration: 40
  changes:
    - {at: 12, add: {name: Q3, text: "SELECT * FROM B [RANGE 5], A [RANGE 5] WHERE A.k = B.k"}}
    - {at: 20, plan: pull-up}
    - {at: 34, remove: Q1}
    - {at: 34, plan: mem-opt}
"""

# No unit costs are declared: the clock of work is this machine's, scaled to a load.
_SCHEDULED = """
execution: {join: hash, utilisation: 0.9}
run: {seed: 4, warmup: 8, duration: 32}
"""

_SHORT_OF_MEMORY = """
version: 1
name: short of memory
streams:
  - {name: A, rate: 8, attributes: {k: {distinct: 9}}}
  - {name: B, rate: 8, attributes: {k: {distinct: 9}}}
relations:
  - {name: R, rows: 12, attributes: {k: {distinct: 9}}, changes: {inserts: 0.5, deletes: 0.5}}
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 8], R, B [RANGE 8] WHERE A.k = R.k AND B.k = R.k"}
execution: {memory: 24}
run: {seed: 4, warmup: 8, duration: 32}
"""


def _workload() -> Workload:
    settings = RunSettings(seed=5, warmup=10, duration=50)
    return replace(equality_join([(10, 10, 20), (10, 20, 20)]), run=settings)


def _start_and_kill(request: RunRequest, folder: Path) -> int:
    """Start the run in a process group of its own, and kill it all after two micro-batches.

    Returns how many batches the last line said were done.
    """
    file = folder / "w.yaml"
    file.write_text(dump_workload(request.workload))
    options = [
        "--family",
        request.family,
        "--plan",
        request.label,
        "--partitions",
        str(request.partitions),
    ]
    options += ["--batch-rows", str(request.batch_rows), "--results", str(request.results)]
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


def _in_batches(plain: Run, results: Path) -> RunRequest:
    """The request of a run that ended, to be streamed in about this many micro-batches."""
    rows = measured(plain).rows
    read = {source.name for source in plain.workload.queries[0].sources}
    batch_rows = -(-sum(rows[name] for name in read) // BATCHES)
    return replace(plain.request, way="stream", batch_rows=batch_rows, results=results)


def _interrupted(capsys: pytest.CaptureFixture[str]) -> str:
    """The id of the run that was killed, as the history tells it."""
    assert main(["history", "--json"]) == 0
    (lost,) = [
        entry for entry in json.loads(capsys.readouterr().out) if entry["status"] == "interrupted"
    ]
    assert lost["batches"] == BATCHES
    return str(lost["run"])


def _check_resumed(run_id: str, plain: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes on where it stood, and ends with what the plain run found and counted."""
    assert main(["resume", run_id, "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert "Running: 1 of" not in err
    assert document["status"] == "finished"
    resumed = History().get(run_id).measurement
    assert resumed is not None
    assert plain.measurement is not None
    assert document["answers"] == plain.measurement.answers
    assert resumed.results == plain.measurement.results
    assert resumed.costs == plain.measurement.costs
    assert resumed.recomputations == plain.measurement.recomputations
    # Of a scheduled join: delays of every query under every policy, to the nanosecond.
    assert resumed.qualities == plain.measurement.qualities
    assert resumed.schedules == plain.measurement.schedules
    assert resumed.shed == plain.measurement.shed
    assert not run_folder(run_id).exists()


@pytest.mark.usefixtures("spark")
def test_killed_in_mid_run_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = RunRequest(_workload(), "join_order", "best", "replay", 2)
    plain = run(replace(request, results=tmp_path / "plain"))
    assert _start_and_kill(_in_batches(plain, tmp_path / "resumed"), tmp_path) == 2
    lost = _interrupted(capsys)

    # A checkpoint that cannot be read is said, and nothing is lost by trying.
    kept = tmp_path / "kept"
    shutil.copytree(run_folder(lost), kept)
    for pattern in ("checkpoint/offsets/*", "state/*.state"):
        _damaged(lost, pattern)
        with pytest.raises(RunError, match="its checkpoint may be damaged: run the plan") as raised:
            resume(lost)
        assert "\n" not in str(raised.value)
        shutil.rmtree(run_folder(lost))
        shutil.copytree(kept, run_folder(lost))

    _check_resumed(lost, plain, capsys)
    assert sorted(_rows(tmp_path / "resumed")) == sorted(_rows(tmp_path / "plain"))


@pytest.mark.usefixtures("spark")
def test_a_file_that_spark_noted_before_the_end_comes_once_and_alone(tmp_path: Path) -> None:
    plain = run(RunRequest(_workload(), "join_order", "best", "replay", 2))
    lost = broken_off(_in_batches(plain, tmp_path / "resumed"), batches=3)
    # As if it had been interrupted when Spark had noted a file, and not yet planned its batch.
    checkpoint = run_folder(lost.id) / "checkpoint"
    planned = max(int(log.name) for log in (checkpoint / "offsets").glob("[0-9]*"))
    noted = checkpoint / "sources" / "0"
    known = (noted / str(planned)).read_text()
    following = known.replace(f"batch-{planned:06}", f"batch-{planned + 1:06}")
    assert following != known
    following = following.replace(f'"batchId":{planned}', f'"batchId":{planned + 1}')
    (noted / str(planned + 1)).write_text(following)
    (noted / f".{planned + 1}.crc").unlink(missing_ok=True)

    resumed = measured(resume(lost.id))
    assert resumed.answers == measured(plain).answers
    assert resumed.costs == measured(plain).costs


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("text", "family", "label"),
    [
        (TWO_WINDOWS + _SCHEDULED, "shared_schedule", "MQT"),
        (_SHORT_OF_MEMORY, "load_shedding", "GAIN-S"),
    ],
)
def test_killed_with_the_same_delays_or_evictions(
    text: str, family: str, label: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = load_workload(text, "killed")
    plain = run(RunRequest(workload, family, label, "replay", results=tmp_path / "plain"))
    found = measured(plain)
    queues = found.schedules.get(label, {}).get("queue_max", 0)
    assert queues > 1 or found.shed["evictions"]["A"]["replaced"] > 1
    request = replace(_in_batches(plain, tmp_path / "resumed"), partitions=1)
    assert _start_and_kill(request, tmp_path) == 2
    # A machine that is calibrated meanwhile does not change the clock of the run.
    calibrate(1e-6, 50e-6)
    _check_resumed(_interrupted(capsys), plain, capsys)
    calibration_file().unlink()
    for query in found.answers:
        rows = _rows(tmp_path / "resumed", query)
        assert sorted(rows) == sorted(_rows(tmp_path / "plain", query))
        assert rows


@pytest.mark.usefixtures("spark")
def test_an_aggregation_that_broke_off_is_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "SELECT S1.j, MAX(S2.x), SUM(S1.x), COUNT(*) FROM S1 [RANGE 6], S2 [RANGE 5] "
        "WHERE S1.j = S2.j GROUP BY S1.j"
    )
    workload = replace(aggregation(text, HASHED), run=RunSettings(seed=5, duration=40))
    request = RunRequest(workload, "early_aggregation", "EAP-11", "replay", 2)
    plain = run(replace(request, results=tmp_path / "plain"))
    _check_resumed(_broken_off(plain, 2, tmp_path / "resumed"), plain, capsys)
    for name in ("Q1.parquet", "Q1.changes.parquet"):
        resumed, expected = (pq.read_table(tmp_path / f / name) for f in ("resumed", "plain"))
        assert len(expected) > 0
        assert resumed.equals(expected)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_a_join_with_a_changing_relation_that_broke_off_is_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = load_workload(_WITH_A_RELATION, "with a relation")
    plain = run(RunRequest(workload, "join_order", "best", "replay", 2, results=tmp_path / "plain"))
    _check_resumed(_broken_off(plain, 3, tmp_path / "resumed"), plain, capsys)
    found = sorted(_rows(tmp_path / "resumed"))
    assert found == sorted(_rows(tmp_path / "plain"))
    assert found


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("batches", [pytest.param(3, marks=pytest.mark.slow), 6])
def test_joins_that_change_resumed_before_and_after_a_change(
    batches: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Batches of 6 s, cut at 12 s, 20 s and 34 s: 3 are all before 20 s, 6 end after it."""
    workload = load_workload(TWO_WINDOWS + _CHANGING, "changing")
    request = RunRequest(workload, "sliced_chain", "mem-opt", "replay", 2)
    plain = run(replace(request, results=tmp_path / "plain"))
    _check_resumed(_broken_off(plain, batches, tmp_path / "resumed"), plain, capsys)
    for query in ("Q1", "Q2", "Q3"):
        found = _rows(tmp_path / "resumed", query)
        assert [row[-1] for row in found] == sorted(row[-1] for row in found)
        assert sorted(found) == sorted(_rows(tmp_path / "plain", query))
        assert found


def _broken_off(plain: Run, batches: int, results: Path) -> str:
    """The id of the same run, streamed and broken off after so many micro-batches."""
    lost = broken_off(_in_batches(plain, results), batches)
    assert lost.workload == plain.workload
    assert lost.batches > batches + 1
    return lost.id


def _rows(folder: Path, query: str = "Q1") -> list[tuple[object, ...]]:
    columns = pq.read_table(folder / f"{query}.parquet").columns
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def test_what_a_run_left_that_was_killed_as_it_ended_goes_with_the_next_run() -> None:
    History().save(a_run("ended", status="finished"))
    History().save(a_run("to-resume", status="interrupted", error="killed"))
    for name in ("ended", "to-resume"):
        run_folder(name).mkdir(parents=True)
    drop_old_folders(None, History())
    assert not run_folder("ended").exists()
    assert run_folder("to-resume").exists()


def test_a_replay_keeps_no_checkpoint_and_cannot_be_resumed() -> None:
    broken = a_run("a-replay", status="failed", error="was interrupted")
    History().save(replace(broken, request=replace(broken.request, way="replay")))
    with pytest.raises(RunError, match="a-replay: was a replay, which keeps no checkpoint"):
        resume("a-replay")


def test_other_data_cannot_be_gone_on_with() -> None:
    History().save(a_run("other-data", status="interrupted", error="killed"))
    with pytest.raises(RunError, match="other-data: its data have changed since"):
        resume("other-data")

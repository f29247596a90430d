"""Aggregations on Spark, both ways, with their results as files and their record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from planner.errors import RunError
from planner.files.workload_file import dump_workload
from planner.statistics.generate import generate
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.backends.kernels.prepare import prepare
from runtime.control.execute import run
from runtime.runs.records import WAYS, Run, RunRequest
from runtime.spark import row_limit, worker
from tests.oracles.in_duckdb.aggregations import duckdb_answer
from tests.planner.aggregations import AGGREGATION_SAMPLES, HASHED, aggregation

pytestmark = pytest.mark.spark

TEXT = (
    "SELECT S1.g, SUM(S2.x) AS total, AVG(S1.x), MAX(S2.x), COUNT(*) "
    "FROM S1 [RANGE 6], S2 [RANGE 5] WHERE S1.j = S2.j GROUP BY S1.g"
)


def _workload(text: str = TEXT) -> Workload:
    return replace(aggregation(text, HASHED), run=RunSettings(seed=5, duration=30))


def _run(workload: Workload, label: str, **settings: Any) -> Run:
    return run(RunRequest(workload, "early_aggregation", label, **settings))


@pytest.mark.usefixtures("spark")
def test_both_ways_and_all_plans_write_the_same_answer_and_changes(tmp_path: Path) -> None:
    workload = _workload()
    answers, files = set(), []
    for number, (way, label) in enumerate([(w, p) for w in WAYS for p in ("LAP", "EAP-11")]):
        folder = tmp_path / str(number)
        found = _run(workload, label, way=way, batch_rows=60, results=folder)
        assert found.measurement is not None
        answers.add(found.measurement.answers["Q1"])
        files.append((folder / "Q1.parquet", folder / "Q1.changes.parquet"))
    assert len(answers) == 1
    answer, changes = (pq.read_table(file) for file in files[0])
    for others in files[1:]:
        assert pq.read_table(others[0]).equals(answer)
        assert pq.read_table(others[1]).equals(changes)
    assert answer.schema == pa.schema(
        [
            ("S1.g", pa.int64()),
            ("total", pa.int64()),
            ("avg(S1.x)", pa.float64()),
            ("max(S2.x)", pa.int64()),
            ("count(*)", pa.int64()),
        ]
    )
    rows = list(zip(*(column.to_pylist() for column in answer.columns), strict=True))
    seconds = workload.warmup + workload.run.duration
    expected = duckdb_answer(workload.queries[0], generate(workload, seconds, seed=5))
    assert rows == [pytest.approx(row) for row in expected]
    assert changes.column_names == ["ts", *answer.column_names, "present"]
    last = {row["S1.g"]: row for row in changes.to_pylist()}
    there = [row for row in last.values() if row["present"]]
    shown = [{name: row[name] for name in answer.column_names} for row in there]
    assert sorted(shown, key=lambda row: row["S1.g"]) == answer.to_pylist()


@pytest.mark.usefixtures("spark")
def test_parts_of_groups_are_put_together(tmp_path: Path) -> None:
    workload = _workload(TEXT.replace("MAX(S2.x), ", ""))
    one = _run(workload, "EAP-10", way="replay", results=tmp_path / "one")
    more = _run(workload, "EAP-10", way="replay", partitions=3, results=tmp_path / "more")
    assert (one.partitions, more.partitions) == (1, 3)
    assert any("parts of groups" in warning for warning in more.warnings)
    assert one.measurement is not None
    assert more.measurement is not None
    assert more.measurement.answers == one.measurement.answers
    for name in ("Q1.parquet", "Q1.changes.parquet"):
        assert pq.read_table(tmp_path / "more" / name).equals(
            pq.read_table(tmp_path / "one" / name)
        )


@pytest.mark.usefixtures("spark")
def test_a_group_that_cannot_be_in_parts_runs_in_one_partition() -> None:
    found = _run(_workload(), "LAP", way="replay", partitions=2)
    assert found.partitions == 1
    assert any("max(S2.x)" in warning for warning in found.warnings)


@pytest.mark.usefixtures("spark")
def test_blocks_of_tumbling_windows_are_rows_of_the_answer(tmp_path: Path) -> None:
    workload = replace(AGGREGATION_SAMPLES["tumbling"], run=RunSettings(seed=2, duration=35))
    found = _run(workload, "EAP-01", way="replay", batch_rows=50, results=tmp_path)
    answer = pq.read_table(tmp_path / "Q1.parquet")
    assert answer.column_names[:2] == ["window_start", "S1.g"]
    rows = list(zip(*(column.to_pylist() for column in answer.columns), strict=True))
    tables = generate(workload, workload.warmup + 35, seed=2)
    assert rows == duckdb_answer(workload.queries[0], tables)
    assert {row[0] for row in rows} == {0.0, 10.0, 20.0, 30.0, 40.0}
    assert found.measurement is not None
    assert found.measurement.results == {"Q1": len(rows)}
    changes = pq.read_table(tmp_path / "Q1.changes.parquet")
    assert changes.column_names[:3] == ["ts", "window_start", "S1.g"]


@pytest.mark.usefixtures("spark")
def test_the_command_tells_recomputations_and_own_data_give_the_same_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "workload.yaml"
    file.write_text(dump_workload(_workload()))
    told = ["run", str(file), "--family", "early_aggregation", "--plan", "EAP-11", "--json"]
    told += ["--way", "replay"]
    assert main(told) == 0
    document = json.loads(capsys.readouterr().out)
    by_kind = {operator["kind"]: operator for operator in document["operators"]}
    assert by_kind["update"]["recomputations"] > 0
    assert by_kind["aggregate"]["measured"]["group_updates"] > 0
    assert "recomputations" not in by_kind["probe"]
    assert main(["generate", str(file), str(tmp_path / "data")]) == 0
    capsys.readouterr()
    assert main([*told, "--data", str(tmp_path / "data")]) == 0
    assert json.loads(capsys.readouterr().out)["answers"] == document["answers"]


def test_changes_of_groups_count_as_rows_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batch after batch: no single one has as many."""
    workload = _workload()
    request = RunRequest(workload, "early_aggregation", "EAP-11", batch_rows=40, results=tmp_path)
    prepared = prepare(request, 1)
    files = sorted(Path(prepared.batches.folder).glob("*.parquet"))
    given = [(n, pq.read_table(f)["tuples"][0].as_py()) for n, f in enumerate(files)]
    text = prepared.program.to_json()
    worker.step_through(text, None, given, 0, str(tmp_path / "all"))
    written = [pq.read_metadata(f).num_rows for f in sorted((tmp_path / "all").glob("*.parquet"))]
    assert 0 < written[-1] <= max(written) < sum(written) - 1
    monkeypatch.setattr(row_limit, "MOST_RESULT_ROWS", sum(written) - 1)
    with pytest.raises(RunError, match=r"--results: .* rows to write .*changes of groups"):
        worker.step_through(text, None, given, 0, str(tmp_path / "more"))
    # What was written before is noted, also where each batch is a step of its own.
    state = worker.step_through(text, None, given[:-1], 0, str(tmp_path / "stream")).state
    with pytest.raises(RunError, match="rows to write"):
        worker.step_through(text, state, given[-1:], 0, str(tmp_path / "stream"))

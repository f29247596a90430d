"""Whole runs on Spark: both ways, any partitions and batches give one answer and one count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from planner.files.workload_file import dump_workload
from planner.statistics.generate import generate
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import TimeWindow
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.control.execute import run
from runtime.data.data_writer import write_folder
from runtime.data.feed import Span
from runtime.engines.join_feeds import multiway_feed as feed
from runtime.runs.history import History
from runtime.runs.records import Progress, Run, RunRequest, Way
from tests.oracles.joins import results_of
from tests.planner.workloads import HASHED, PER_VALUE, chain_query, equality_join
from tests.runtime.driving import Driven, compiled, drive

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

WARMUP, DURATION, SEED = 20, 40, 3
ROWS = [(10, 10, 50), (3, 20, 30), (4, 10, 8)]
LABEL = "S2,S1,S3"


def _workload(execution: Execution) -> Workload:
    settings = RunSettings(SEED, WARMUP, DURATION)
    return replace(equality_join(ROWS, execution), run=settings)


def _by_hand(workload: Workload) -> Driven:
    """The same plan, driven without Spark."""
    seconds = WARMUP + DURATION
    merged = feed(workload, generate(workload, seconds, SEED))
    span = Span(WARMUP * 1_000_000, seconds * 1_000_000)
    return drive(*compiled(workload, merged, span, label=LABEL), merged)


def _measured(ended: Run) -> tuple[object, ...]:
    """What must not depend on the way, the partitions or the batches."""
    assert ended.status == "finished"
    assert ended.measurement is not None
    return ended.measurement.answers, ended.measurement.results, ended.measurement.costs


def _check(execution: Execution, ways: list[tuple[Way, int, int | None]]) -> None:
    workload = _workload(execution)
    driven = _by_hand(workload)
    assert driven.tally.results > 100
    digest = f"{driven.tally.digest:016x}"
    for way, partitions, batch_rows in ways:
        request = RunRequest(workload, "join_order", LABEL, way, partitions, batch_rows)
        ended = run(request)
        expected = {"Q1": digest}, {"Q1": driven.tally.results}, driven.tally.costs
        assert _measured(ended) == expected, (way, partitions, batch_rows)
        assert ended.partitions == partitions
        assert History().get(ended.id).measurement == ended.measurement


def test_nested_loops() -> None:
    _check(Execution(), [("stream", 1, 400), ("stream", 2, 600), ("replay", 2, 100)])


def test_buckets() -> None:
    _check(HASHED, [("stream", 2, 300), ("replay", 1, None)])


@pytest.mark.slow
@pytest.mark.parametrize("execution", [Execution(), HASHED, PER_VALUE], ids=["nested", "5", "all"])
def test_every_join_in_every_way(execution: Execution) -> None:
    ways: list[Way] = ["stream", "replay"]
    _check(execution, [(way, p, rows) for way in ways for p in (1, 2, 3) for rows in (70, 500)])


def test_the_command_prints_one_json_document_and_writes_the_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = _workload(PER_VALUE)
    file, folder = tmp_path / "w.yaml", tmp_path / "results"
    file.write_text(dump_workload(workload))
    options = ["--plan", LABEL, "--partitions", "2", "--batch-rows", "300"]
    assert main(["run", str(file), *options, "--results", str(folder), "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out, parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
    driven = _by_hand(workload)
    assert document["answers"] == {"Q1": f"{driven.tally.digest:016x}"}
    assert document["results"] == {"Q1": len(driven.rows)}
    assert document["rows"].keys() == {"S1", "S2", "S3"}
    assert document["batches"] == 4
    assert set(document["cost"]["measured"]) == set(document["cost"]["predicted"])
    assert "Running: 4 of 4 micro-batches" in err
    written = pq.read_table(folder / "Q1.parquet")
    assert written.column_names == ["S1.seq", "S2.seq", "S3.seq", "ts"]
    assert [str(kind) for kind in written.schema.types] == ["int64"] * 3 + ["double"]
    rows = sorted(zip(*(column.to_pylist() for column in written.columns), strict=True))
    assert rows == [(*seqs, ts / 1_000_000) for *seqs, ts in driven.rows]


def test_generated_tuples_as_own_data_give_the_same_answer(tmp_path: Path) -> None:
    workload = _workload(HASHED)
    write_folder(generate(workload, WARMUP + DURATION, SEED), tmp_path)
    request = RunRequest(workload, "join_order", LABEL, "replay", data=tmp_path)
    ended = run(request)
    assert ended.measurement is not None
    assert ended.measurement.answers == {"Q1": f"{_by_hand(workload).tally.digest:016x}"}


def test_streams_of_own_data_in_another_order_are_not_taken_from_the_cache(tmp_path: Path) -> None:
    """Equal timestamps: the stream that stands first in the workload arrives first, and probes."""
    for name in ("S1", "S2"):
        (tmp_path / f"{name}.csv").write_text("ts,attr\n1,5\n2,6\n")
    workload = replace(equality_join(ROWS[:2]), run=RunSettings(warmup=0))
    turned = replace(workload, streams=workload.streams[::-1])
    matches = []
    for either in (workload, turned):
        ended = run(RunRequest(either, "join_order", "S1,S2", "replay", data=tmp_path))
        assert ended.measurement is not None
        probes = [op for op in ended.plan.operators() if op.kind == "probe"]
        costs = ended.measurement.costs
        matches.append({op.param("origin"): costs[op.id].rows_out for op in probes})
    assert matches == [{"S1": 0, "S2": 2}, {"S1": 2, "S2": 0}]


def test_own_data_with_missing_keys_and_an_alias_twice(tmp_path: Path) -> None:
    sources = {"a": ("X", TimeWindow(3)), "b": ("Y", TimeWindow(2)), "c": ("X", TimeWindow(1))}
    streams = equality_join(ROWS[:2], names=["X", "Y"]).streams
    workload = Workload("own", streams, (chain_query("Q1", sources),), execution=PER_VALUE)
    data = {
        "X": [(1, 7), (1, None), (2, 7), (4, 7), (9, 3)],
        "Y": [(1, 7), (3, None), (4, 7), (9, 3), (9, 8)],
    }
    for name, items in data.items():
        lines = [f"{second},{key or ''}\n" for second, key in items]
        (tmp_path / f"{name}.csv").write_text("ts,attr\n" + "".join(lines))
    results = tmp_path / "results"
    request = RunRequest(
        workload, "join_order", "best", "replay", 2, data=tmp_path, results=results
    )
    ended = run(request)
    written = pq.read_table(results / "Q1.parquet")
    rows = sorted(zip(*(column.to_pylist() for column in written.columns), strict=True))
    tuples = {
        name: [(second * 1_000_000, {"attr": key}) for second, key in items]
        for name, items in data.items()
    }
    expected = results_of(workload, tuples)
    assert expected
    assert rows == [(*seqs, ts / 1_000_000) for *seqs, ts in expected]
    assert any("Y.attr: missing in 1 of 5 rows" in warning for warning in ended.warnings)


def test_a_run_shorter_than_its_warm_up_measures_nothing_and_says_so(tmp_path: Path) -> None:
    """The join of a stream without a row, whose key's type no file tells, with one of texts."""
    (tmp_path / "S1.csv").write_text("ts,attr\n")
    (tmp_path / "S2.csv").write_text("ts,attr\n1,north\n5,south\n")
    seen: list[Progress] = []
    request = RunRequest(equality_join(ROWS[:2]), "join_order", "best", "stream", data=tmp_path)
    ended = run(request, seen.append)
    assert ended.measurement is not None
    assert ended.measurement.costs == {}
    assert ended.measurement.results == {"Q1": 0}
    assert ended.measurement.answers == {"Q1": "0" * 16}
    assert any("nothing was left to measure" in warning for warning in ended.warnings)
    assert any("S1: has no rows" in warning for warning in ended.warnings)
    assert seen[-1].share == 1


def test_streams_without_a_single_row_have_an_empty_answer(tmp_path: Path) -> None:
    for name in ("S1", "S2"):
        (tmp_path / f"{name}.csv").write_text("ts,attr\n")
    for way in ("stream", "replay"):
        request = RunRequest(equality_join(ROWS[:2]), "join_order", "best", way, data=tmp_path)
        ended = run(request)
        assert ended.measurement is not None
        assert ended.measurement.rows == {"S1": 0, "S2": 0}
        assert ended.measurement.results == {"Q1": 0}

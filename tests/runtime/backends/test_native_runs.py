"""Whole runs on Spark's own operators: the answers are those of the kernels, both ways."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.families.registry import family
from planner.files.tuple_table import Table
from planner.files.workload_file import dump_workload
from planner.statistics.generate import generate
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.control.execute import run
from runtime.data.data_writer import write_folder
from runtime.data.feed import Span
from runtime.engines.kernels.digest import as_text, digest_of
from runtime.runs.history import History
from runtime.runs.records import Run, RunRequest, Way
from runtime.runs.run_json import run_document
from tests.planner.aggregations import aggregation
from tests.planner.chains import FILTERED, joins
from tests.planner.workloads import equality_join
from tests.runtime.backends.test_native_description import coarse, graph, odd
from tests.runtime.driving import counted, feed_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SPAN = RunSettings(seed=5, warmup=8, duration=22)


def _expected(name: str, label: str, workload: Workload, tables: dict[str, Table]) -> dict:
    plan = family(name).space(workload).plan(label)
    span = Span(8_000_000, max(int(t.ts[-1]) for t in tables.values() if len(t.ts)))
    tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), span)
    found = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
    assert all(results for results, _ in found.values())
    roots = {root.param("query"): tally.costs[root.id].rows_out for root in plan.roots}
    return {query: (n, as_text(digest), roots[query]) for query, (n, digest) in found.items()}


def _found(ended: Run) -> dict:
    document = run_document(ended)
    assert document["backend"] == "native"
    outputs = [op for op in document["operators"] if op["kind"] == "output"]
    rates = {op["params"]["query"]: op["measured"] for op in outputs}
    return {
        query: (results, document["answers"][query], rates[query]["rows_out"])
        for query, results in document["results"].items()
    }


def _request(
    workload: Workload, name: str, label: str, way: Way, folder: Path, batch: int | None = None
) -> RunRequest:
    return RunRequest(
        workload, name, label, way, 2, batch_rows=batch, data=folder, backend="native"
    )


def test_a_join_of_streams_and_a_relation_as_a_stream(tmp_path: Path) -> None:
    """Times are coarse: tuples of one time, and windows that end exactly there, are many.

    One of its joins has no equality, which Spark's joins of streams cannot do without.
    """
    workload = replace(graph(missing=0.0), run=SPAN)
    tables = coarse(generate(workload, 30.0, seed=5))
    write_folder(tables, tmp_path)
    ended = run(_request(workload, "join_order", "a,b,c,r", "stream", tmp_path, 100))
    assert _found(ended) == _expected("join_order", "a,b,c,r", workload, tables)
    assert ended.measurement is not None
    told = ended.measurement.spark
    assert [join["join"] for join in told["joins"]] == ["a with b", "a, b with c", "a, b, c with r"]
    assert [join["state_rows"] is None for join in told["joins"]] == [False, False, True]
    assert told["joins"][2]["rows"] == ended.measurement.results["Q1"]
    assert told["input_rows"] == sum(len(tables[name]) for name in "ABC")
    assert all(join["rows_dropped_as_late"] == 0 for join in told["joins"])
    document = run_document(ended)
    assert document["cost"]["measured"]["comparisons"] is None
    assert document["cost"]["measured"]["state_tuples"] > 0
    assert document["seconds"]["kernel"] is None
    assert History().get(ended.id).measurement == ended.measurement


def test_the_command_replays_a_join_and_writes_its_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(10, 10, 50), (3, 20, 30), (4, 10, 8)]
    workload = replace(equality_join(rows), run=RunSettings(3, 20, 40))
    file, folder = tmp_path / "w.yaml", tmp_path / "results"
    file.write_text(dump_workload(workload))
    options = ["--plan", "S2,S1,S3", "--way", "replay", "--backend", "native", "--json"]
    assert main(["run", str(file), *options, "--results", str(folder)]) == 0
    document = json.loads(capsys.readouterr().out)
    written = pq.read_table(folder / "Q1.parquet")
    assert written.column_names == ["S1.seq", "S2.seq", "S3.seq", "ts"]
    members = np.stack([written.column(place).to_numpy() for place in range(3)], axis=1)
    assert document["answers"] == {"Q1": as_text(int(digest_of(np.ascontiguousarray(members))))}
    plan = family("join_order").space(workload).plan("S2,S1,S3")
    tables = generate(workload, 60.0, 3)
    tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 1))
    assert document["answers"] == {"Q1": as_text(tally.digest)}
    assert document["results"] == {"Q1": tally.results}


def test_names_and_text_of_users_reach_spark_as_they_are() -> None:
    workload = odd()
    tables = generate(workload, 25.0, 1)
    request = RunRequest(workload, "join_order", "best", "replay", 2, backend="native")
    measurement = run(request).measurement
    assert measurement is not None
    plan = family("join_order").space(workload).best()
    tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 1))
    assert tally.results
    assert list(measurement.answers.values()) == [as_text(tally.digest)]


@pytest.mark.parametrize(
    ("label", "way"),
    [
        ("chain:0-2-8-10", "stream"),
        pytest.param("push-down", "replay", marks=pytest.mark.slow),
    ],
)
def test_shared_joins(label: str, way: Way, tmp_path: Path) -> None:
    workload = replace(joins(FILTERED, rates=(8, 10)), run=SPAN)
    tables = coarse(generate(workload, 30.0, seed=5))
    write_folder(tables, tmp_path)
    ended = run(_request(workload, "sliced_chain", label, way, tmp_path, 200))
    assert _found(ended) == _expected("sliced_chain", label, workload, tables)
    document = run_document(ended)
    assert not any(join["rows_dropped_as_late"] for join in document["spark"]["joins"])
    probes = [op for op in document["operators"] if op["kind"] == "probe"]
    assert all(op["measured"]["rows_out"] is not None for op in probes)
    slices = [op for op in document["operators"] if op["kind"] == "slice"]
    held = [op["measured"] and op["measured"]["state_tuples"] for op in slices]
    assert all(held) if way == "stream" else not any(held)


@pytest.mark.parametrize("way", ["stream", "replay"])
def test_a_run_that_is_cancelled_ends_as_such_and_leaves_no_files(
    way: Way, tmp_path: Path, sluice_home: Path
) -> None:
    workload = replace(equality_join([(10, 10, 50), (3, 20, 30)]), run=SPAN)
    write_folder(generate(workload, 30.0, 1), tmp_path)
    cancel = threading.Event()
    request = _request(workload, "join_order", "S1,S2", way, tmp_path, 20)

    def on_progress(progress) -> None:
        if progress.phase == "Running":
            cancel.set()

    ended = run(request, on_progress, cancel)
    assert ended.status == "cancelled"
    assert not (sluice_home / "runs" / ended.id).exists()


def _aggregation(text: str) -> Workload:
    return replace(aggregation(text), run=RunSettings(seed=5, warmup=5, duration=30))


@pytest.mark.parametrize("label", ["LAP", "EAP-101"])
def test_an_aggregation_over_blocks(label: str, tmp_path: Path) -> None:
    workload = _aggregation(
        "SELECT S1.g, S2.k, COUNT(*), SUM(S1.x), AVG(S2.x), MIN(S1.x), MAX(S2.x), COUNT(S1.x) "
        "FROM S1 [TUMBLING 10], S2 [TUMBLING 10], R WHERE S1.j = S2.j AND S2.k >= R.p "
        "AND S1.g <> 2 GROUP BY S1.g, S2.k"
    )
    plan = family("early_aggregation").space(workload).plan(label)
    tables = generate(workload, 35.0, 5)
    tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 1))
    assert tally.results > 20
    request = RunRequest(
        workload, plan.family, label, "replay", 2, results=tmp_path, backend="native"
    )
    ended = run(request)
    assert ended.measurement is not None
    assert ended.measurement.results == {"Q1": tally.results}
    assert ended.measurement.answers == {"Q1": as_text(tally.digest)}
    written = pq.read_table(tmp_path / "Q1.parquet")
    assert written.column_names[:4] == ["window_start", "S1.g", "S2.k", "count(*)"]
    assert written.num_rows == tally.results
    document = run_document(ended)
    assert [join["join"] for join in document["spark"]["joins"]] == ["S1 with S2", "S1, S2 with R"]
    assert all(op["measured"] is None for op in document["operators"])


def test_distinct_values_of_one_stream(tmp_path: Path) -> None:
    workload = _aggregation("SELECT S1.g, COUNT(DISTINCT S1.x) FROM S1 [TUMBLING 10] GROUP BY S1.g")
    plan = family("early_aggregation").space(workload).plan("LAP")
    tables = generate(workload, 35.0, 5)
    tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 1))
    request = RunRequest(
        workload, plan.family, "LAP", "replay", 2, results=tmp_path, backend="native"
    )
    ended = run(request)
    assert ended.measurement is not None
    assert ended.measurement.answers == {"Q1": as_text(tally.digest)}

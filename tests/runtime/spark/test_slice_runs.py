"""Whole runs of several queries on Spark, with changes while they go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.workload.execution import Change, Execution, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.control.execute import run
from runtime.engines.kernels.digest import digest_of
from runtime.runs.history import History
from runtime.runs.records import RunRequest, Way
from runtime.runs.run_json import run_document

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

_EQUAL = (Predicate(Column("A", "k"), "=", Column("B", "k")),)


def _query(name: str, seconds: float, *filters: Filter) -> Query:
    window = TimeWindow(seconds)
    return Query(name, (Source("A", "A", window), Source("B", "B", window)), _EQUAL, filters)


def _workload(execution: Execution, changes: tuple[Change, ...]) -> Workload:
    streams = tuple(
        Stream(name, rate=8.0, attributes={"k": Attribute(6), "v": Attribute(10)}) for name in "AB"
    )
    queries = (_query("Q1", 2), _query("Q2", 8, Filter(Column("A", "v"), ">", 6)))
    settings = RunSettings(seed=4, warmup=8, duration=32, changes=changes)
    return Workload("several", streams, queries, execution=execution, run=settings)


def test_both_ways_give_every_query_its_answer_in_order_while_queries_change(
    tmp_path: Path,
) -> None:
    late = _query("Q3", 5, Filter(Column("B", "v"), "<=", 3))
    changes = (Change(15, add=late), Change(22, remove="Q1"), Change(30, plan="pull-up"))
    workload = _workload(Execution("hash", 3), changes)
    ways: list[tuple[Way, int, int]] = [("stream", 2, 150), ("replay", 1, 1000)]
    found = []
    for way, partitions, rows in ways:
        results = tmp_path / way
        request = RunRequest(
            workload, "sliced_chain", "mem-opt", way, partitions, rows, results=results
        )
        ended = run(request)
        measured = ended.measurement
        assert measured is not None
        assert History().get(ended.id).measurement == measured
        assert History().get(ended.id).plan == ended.plan
        document = run_document(ended)
        assert set(document["queues"]) == {"queued_tuples_max", "union_rows_max"}
        # At first every tuple is stored and probes: two entries in the queue of the first slice.
        queued = document["queues"]["queued_tuples_max"]
        assert queued <= 2 * rows
        assert queued > rows or way == "replay"
        assert {operator["id"] for operator in document["operators"]} == set(measured.costs)
        for query, digest in measured.answers.items():
            table = pq.read_table(results / f"{query}.parquet")
            assert table.column_names == ["A.seq", "B.seq", "ts"]
            ts = table.column("ts").to_numpy()
            assert len(ts) == measured.results[query] > 0
            assert (np.diff(ts) >= 0).all()
            seqs = np.stack([table.column(n).to_numpy() for n in ("A.seq", "B.seq")], axis=1)
            assert f"{int(digest_of(seqs)):016x}" == digest
        found.append((measured.answers, measured.results, measured.costs))
    assert found[0] == found[1]

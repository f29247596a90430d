"""Whole runs of a scheduled join on Spark: any way, any cut, and resumed, to the nanosecond."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.workload.execution import Change, Execution, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.engines.kernels.digest import digest_of
from runtime.runs.records import RunRequest
from runtime.runs.run_json import run_document
from tests.runtime.breaking_off import WAYS, measured, run_all_ways

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

_EQUAL = (Predicate(Column("A", "k"), "=", Column("B", "k")),)


def _query(name: str, seconds: float, *filters: Filter, deadline: float | None = None) -> Query:
    window = TimeWindow(seconds)
    sources = (Source("A", "A", window), Source("B", "B", window))
    return Query(name, sources, _EQUAL, filters, deadline=deadline)


def _workload() -> Workload:
    streams = tuple(
        Stream(name, rate=8.0, attributes={"k": Attribute(6), "v": Attribute(10)}) for name in "AB"
    )
    late = _query("Q3", 5, Filter(Column("B", "v"), "<=", 3))
    changes = (Change(15, add=late), Change(22, remove="Q1"), Change(30, plan="SWF"))
    return Workload(
        "scheduled",
        streams,
        (_query("Q1", 2, deadline=0.5), _query("Q2", 8, Filter(Column("A", "v"), ">", 6))),
        execution=Execution(
            "hash", 3, utilisation=0.9, unit_costs={"compare": 1e-6, "output": 1e-6}
        ),
        run=RunSettings(seed=4, warmup=8, duration=32, changes=changes),
    )


def test_both_ways_and_a_run_that_broke_off_agree_to_the_nanosecond(tmp_path: Path) -> None:
    """The record and the document say it all; every query's results are in order, in every run."""
    whole = run_all_ways(RunRequest(_workload(), "shared_schedule", "MQT"), tmp_path)
    found = measured(whole)
    document = run_document(whole)
    assert set(document["schedules"]) == {
        "LWO", "SWF", "MQT", "MQT (ties: smaller)", "EDF", "FAIR", "OUT", "isolated",
    }  # fmt: skip
    assert document["queries"]["Q1"]["measured"]["delay_ms"] == found.qualities["Q1"].delay_ms
    for query, digest in found.answers.items():
        tables = [pq.read_table(tmp_path / way / f"{query}.parquet") for way in WAYS]
        assert tables[0].equals(tables[1])
        assert tables[0].equals(tables[2])
        ts = tables[0].column("ts").to_numpy()
        assert len(ts) == found.results[query] > 0
        assert (np.diff(ts) >= 0).all()
        seqs = np.stack([tables[0].column(n).to_numpy() for n in ("A.seq", "B.seq")], axis=1)
        assert f"{int(digest_of(seqs)):016x}" == digest

"""Whole runs of a scheduled join on Spark: any way, any cut, and resumed, to the nanosecond."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.errors import RunError
from planner.plan.cost import Measurement
from planner.workload.execution import Change, Execution, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.control.execute import run
from runtime.control.resume import resume
from runtime.engines.kernels.digest import digest_of
from runtime.runs.history import History
from runtime.runs.records import Progress, Run, RunRequest
from runtime.runs.run_json import run_document

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


def _measured(ended: Run) -> Measurement:
    assert ended.measurement is not None
    return ended.measurement


def _same(one: Run, other: Run) -> None:
    """All that does not depend on the clock of the machine."""
    first, second = _measured(one), _measured(other)
    assert first.answers == second.answers
    assert first.results == second.results
    assert first.costs == second.costs
    assert first.qualities == second.qualities
    assert first.schedules == second.schedules


def test_both_ways_and_a_run_that_broke_off_agree_to_the_nanosecond(tmp_path: Path) -> None:
    request = RunRequest(
        _workload(), "shared_schedule", "MQT", "replay", results=tmp_path / "whole"
    )
    whole = run(request)
    cut = replace(request, way="stream", batch_rows=60, results=tmp_path / "cut")
    _same(run(cut), whole)

    def break_off(progress: Progress) -> None:
        if progress.batches_done == 4:
            raise OSError("no room left")

    with pytest.raises(RunError, match="was interrupted"):
        run(replace(cut, results=tmp_path / "resumed"), break_off)
    lost = History().runs(status="failed")[0]
    _same(resume(lost.id), whole)
    _check_kept(whole, tmp_path)


def _check_kept(whole: Run, folder: Path) -> None:
    """The record and the document say it all; every query's results are in order, in every run."""
    assert History().get(whole.id) == whole
    measured = _measured(whole)
    document = run_document(whole)
    assert set(document["schedules"]) == {
        "LWO", "SWF", "MQT", "MQT (ties: smaller)", "EDF", "FAIR", "OUT", "isolated",
    }  # fmt: skip
    assert document["queries"]["Q1"]["measured"]["delay_ms"] == measured.qualities["Q1"].delay_ms
    for query, digest in measured.answers.items():
        tables = [
            pq.read_table(folder / way / f"{query}.parquet") for way in ("whole", "cut", "resumed")
        ]
        assert tables[0].equals(tables[1])
        assert tables[0].equals(tables[2])
        ts = tables[0].column("ts").to_numpy()
        assert len(ts) == measured.results[query] > 0
        assert (np.diff(ts) >= 0).all()
        seqs = np.stack([tables[0].column(n).to_numpy() for n in ("A.seq", "B.seq")], axis=1)
        assert f"{int(digest_of(seqs)):016x}" == digest

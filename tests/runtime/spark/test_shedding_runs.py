"""Whole runs of a star join on Spark: any way, any cut, and resumed, with the same evictions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.files.workload_file import dump_workload, load_workload
from planner.workload.execution import Execution, RunSettings, Shedding
from planner.workload.query import Aggregate, Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import (
    Arrivals,
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.workload import Workload
from runtime.control.execute import run
from runtime.engines.kernels.digest import digest_of
from runtime.runs.history import History
from runtime.runs.records import RunRequest
from runtime.runs.run_json import run_document
from tests.runtime.breaking_off import WAYS, measured, run_all_ways

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def _workload() -> Workload:
    """Two streams that tick together, and a relation that changes."""
    worth = Attribute(type="float", importance_of=ImportanceOf("k", most=10))
    streams = tuple(
        Stream(
            name,
            8.0,
            {"k": Attribute(10), "worth": worth, "v": Attribute(10)},
            Arrivals("regular", phase=0.0),
            importance="worth",
        )
        for name in "RS"
    )
    relation = Relation(
        "F", 30, {"a": Attribute(10), "b": Attribute(10)}, RelationChanges(0.5, 0.5)
    )
    window = TimeWindow(4)
    query = Query(
        "Q",
        (Source("R", "R", window), Source("F", "F", None), Source("S", "S", window)),
        (
            Predicate(Column("R", "k"), "=", Column("F", "a")),
            Predicate(Column("S", "k"), "=", Column("F", "b")),
        ),
        (Filter(Column("R", "v"), "<=", 8),),
    )
    execution = Execution(memory=24, shedding=Shedding(access="scan"))
    settings = RunSettings(seed=4, warmup=4, duration=26)
    made = Workload("star", streams, (query,), (relation,), execution, run=settings)
    # As a file says it: the text of a query decides how its predicates stand.
    return load_workload(dump_workload(made))


def test_both_ways_and_a_run_that_was_interrupted_shed_the_same(tmp_path: Path) -> None:
    """The document has what was shed; files have the results."""
    whole = run_all_ways(RunRequest(_workload(), "load_shedding", "DGL-S"), tmp_path)
    found, document = measured(whole), run_document(whole)
    shed = document["shed"]
    assert shed["memory"] == {"R": 12, "S": 12}
    assert min(own["replaced"] for own in shed["evictions"].values()) > 0
    quality = document["queries"]["Q"]["measured"]
    assert 0 < quality["recall"] == found.results["Q"] / shed["exact"]["results"] < 1
    assert 0 < quality["importance"] < shed["exact"]["importance"]
    for way in WAYS:
        table = pq.read_table(tmp_path / way / "Q.parquet")
        names = ("R.seq", "F.seq", "S.seq")
        seqs = np.stack([table.column(name).to_numpy() for name in names], axis=1)
        assert f"{int(digest_of(seqs)):016x}" == found.answers["Q"]


def test_what_is_known_beforehand_finds_more_and_exactly_is_all() -> None:
    workload = _workload()
    found = {
        label: measured(run(RunRequest(workload, "load_shedding", label, "replay")))
        for label in ("EXACT", "OSSJ", "SJA-S", "RAND-S")
    }
    importance = {label: own.qualities["Q"].importance or 0 for label, own in found.items()}
    assert importance["EXACT"] > importance["OSSJ"] > importance["RAND-S"]
    assert found["SJA-S"].results["Q"] >= found["OSSJ"].results["Q"]
    joined = measured(run(RunRequest(workload, "join_order", "best", "replay")))
    assert joined.answers == found["EXACT"].answers
    less = replace(workload, execution=replace(workload.execution, memory=8))
    fewer = measured(run(RunRequest(less, "load_shedding", "OSSJ", "replay")))
    assert (fewer.qualities["Q"].importance or 0) < importance["OSSJ"]


def test_aggregates_have_their_error_in_the_record_and_in_files(tmp_path: Path) -> None:
    workload = _workload()
    (query,) = workload.queries
    own = Aggregate("count"), Aggregate("sum", Column("R", "v"))
    query = replace(query, aggregates=own, group_by=(Column("S", "v"),), text="")
    workload = load_workload(dump_workload(replace(workload, queries=(query,))))
    ended = run(RunRequest(workload, "load_shedding", "RAND-S", batch_rows=200, results=tmp_path))
    found = run_document(ended)["shed"]["aggregates"]
    assert found["meanings"] == ["unbiased", "unbiased"]
    assert len(found["over_time"]) == 20
    written = pq.read_table(tmp_path / "Q.parquet").to_pydict()
    assert written["S.v"] == [own["group"] for own in found["answer"]]
    assert written["count(*) error"] == [own["error"][0] for own in found["answer"]]
    assert History().get(ended.id) == ended


def test_partitions_split_the_memory_and_say_so() -> None:
    workload = _workload()
    query = workload.queries[0]
    one_key = tuple(Predicate(Column(alias, "k"), "=", Column("F", "a")) for alias in ("R", "S"))
    keyed = replace(workload, queries=(replace(query, predicates=one_key, text=""),))
    request = RunRequest(keyed, "load_shedding", "SIMP-S", "replay")
    assert not any("memory is split" in text for text in run(request).warnings)
    split = run(replace(request, partitions=2))
    assert any("memory is split" in text for text in split.warnings)
    assert 0 < (measured(split).qualities["Q"].recall or 0) < 1

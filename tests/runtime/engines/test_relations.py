"""Joins with relations: generated, read from files, predicted beside measured, and run on Spark."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.errors import PlanError, RunError
from planner.families.registry import family
from planner.files.own_data import read_folder
from planner.files.tuple_table import FIRST, LAST
from planner.files.workload_file import dump_workload, load_workload
from planner.plan.cost import Cost, total
from planner.statistics.generate import generate
from planner.statistics.inference import infer
from planner.workload.execution import Every, Execution, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Relation, RelationChanges, Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.control.execute import run
from runtime.data.batch import Batch
from runtime.data.data_writer import write_folder
from runtime.data.feed import Span, Split
from runtime.data.folders import PROJECT
from runtime.engines.join_feeds import loop_feed
from runtime.engines.kernels.digest import as_text, digest_of
from runtime.engines.protocol import Tally
from runtime.runs.records import RunRequest
from tests.oracles.joins import results_of
from tests.runtime.driving import program_of

TOLERANCE = 0.05
SEEDS = range(4)


def _workload(
    changes: RelationChanges,
    execution: Execution | None = None,
    rows: int | None = 60,
    seconds: float = 3000,
) -> Workload:
    """Two streams, one of them linked with a filtered relation."""
    streams = (
        Stream("A", 4, {"k": Attribute(20), "c": Attribute(30)}),
        Stream("B", 3, {"k": Attribute(25)}),
    )
    relation = Relation("R", rows, {"c": Attribute(30), "v": Attribute(10)}, changes)
    query = Query(
        "Q1",
        (
            Source("A", "A", TimeWindow(20)),
            Source("B", "B", TimeWindow(40)),
            Source("R", "R", None),
        ),
        (
            Predicate(Column("A", "k"), "=", Column("B", "k")),
            Predicate(Column("A", "c"), "=", Column("R", "c")),
        ),
        (Filter(Column("R", "v"), "<=", 8),),
    )
    settings = RunSettings(seed=3, duration=seconds)
    execution = execution or Execution()
    return Workload("with a relation", streams, (query,), (relation,), execution, run=settings)


def _measured(workload: Workload, label: str, seed: int) -> Tally:
    seconds = workload.warmup + workload.run.duration
    feed = loop_feed(workload, generate(workload, seconds, seed))
    span = Span(microseconds(workload.warmup), microseconds(seconds))
    plan = family("join_order").space(workload).plan(label)
    split = Split(1, None)
    program = program_of(plan, workload, feed, span, split)
    batch = Batch(feed.tuples, span.end, last=True).pack()
    return program.tally([program.step(None, batch, 0, most_rows=0).totals], plan)


LAZY = Execution(join="hash", evaluate=Every(5), expire=Every(10))


@pytest.mark.parametrize("label", ["A,R,B", "naive:R,A,B"])
@pytest.mark.parametrize(
    "workload",
    [
        _workload(RelationChanges()),
        _workload(RelationChanges(2, 2)),
        _workload(RelationChanges(0.1, 0.05)),
        _workload(RelationChanges(2, 2), Execution(join="hash", buckets=4)),
        _workload(RelationChanges(4, 4), LAZY),
        _workload(RelationChanges(2, 2), Execution(expire=Every(5))),
    ],
    ids=["static", "changing", "growing", "hashed", "lazy", "expired late"],
)
def test_measured_work_is_as_predicted(workload: Workload, label: str) -> None:
    plan = family("join_order").space(workload).plan(label)
    roots = [root.id for root in plan.roots]
    estimate = family("join_order").space(workload).estimate(plan)
    costs = [total(_measured(workload, label, seed).costs, roots) for seed in SEEDS]
    mean = {name: value / len(SEEDS) for name, value in sum(costs, Cost()).as_dict().items()}
    assert mean == pytest.approx(total(estimate.costs, roots).as_dict(), rel=TOLERANCE)


def test_every_candidate_of_the_sample_gives_one_answer() -> None:
    sample = load_workload((PROJECT / "sample_data" / "customer-flows.yaml").read_bytes())
    workload = replace(sample, run=RunSettings(warmup=10, duration=50))
    labels = [plan.label for plan in islice(family("join_order").space(workload).candidates(), 24)]
    tallies = [_measured(workload, label, seed=5) for label in labels]
    assert len(labels) > 6
    assert tallies[0].results > 100
    assert len({(tally.results, tally.digest) for tally in tallies}) == 1


def test_a_relation_gains_and_loses_rows_as_declared() -> None:
    table = generate(_workload(RelationChanges(2, 1)), 1000, 1)["R"]
    assert table.begin is not None
    assert table.end is not None
    assert (table.begin == FIRST).sum() == 60
    assert len(table) == pytest.approx(60 + 2000, abs=1)
    ended = table.end != LAST
    assert ended.sum() == pytest.approx(1000, abs=1)
    assert (table.begin <= table.end).all()
    # Any active row may be the one that ends, not the oldest alone.
    assert (np.diff(table.end[ended]) < 0).any()


def test_a_relation_that_has_lost_all_its_rows_loses_no_more() -> None:
    table = generate(_workload(RelationChanges(0, 5), rows=10), 100, 1)["R"]
    assert table.end is not None
    assert (table.end < 3_000_000).all()


def test_the_same_seed_gives_the_same_rows_whatever_the_streams() -> None:
    workload = _workload(RelationChanges(1, 1))
    more = replace(workload, streams=(*workload.streams, Stream("C", 1)))
    one, other = (generate(w, 100, 5)["R"] for w in (workload, more))
    assert np.array_equal(one.end, other.end)
    assert np.array_equal(one.columns["c"].values, other.columns["c"].values)


def test_a_relation_without_rows_cannot_be_generated() -> None:
    with pytest.raises(RunError, match=r"relations\.R\.rows: has no rows to generate"):
        generate(_workload(RelationChanges(), rows=None), 10, 1)


def test_rows_and_changes_are_inferred_from_begin_and_end(tmp_path: Path) -> None:
    known = _workload(RelationChanges(0.5, 0.2), seconds=400)
    write_folder(generate(known, known.warmup + 400, 1), tmp_path)
    relation = replace(known.relations[0], rows=None, changes=RelationChanges())
    unknown = replace(known, relations=(relation,), run=RunSettings(duration=1))
    inferred, origins = infer(unknown, read_folder(tmp_path, unknown).tables)
    assert inferred.relations[0].rows == pytest.approx(60, abs=2)
    assert inferred.relations[0].changes.inserts == pytest.approx(0.5, rel=0.02)
    assert inferred.relations[0].changes.deletes == pytest.approx(0.2, rel=0.02)
    assert inferred.run.duration == pytest.approx(400, rel=0.02)
    places = {o.place for o in origins if o.origin == "inferred from data"}
    assert {"relations.R.rows", "relations.R.changes.inserts"} <= places


def test_a_row_that_ends_before_it_begins_is_named(tmp_path: Path) -> None:
    (tmp_path / "A.csv").write_text("ts,k,c\n1,1,1\n")
    (tmp_path / "B.csv").write_text("ts,k\n1,1\n")
    (tmp_path / "R.csv").write_text("c,v,begin,end\n1,1,2,2\n1,1,5,3\n")
    with pytest.raises(PlanError, match=r"R\.csv: row 2 ends before it begins"):
        read_folder(tmp_path, _workload(RelationChanges()))


ROWS = [(None, 4.0), (2.0, None), (3.0, 3.0), (4.0, 9.0), (None, None), (None, 2.0), (2.0, 4.0)]


@pytest.mark.spark
def test_own_data_with_begin_and_end_both_ways(tmp_path: Path, spark: object) -> None:
    assert spark
    times = [2.0, 2.0, 3.5, 4.0, 6.0]
    lines = [f"{ts},1,{key}" for ts, key in zip(times, ["1", "1", "", "1", "1"], strict=True)]
    (tmp_path / "A.csv").write_text("\n".join(["ts,k,c", *lines]))
    (tmp_path / "B.csv").write_text("ts,k\n2,1\n4,1\n5,1\n")
    shown = [f"1,1,{'' if b is None else b},{'' if e is None else e}" for b, e in ROWS]
    (tmp_path / "R.csv").write_text("\n".join(["c,v,begin,end", *shown]))
    workload = _workload(RelationChanges())
    data = {
        "A": [(int(ts * 1e6), {"k": 1, "c": None if ts == 3.5 else 1}) for ts in times],
        "B": [(ts * 1_000_000, {"k": 1}) for ts in (2, 4, 5)],
        "R": [
            (
                (FIRST if b is None else int(b * 1e6), LAST if e is None else int(e * 1e6)),
                {"c": 1, "v": 1},
            )
            for b, e in ROWS
        ],
    }
    expected = results_of(workload, data)
    assert expected
    for way, partitions, label in (("replay", 1, "A,R,B"), ("stream", 2, "naive:R,A,B")):
        results = tmp_path / way
        done = run(
            RunRequest(workload, "join_order", label, way, partitions, 3, tmp_path, results=results)
        )
        assert done.measurement is not None
        table = pq.read_table(results / "Q1.parquet")
        assert table.column_names == ["A.seq", "B.seq", "R.seq", "ts"]
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        assert sorted((*row[:3], round(row[3] * 1e6)) for row in rows) == expected
        members = np.array(expected, np.int64)[:, :3]
        assert done.measurement.answers == {"Q1": as_text(int(digest_of(members)))}
        assert done.measurement.rows == {"A": 5, "B": 3, "R": 7}


@pytest.mark.spark
def test_written_data_give_the_same_answer_and_counts(
    tmp_path: Path, spark: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark
    workload, file, data = (
        _workload(RelationChanges(2, 2), seconds=60),
        tmp_path / "w.yaml",
        tmp_path / "d",
    )
    file.write_text(dump_workload(workload))
    assert main(["generate", str(file), str(data)]) == 0
    documents = []
    for more in (
        ["--way", "replay", "--partitions", "1"],
        ["--way", "stream", "--partitions", "2", "--batch-rows", "150"],
        ["--way", "replay", "--data", str(data)],
    ):
        capsys.readouterr()
        assert main(["run", str(file), "--json", *more]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    plain, streamed, own = documents
    assert plain["results"]["Q1"] > 100
    assert plain["answers"] == streamed["answers"] == own["answers"]
    assert plain["cost"]["measured"] == pytest.approx(streamed["cost"]["measured"])
    assert plain["rows"] == own["rows"]
    assert plain["rows"]["R"] == pytest.approx(60 + 2 * 100, abs=1)

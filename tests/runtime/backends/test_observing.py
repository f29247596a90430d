"""Statistics of a run: near the truth, and the same whatever the partitions and after a kill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.families.protocol import Family
from planner.families.registry import FAMILIES
from planner.files.workload_file import load_workload
from planner.statistics.observed import BatchStatistics, ValueStatistics
from planner.statistics.observed_workload import observed_workload
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.backends.kernels.batch_sketches import sketch_of_batch
from runtime.backends.kernels.observing import MOST_OBSERVED, Observing
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.data.batch import Batch
from runtime.data.batch_seal import opened
from runtime.engines.watching.sketched import Sketch, Sketcher
from runtime.runs.records import RunRequest
from runtime.spark.worker import step_through
from tests.damage import flipped
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES
from tests.planner.shedding import STAR_SAMPLES
from tests.planner.workloads import SAMPLES

WORKLOADS = (SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES | STAR_SAMPLES).values()

FILTERED = load_workload("""
version: 1
name: filtered
streams:
  - {name: A, rate: 40, attributes: {k: {distinct: 30}, v: {distinct: 10}}}
  - {name: B, rate: 20, arrivals: {pareto: {burst: 4}}, attributes: {k: {distinct: 30}}}
queries:
  - {name: Q, text: "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k AND A.v > 4"}
execution: {join: hash, buckets: 6}
run: {seed: 3, warmup: 0, duration: 120}
""")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))


def _prepared(
    workload: Workload, family: str, partitions: int, rows: int = 400
) -> PreparedKernelRun:
    request = RunRequest(
        workload, family, "best", batch_rows=rows, partitions=partitions, watch=True
    )
    return prepare(request, partitions)


def _observed(
    prepared: PreparedKernelRun, folder: Path, kill_after: int | None = None
) -> list[BatchStatistics]:
    """What a run sees whose partitions are stepped side by side."""
    assert prepared.sketches is not None
    folder.mkdir(exist_ok=True)
    observing = Observing(folder, prepared, prepared.sketches)
    states: list[bytes | None] = [None] * prepared.partitions
    text, sketching = prepared.program.to_json(), prepared.sketches.to_json()
    for batch in range(prepared.batches.batches):
        sketches = []
        for row in pq.read_table(prepared.batches.file(batch)).to_pylist():
            for partition in row["partitions"]:
                given = [(batch, row["tuples"])]
                stepped = step_through(
                    text, states[partition], given, partition, None, sketching=sketching
                )
                assert stepped.sketch is not None
                states[partition] = stepped.state
                sketches.append(stepped.sketch)
        observing.take(batch, sketches)
        if batch == kill_after:
            # What it saw is on disk, but its totals are not: it comes again.
            observing = Observing(folder, prepared, prepared.sketches)
            assert observing.resume(batch)
            observing.take(batch, sketches)
    assert 0 < observing.seconds < 10
    return observing.timeline


@pytest.mark.parametrize("known", FAMILIES, ids=lambda known: known.name)
def test_partitions_see_the_same_together(known: Family, tmp_path: Path) -> None:
    workload = next(one for one in WORKLOADS if known.refuses(one) is None)
    short = replace(workload, run=RunSettings(seed=5, warmup=0, duration=20))
    runs = [_prepared(short, known.name, count, 60) for count in (1, 3)]
    one, three = (_observed(run, tmp_path / str(n)) for n, run in enumerate(runs))
    assert one == three
    assert len(one) > 1
    rows = sum(found.tuples for batch in one for found in batch.streams.values())
    names = one[0].streams
    assert rows == sum(runs[0].batches.rows[name] for name in names)


def test_a_killed_run_sees_the_same(tmp_path: Path) -> None:
    prepared = _prepared(FILTERED, "join_order", 2)
    whole = _observed(prepared, tmp_path / "whole")
    assert len(whole) > 8
    assert _observed(prepared, tmp_path / "killed", kill_after=7) == whole


def test_damaged_statistics_are_not_used(tmp_path: Path) -> None:
    prepared = _prepared(FILTERED, "join_order", 1)
    _observed(prepared, tmp_path)
    assert prepared.sketches is not None
    observing = Observing(tmp_path, prepared, prepared.sketches)
    done = prepared.batches.batches
    assert observing.resume(done)
    file = tmp_path / "observed.jsonl"
    sound = file.read_bytes()
    file.write_bytes(flipped(sound))
    assert not observing.resume(done)
    # Killed while its last line was written: that of a batch whose totals were not.
    file.write_bytes(sound[:-20])
    assert not observing.resume(done)
    assert observing.resume(done - 1)
    observing.take(done - 1, [sketch_of_batch(prepared, done - 1).packed()])
    whole = observing.timeline
    assert observing.resume(done)
    assert observing.timeline == whole


def test_sketches_do_not_depend_on_where_blocks_end() -> None:
    """More tuples than a block of the kernel has, against a count of each."""
    prepared = _prepared(FILTERED, "join_order", 1, 9_000)
    plan = prepared.sketches
    assert plan is not None
    plan = replace(plan, masks=[3, 1])
    (row,) = pq.read_table(prepared.batches.file(0)).to_pylist()
    batch = opened(row["tuples"], 0, 0)
    made = Sketch.unpacked(Sketcher(plan, prepared.program.form).sketch(batch, 0))
    tuples = Batch.unpack(batch, prepared.program.form).tuples
    assert len(tuples.source) > 4_096
    golden = 0x9E3779B97F4A7C15
    for place, mask in enumerate(plan.masks):
        own = tuples.source == place
        seen = own & [((int(ts) * golden % 2**64) >> 32) & mask == 0 for ts in tuples.ts]
        assert made.arrived[place] == own.sum()
        assert 0 < made.taken[place] == seen.sum() < own.sum()
        (column,) = (n for n, known in enumerate(plan.columns) if known.place == place)
        keys = np.bincount(tuples.keys[seen, 0], minlength=plan.counters)
        assert made.counters[column].tolist() == keys.tolist()


def test_many_batches_are_observed_at_times(tmp_path: Path) -> None:
    prepared = _prepared(FILTERED, "join_order", 1, 60)
    assert prepared.batches.batches > 2 * MOST_OBSERVED
    seen = [batch.batch for batch in _observed(prepared, tmp_path, kill_after=6)]
    assert len(seen) in range(MOST_OBSERVED // 2, MOST_OBSERVED + 1)
    assert set(np.diff(seen)) == {seen[1]}


def test_of_many_tuples_some_are_looked_at(tmp_path: Path) -> None:
    run = replace(FILTERED.run, duration=1_500)
    prepared = _prepared(replace(FILTERED, run=run), "join_order", 1, 30_000)
    assert prepared.sketches is not None
    assert any(prepared.sketches.masks)
    timeline = _observed(prepared, tmp_path)
    first = timeline[0]
    assert sum(found.tuples for found in first.streams.values()) == 30_000
    assert first.streams["A"].burst.holds(1)
    assert first.streams["B"].burst.value > 2
    assert first.pairs["A.k = B.k"].widened(4).holds(1 / 30)
    assert first.filters["A.v > 4"].widened(4).holds(0.6)


def test_statistics_are_those_that_are_declared(tmp_path: Path) -> None:
    prepared = _prepared(FILTERED, "join_order", 1, 1200)
    timeline = _observed(prepared, tmp_path)
    last = timeline[-2]
    rates = [batch.streams["A"].rate for batch in timeline[:-1]]
    assert np.mean([rate.value for rate in rates]) == pytest.approx(40, rel=0.1)
    assert all(rate.low < 46 and (rate.high or 0) > 34 for rate in rates)
    assert last.streams["A"].burst.holds(1)
    assert last.streams["B"].burst.value > 2
    assert last.streams["A"].keys["k"].distinct.value == pytest.approx(30, rel=0.01)
    assert last.pairs["A.k = B.k"].value == pytest.approx(1 / 30, rel=0.3)
    assert last.filters["A.v > 4"].holds(0.6)
    keys = {stream: found.keys for stream, found in last.streams.items()}
    assert observed_workload(FILTERED, ValueStatistics(keys, last.pairs, last.filters)) == FILTERED

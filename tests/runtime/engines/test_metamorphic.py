"""Changes to a workload that must not change its answer, or must change it in a known way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from planner.workload.query import Predicate, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.join_feeds import multiway_feed as feed
from tests.planner.workloads import TABLE_5, chain_query, equality_join
from tests.runtime.driving import Driven, as_lists, compiled, drive

WARMUP, SECONDS = 40, 120
JOINS = pytest.mark.parametrize(
    "execution",
    [Execution(), Execution(join="hash", buckets=5), Execution(join="hash")],
    ids=["nested", "buckets", "per value"],
)
ROWS = [(rate, seconds / 4, distinct) for rate, seconds, distinct in TABLE_5]


def _driven(
    workload: Workload,
    tables: dict[str, Table] | None = None,
    shift: int = 0,
    cuts: range = range(0),
    label: str = "multiway",
) -> Driven:
    merged = feed(workload, tables or generate(workload, SECONDS, seed=5))
    span = Span(WARMUP * 1_000_000 + shift, SECONDS * 1_000_000 + shift)
    program, plan, split = compiled(workload, merged, span, partitions=2, label=label)
    return drive(program, plan, split, merged, cuts)


@JOINS
def test_streams_by_other_names_give_the_same(execution: Execution) -> None:
    named = equality_join(ROWS, execution, ["ticks", "S1", "Ω", "select"])
    # Named, since ties for the best order are settled by the names.
    mine = _driven(equality_join(ROWS, execution), label="S1,S2,S3,S4")
    other = _driven(named, label="ticks,S1,Ω,select")
    assert mine.rows
    assert other.rows == mine.rows
    assert as_lists(other.counters) == as_lists(mine.counters)


@JOINS
@pytest.mark.parametrize("seconds", [1_700_000_000, -5_000])
def test_all_timestamps_shifted_move_nothing_but_the_results_times(
    execution: Execution, seconds: int
) -> None:
    workload, shift = equality_join(ROWS, execution), seconds * 1_000_000
    tables = generate(workload, SECONDS, seed=5)
    shifted = {name: replace(table, ts=table.ts + shift) for name, table in tables.items()}
    mine, other = _driven(workload, tables), _driven(workload, shifted, shift)
    assert other.rows == [(*seqs, ts + shift) for *seqs, ts in mine.rows]
    assert other.tally.digest == mine.tally.digest
    assert as_lists(other.counters) == as_lists(mine.counters)


@JOINS
def test_batches_cut_elsewhere_give_the_same(execution: Execution) -> None:
    workload = equality_join(ROWS, execution)
    mine = _driven(workload)
    for step in (1000, 313, 17):
        other = _driven(workload, cuts=range(0, 10_000, step))
        assert other.rows == mine.rows
        assert as_lists(other.counters) == as_lists(mine.counters)


def test_every_order_gives_the_same_answer_and_only_other_comparisons() -> None:
    workload = equality_join(ROWS)
    mine = _driven(workload)
    for label in ("S4,S3,S2,S1", "S2,S4,S1,S3", "S3,S1,S4,S2"):
        other = _driven(workload, label=label)
        assert other.rows == mine.rows
        probing = ["comparisons", "matches"]
        assert as_lists(other.counters, probing) == as_lists(mine.counters, probing)


def test_a_stream_that_no_query_reads_changes_nothing() -> None:
    workload = equality_join(ROWS)
    more = replace(workload, streams=(*workload.streams, Stream("idle", 50, {"x": Attribute(2)})))
    assert _driven(more).rows == _driven(workload).rows


def test_predicates_written_otherwise_change_nothing() -> None:
    workload = equality_join(ROWS)
    (query,) = workload.queries
    turned = tuple(Predicate(p.right, p.comparison, p.left) for p in reversed(query.predicates))
    other = replace(workload, queries=(replace(query, predicates=turned),))
    assert _driven(other).rows == _driven(workload).rows


def test_sources_in_another_order_give_the_same_rows_with_columns_exchanged() -> None:
    streams = equality_join(ROWS[:2]).streams
    windows = {"S1": TimeWindow(25), "S2": TimeWindow(10)}
    there = {name: (name, window) for name, window in windows.items()}
    back = dict(reversed(there.items()))
    mine = _driven(Workload("there", streams, (chain_query("Q1", there),)))
    other = _driven(Workload("back", streams, (chain_query("Q1", back),)))
    assert sorted((a, b, ts) for b, a, ts in other.rows) == mine.rows


def test_the_same_query_twice_gives_each_the_same_answer() -> None:
    workload = equality_join(ROWS)
    (query,) = workload.queries
    twice = replace(workload, queries=(query, replace(query, name="Q2")))
    for name in ("Q1", "Q2"):
        assert _driven(twice.only(name)).rows == _driven(workload).rows

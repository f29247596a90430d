"""Own data with numbers of 64 bits: every family that covers a join finds what SQL finds."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from planner.errors import PlanError
from planner.families.registry import FAMILIES
from planner.files.query.text import parse_query
from planner.files.tuple_table import Table
from planner.workload.streams import Stream
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.data.run_data import with_data
from runtime.engines.protocol import Tally
from tests.oracles.in_duckdb.joins import duckdb_rows
from tests.runtime.driving import counted, feed_of

LARGE = 2**60
IDS = 1_800_000_000_000_000_001


def _read(
    folder: Path, condition: str, a: dict[str, list[float]], b: dict[str, list[float]]
) -> tuple[Workload, dict[str, Table]]:
    for name, columns in (("A", {"ts": [0], **a}), ("B", {"ts": [1], **b})):
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    query = parse_query(f"SELECT * FROM A [RANGE 9], B [RANGE 9] WHERE {condition}", "Q1")
    workload = Workload("large", (Stream("A", 1.0), Stream("B", 1.0)), (query,))
    filled, tables, _ = with_data(workload, folder)
    assert tables is not None
    return filled, tables


def _results(workload: Workload, tables: dict[str, Table]) -> set[int]:
    found = set()
    for known in FAMILIES:
        if known.refuses(workload) is None:
            for plan in islice(known.space(workload).candidates(), 4):
                tally: Tally = counted(
                    plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 10**7)
                )
                by_query = tally.by_query or {"Q1": (tally.results, 0)}
                found.add(by_query["Q1"][0])
    return found


@pytest.mark.parametrize(
    ("condition", "a", "b", "rows"),
    [
        ("A.id > B.id AND A.x > 0.5", LARGE + 1, LARGE, 1),
        ("A.id < B.id AND A.x > 0.5", LARGE + 1, LARGE, 0),
        (f"A.id = B.id AND A.id = {IDS + 1}", IDS, IDS, 0),
        (f"A.id = B.id AND A.id = {IDS}", IDS, IDS, 1),
        (f"A.id = B.id AND A.id > {IDS - 1} AND A.id < {IDS + 1}", IDS, IDS, 1),
        ("A.id > B.id", 2**63 - 1, -(2**63), 1),
        ("A.id > B.id AND A.id >= 9223372036854775807", 2**63 - 1, 2**63 - 2, 1),
        ("A.id > B.id AND B.id <= -9223372036854775808", 0, -(2**63), 1),
        ("A.id > B.id + 1", LARGE + 2, LARGE, 1),
        ("A.id > B.id + 2", LARGE + 2, LARGE, 0),
    ],
)
def test_whole_numbers_are_compared_exactly(
    tmp_path: Path, condition: str, a: int, b: int, rows: int
) -> None:
    workload, tables = _read(tmp_path, condition, {"id": [a], "x": [1.5]}, {"id": [b], "x": [1.5]})
    assert _results(workload, tables) == {rows}
    assert len(duckdb_rows(workload.queries[0], tables)) == rows


@pytest.mark.parametrize("comparison", ["=", "<"])
def test_a_fraction_is_not_compared_with_them(tmp_path: Path, comparison: str) -> None:
    with pytest.raises(PlanError, match=f"A.id holds {LARGE}.*make B.x whole numbers too"):
        _read(tmp_path, f"A.id {comparison} B.x", {"id": [LARGE]}, {"x": [1.5]})

"""NEXMark's queries on the sample's files: every plan's answer is that of the benchmark's SQL.

What Sluice refuses of a query is done here with its answer, as docs/NEXMARK.md says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bench.joins.nexmark import AUCTIONS, PERSONS, ROUND, nexmark
from planner.families.registry import chosen_plan, family
from planner.files.own_data import read_folder
from planner.files.workload_file import load_workload
from planner.statistics.inference import infer
from runtime.data.feed import Span, Split
from tests.runtime.aggregating import aggregated
from tests.runtime.driving import feed_of, program_of, stepped

SAMPLES = Path(__file__).parents[3] / "sample_data"
STREAMS = ("person", "auction", "bid")
SECOND = 1_000_000

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def sql() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the sample's three streams, whose rows are numbered as `seq`."""
    with duckdb.connect() as connection:
        for name in STREAMS:
            table = pq.read_table(SAMPLES / "nexmark" / f"{name}.parquet")
            numbered = table.append_column("seq", pa.array(range(table.num_rows)))
            connection.register(name, numbered)
        yield connection


def _prepared(query: str) -> tuple[Any, Any]:
    """The workload of one query with what its files say, and their tuples."""
    workload = load_workload((SAMPLES / "nexmark.yaml").read_bytes()).only(query)
    tables = read_folder(SAMPLES / "nexmark", workload).tables
    return infer(workload, tables)[0], tables


def _groups(query: str) -> Rows:
    """The answer of an aggregation, the same under all of its plans."""
    workload, tables = _prepared(query)
    space = family("early_aggregation").space(workload)
    answers = []
    for plan in space.plans(space.labels):
        found = aggregated(workload, tables, plan, cuts=(3_000, 12_000)).answer
        answers.append(sorted((*group, *values) for group, values in found.items()))
    assert all(answer == answers[0] for answer in answers)
    return answers[0]


def _answer(sql: duckdb.DuckDBPyConnection, rows: Rows, *columns: str) -> None:
    """Let SQL read the rows of an answer under the name of `answer`."""
    values = zip(*rows, strict=True)
    sql.register("answer", pa.table(dict(zip(columns, map(list, values), strict=True))))


def test_the_sample_is_what_the_script_writes() -> None:
    for name, table in nexmark(20_000, 20.0, 7).items():
        assert pq.read_table(SAMPLES / "nexmark" / f"{name}.parquet").equals(table), name


def test_keys_refer_to_what_arrived_before(sql: duckdb.DuckDBPyConnection) -> None:
    assert {n: sql.table(n).shape[0] * ROUND // 20_000 for n in STREAMS} == {
        "person": PERSONS,
        "auction": AUCTIONS,
        "bid": ROUND - PERSONS - AUCTIONS,
    }
    for stream, key, other in [
        ("bid", "auction", "auction"),
        ("bid", "bidder", "person"),
        ("auction", "seller", "person"),
    ]:
        joined = f"FROM {stream} s JOIN {other} o ON s.{key} = o.id AND o.ts < s.ts"
        assert sql.sql(f"SELECT count(*) {joined}").fetchall() == [(sql.table(stream).shape[0],)]
    hot = "SELECT max(n) FROM (SELECT count(*) AS n FROM bid GROUP BY auction)"
    ((most,),) = sql.sql(hot).fetchall()
    assert most > 20 * sql.table("bid").shape[0] / sql.table("auction").shape[0]


def test_q3_local_items(sql: duckdb.DuckDBPyConnection) -> None:
    workload, tables = _prepared("Q3")
    space = family("join_order").space(workload)
    plan = chosen_plan(space, "best")
    feed = feed_of(plan, workload)(workload, tables)
    split = Split(1, None)
    program = program_of(plan, workload, feed, Span(0, 1000 * SECOND), split)
    rows, _ = stepped(program, split, feed, (500,), keep_rows=True)
    expected = sql.sql(
        "SELECT a.seq, p.seq FROM auction a JOIN person p ON a.seller = p.id "
        "WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA')"
    ).fetchall()
    assert len(expected) > 30
    assert sorted(row[:2] for row in rows) == sorted(expected)


WON = (
    "FROM auction a JOIN bid b ON a.id = b.auction "
    "WHERE b.date_time BETWEEN a.date_time AND a.expires"
)


def test_q4_average_price_of_a_category(sql: duckdb.DuckDBPyConnection) -> None:
    _answer(sql, _groups("Q4"), "id", "category", "final")
    found = sql.sql("SELECT category, avg(final) FROM answer GROUP BY 1 ORDER BY 1").fetchall()
    nested = f"SELECT max(b.price) AS final, a.category {WON} GROUP BY a.id, a.category"
    expected = f"SELECT category, avg(final) FROM ({nested}) GROUP BY 1 ORDER BY 1"
    assert found == sql.sql(expected).fetchall()
    assert len(found) == 5


def test_q5_hot_items(sql: duckdb.DuckDBPyConnection) -> None:
    _answer(sql, _groups("Q5"), "auction", "bids")
    hottest = "SELECT auction, bids FROM {} QUALIFY bids = max(bids) OVER () ORDER BY 1"
    last = "(SELECT auction, count(*) AS bids FROM bid WHERE ts > (SELECT max(ts) FROM bid) - 10"
    expected = sql.sql(hottest.format(f"{last} GROUP BY 1)")).fetchall()
    assert sql.sql(hottest.format("answer")).fetchall() == expected


def test_q7_highest_bid_of_ten_seconds(sql: duckdb.DuckDBPyConnection) -> None:
    _answer(sql, _groups("Q7"), "window_start", "price")
    found = sql.sql(
        "SELECT b.auction, b.price, b.bidder, b.ts FROM answer a "
        "JOIN bid b ON b.price = a.price AND b.ts >= window_start AND b.ts < window_start + 10 "
        "ORDER BY b.ts"
    ).fetchall()
    assert len(found) >= 100
    assert (
        found
        == sql.sql(
            "SELECT auction, price, bidder, ts FROM bid "
            "QUALIFY price = max(price) OVER (PARTITION BY date_time // 10000) ORDER BY ts"
        ).fetchall()
    )


def test_q8_new_users_who_open_an_auction(sql: duckdb.DuckDBPyConnection) -> None:
    expected = sql.sql(
        "SELECT DISTINCT p.date_time // 10000 * 10 AS start, p.id, p.city "
        "FROM person p JOIN auction a ON p.id = a.seller "
        "AND p.date_time // 10000 = a.date_time // 10000 ORDER BY ALL"
    ).fetchall()
    assert len(expected) > 10
    assert _groups("Q8") == expected


def test_q9_winning_bids(sql: duckdb.DuckDBPyConnection) -> None:
    _answer(sql, _groups("Q9"), "id", "seller", "price")
    rows = f"(SELECT a.id, a.seller, b.price, b.bidder {WON})"
    found = sql.sql(
        f"SELECT w.id, w.seller, w.price, w.bidder FROM answer JOIN {rows} w USING (id, price) "
        "ORDER BY ALL"
    ).fetchall()
    assert len(found) > 1_000
    assert (
        found
        == sql.sql(
            f"SELECT * FROM {rows} QUALIFY price = max(price) OVER (PARTITION BY id) ORDER BY ALL"
        ).fetchall()
    )

"""The first workload over dropped files: keys by overlap, windows from rates, and own data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planner.errors import PlanError
from planner.files.dropped.dropped_file import (
    DroppedSource,
    as_source,
    named_apart,
    read_dropped,
)
from planner.files.dropped.first_workload import apart_in_time, first_workload
from planner.files.dropped.shared_keys import KeyPair, joinable, suggested_links
from planner.files.dropped.written import write_sources
from planner.files.own_data import read_folder
from planner.files.workload_file import dump_workload, load_workload
from planner.statistics.inference import infer

RNG = np.random.default_rng(5)


def sources(**files: bytes) -> list[DroppedSource]:
    read = named_apart([read_dropped(content, f"{name}.csv") for name, content in files.items()])
    return [as_source(dropped, dropped.time.guess) for dropped in read]


def rows(head: str, count: int, seconds: float, keys: int, start: float = 1_772_000_000) -> bytes:
    """A stream of this many rows with a key and a small quantity."""
    times = start + np.sort(RNG.uniform(0, seconds, count))
    lines = (
        f"{int(1000 * t)},{k},{q}"
        for t, k, q in zip(
            times, RNG.integers(1, keys + 1, count), RNG.integers(1, 6, count), strict=True
        )
    )
    return "\n".join([head, *lines]).encode()


CUSTOMERS = b"id,country\n" + b"\n".join(b"%d,C%d" % (n, n % 7) for n in range(1, 101))
SHOP = {
    "orders": rows("time_ms,customer_id,quantity", 400, 3600, 100),
    "payments": rows("at_ms,customer,quantity", 800, 3600, 100),
    "customers": CUSTOMERS,
}


def best(found: list[DroppedSource]) -> list[KeyPair]:
    return [pairs[0] for pairs in suggested_links(found)]


def test_keys_are_suggested_by_their_values_and_names() -> None:
    found = {str(pair) for pair in best(sources(**SHOP))}
    assert found == {
        "orders.customer_id = payments.customer",
        "orders.customer_id = customers.id",
    }


def test_a_file_without_times_is_a_relation_and_the_query_joins_all(tmp_path: Path) -> None:
    found = sources(**SHOP)
    assert [source.is_stream for source in found] == [True, True, False]
    workload = first_workload("shop", found, best(found))
    assert workload.queries[0].text.splitlines()[1] == (
        "FROM orders [RANGE 5 MINUTES], payments [RANGE 5 MINUTES], customers"
    )
    assert workload.execution.join == "hash"
    assert load_workload(dump_workload(workload)) == workload

    write_sources(tmp_path, found)
    filled, _ = infer(workload, read_folder(tmp_path, workload).tables)
    assert filled.stream("orders").rate == pytest.approx(400 / 3600, rel=0.02)
    assert filled.relations[0].rows == 100
    assert filled.stream("orders").attributes["customer_id"].distinct == 99


@pytest.mark.parametrize(("count", "seconds"), [(200, 10), (50_000, 3600), (300, 1e7), (5, 4)])
def test_windows_hold_a_sensible_number_of_tuples(count: int, seconds: float) -> None:
    found = sources(
        a=rows("ts_ms,k,q", count, seconds, 500), b=rows("ts_ms,k,q", 2 * count, seconds, 500)
    )
    workload = first_workload("w", found, best(found))
    window = workload.longest_window
    assert window <= max(0.1 * found[0].seconds, 0.001)
    held = window * found[0].rate
    assert held <= 500
    # Nothing stands against a longer one: not the tuples held, nor what the files cover.
    assert held >= 40 or window >= 0.02 * found[0].seconds


def test_few_keys_make_windows_shorter() -> None:
    def window(keys: int) -> float:
        found = sources(**{name: rows("ts_ms,k,q", 4000, 4000, keys) for name in ("a", "b", "c")})
        return first_workload("w", found, best(found)).longest_window

    assert window(6) < window(3000)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": SHOP["orders"]}, "a.csv: one file alone cannot be joined; add another"),
        ({"a": CUSTOMERS, "b": CUSTOMERS}, "no file has a time"),
        ({"a": SHOP["orders"], "b": b"ts,x\n1,2.5\n2,3.5\n"}, "no column can be joined"),
        (
            {"a": SHOP["orders"], "b": b"ts,k\n2026-01-01T00:00:00Z,1\n2026-01-01T00:00:00Z,2\n"},
            "b.csv: has the same time in every row",
        ),
    ],
)
def test_files_that_cannot_be_joined(files: dict[str, bytes], message: str) -> None:
    found = sources(**files)
    with pytest.raises(PlanError) as raised:
        first_workload("w", found, best(found))
    assert message in str(raised.value)


def test_files_of_different_days_are_noticed() -> None:
    apart = sources(a=SHOP["orders"], b=rows("ts_ms,k,q", 100, 3600, 9, start=1_700_000_000))
    assert "a and b cover different times" in (apart_in_time(apart) or "")
    assert apart_in_time(sources(**SHOP)) is None


def test_a_file_that_joins_nothing_is_left_out() -> None:
    found = sources(**SHOP, notes=b"time,x\n1,2.5\n2,3.5\n")
    kept, left = joinable(found, suggested_links(found))
    assert [source.name for source in kept] == ["orders", "payments", "customers"]
    assert [source.name for source in left] == ["notes"]


def test_files_of_one_name_are_two_sources() -> None:
    read = [read_dropped(SHOP["orders"], "S1.csv"), read_dropped(SHOP["payments"], "S1.tsv")]
    assert [file.name for file in named_apart(read, ["S1"])] == ["S1", "S1_2"]


def test_names_of_files_are_made_different() -> None:
    found = sources(**{"my orders": SHOP["orders"], "My-Orders": SHOP["payments"]})
    assert [source.name for source in found] == ["my_orders", "My_Orders_2"]


def test_a_column_named_ts_that_is_not_the_time_is_said(tmp_path: Path) -> None:
    dropped = read_dropped(b"ts,when,k\n1,2026-01-01T10:00:00Z,1\n2,2026-01-01T10:00:01Z,1\n", "a")
    reading = next(r for r in dropped.time.readings if r.column == "when")
    with pytest.raises(PlanError, match="has a column ts that is not its time"):
        write_sources(tmp_path, [as_source(dropped, reading)])

"""Dropped files: CSV, JSON and Parquet of any kind become tables; others end in a message."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.files.dropped.dropped_file import as_source, read_dropped
from planner.files.dropped.readers import read_table
from planner.files.dropped.time_columns import guess_time
from planner.files.dropped.time_formats import read_times
from tests.examples import examples

FOUR = datetime(2026, 3, 4, 15, 6, 7, tzinfo=UTC)
FOUR_MICROS = int(FOUR.timestamp()) * 1_000_000


def parquet(**columns: object) -> bytes:
    held = io.BytesIO()
    pq.write_table(pa.table(columns), held)
    return held.getvalue()


ROWS = {"ts": [1.5, 2.0], "k": ["a", "bé"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("ts,k\n1.5,a\n2.0,bé\n".encode(), "CSV separated by commas"),
        (b"\xef\xbb\xbf" + "ts,k\r\n1.5,a\r\n2.0,bé\r\n".encode(), "CSV separated by commas"),
        ("ts;k\n1,5;a\n2,0;bé\n".encode(), "CSV separated by semicolons, decimal commas"),
        ("ts\tk\n1.5\ta\n2.0\tbé\n".encode("cp1252"), "TSV, Windows-1252"),
        ("ts|k\n1.5|a\n2.0|bé".encode("utf-16"), "CSV separated by vertical bars, UTF-16"),
        ("ts|k\n1.5|a\n2.0|bé".encode("utf-16-be"), "CSV separated by vertical bars, UTF-16"),
        ("ts^k\n1.5^a\n2.0^bé\n".encode(), "CSV separated by ^"),
        ('"ts","k"\n"1,5","a"\n"2,0","bé"\n'.encode(), "CSV separated by commas, decimal commas"),
        ("'ts','k'\n'1.5','a'\n'2.0','bé'\n".encode(), "CSV separated by commas"),
        ('{"ts": 1.5, "k": "a"}\n{"ts": 2.0, "k": "bé"}\n'.encode(), "JSON lines"),
        (json.dumps([{"ts": 1.5, "k": "a"}, {"ts": 2.0, "k": "bé"}]).encode(), "JSON"),
        (parquet(**ROWS), "Parquet"),
    ],
)
def test_one_table_in_many_formats(content: bytes, said: str) -> None:
    # The name says nothing: the content decides.
    read = read_table(content, "rows.csv")
    assert read.format == said
    assert read.table.to_pydict() == ROWS
    assert not read.notices


def test_names_that_cannot_be_written_are_changed_and_said() -> None:
    read = read_table(b"Order no,order,a,A,,a\n1,2,3,4,5,6\n", "x.csv")
    assert read.table.column_names == ["Order_no", "order_", "a", "A_2", "column_5", "a_3"]
    assert "Order no is now Order_no" in read.notices[0]
    assert read_dropped(b"ts,k\n1,2\n", "../../etc/My <b>file.csv").name == "My_b_file"


def test_missing_values_stay_missing_and_names_stay_names() -> None:
    table = read_table(b"n,country,e\n1,NA,\xf0\x9f\x98\x80\nNA,,x\n2,DE,\n", "x.csv").table
    assert table.to_pydict() == {
        "n": [1, None, 2],
        "country": ["NA", None, "DE"],
        "e": ["😀", "x", None],
    }
    unnamed = read_table(b"1700000000,5\n1700000001,6\n", "x.csv")
    assert unnamed.table.column_names == ["column_1", "column_2"]
    assert "the columns are numbered" in unnamed.notices[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; its first line must name the columns"),
        (b"\xef\xbb\xbf \r\n", "is empty"),
        (b"ts,k\n", "has no rows"),
        (b"ts,k\n1,2\n3,4,5\n", "row 3 (the header is row 1) has 3 fields, the header has 2"),
        (b"ts,k\n1,\x00\n", "is not text: line 2 has a NUL byte"),
        (bytes(range(256)) * 40, "is not text"),
        (b"\x7fELF" + b"\x00\x01\x02" * 500, "is not text"),
        (b"\x1f\x8b\x08" + b"x" * 40, "is compressed (gzip); unpack it first"),
        (b"PK\x03\x04" + b"x" * 40, "save the sheet as CSV"),
        (b"x" * 8 + b"DUCK" + b"\x00" * 40, "is a DuckDB database"),
        (b"PAR1" + b"x" * 40, "is a damaged Parquet file"),
        (b"\xff\xfea", "is damaged UTF-16 text"),
        (b'{"ts": 1}\n{"ts": \n', "is no JSON that can be read"),
        (b"[1, 2]", "must be a list of objects"),
        (b"version: 1\nname: x\nstreams: []\n", "is a workload or a view, not data"),
        (b'{\n  "sluice_view": 1,\n  "page": "plans"}', "is a workload or a view, not data"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"{" * 100_000, "is no JSON"),
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(content: bytes, message: str) -> None:
    with pytest.raises(PlanError) as raised:
        read_dropped(content, "f.csv")
    assert str(raised.value).startswith("f.csv: ")
    assert message in str(raised.value)


def test_a_file_that_is_called_parquet_and_is_none_is_refused_as_such() -> None:
    with pytest.raises(PlanError, match=r"f\.parquet: is not a Parquet file; write it again"):
        read_dropped(b"\x00\x01", "f.parquet")


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8)


@examples(30)
@given(
    rows=st.lists(st.tuples(st.integers(0, 10**6), TEXTS, st.floats(-1e6, 1e6)), min_size=2),
    separator=st.sampled_from(",;|\t"),
    comma=st.booleans(),
    ending=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_written_as_csv_is_read_back(
    rows: list[tuple[int, str, float]], separator: str, comma: bool, ending: str, encoding: str
) -> None:
    held = io.StringIO()
    writer = csv.writer(held, delimiter=separator, lineterminator=ending)
    writer.writerow(["ts", "name", "price"])
    for ts, name, price in rows:
        # A number with a fraction shows which sign is the decimal point.
        written = f"{price:.3f}".replace(".", ",") if comma else f"{price:.3f}"
        writer.writerow([ts, f"n{name}", written])
    table = read_table(held.getvalue().encode(encoding), "x.csv").table
    assert table["ts"].to_pylist() == [ts for ts, _, _ in rows]
    assert table["name"].to_pylist() == [f"n{name}" for _, name, _ in rows]
    assert table["price"].to_pylist() == [float(f"{price:.3f}") for _, _, price in rows]


@examples(30)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_table_or_a_message(content: bytes) -> None:
    with suppress(PlanError):
        dropped = read_dropped(content, "f.csv")
        assert dropped.table.num_rows
        as_source(dropped, dropped.time.guess)


@pytest.mark.parametrize(
    ("written", "form", "other"),
    [
        ("2026-03-04T15:06:07Z", "timestamp", None),
        ("2026-03-04 15:06:07", "timestamp", None),
        ("2026-03-04T16:06:07+01:00", "timestamp", None),
        ("2026/03/04 15:06:07.000000", "ymd", None),
        ("04.03.2026 15:06:07", "dmy", None),
        ("04/03/2026 15:06:07", "dmy", "mdy"),
        ("4 Mar 2026 15:06:07", "dmy", None),
        ("04/Mar/2026:10:06:07 -0500", "dmy", None),
        ("Mar 4, 2026 3:06:07 PM", "dmy", None),
        ("Wed, 04 Mar 2026 15:06:07 GMT", "dmy", None),
        ("20260304150607", "digits", None),
        (str(int(FOUR.timestamp())), "s", None),
        (f"{int(FOUR.timestamp())}.000", "s", None),
        (str(int(FOUR.timestamp()) * 1000), "ms", None),
        (str(int(FOUR.timestamp()) * 10**6), "us", None),
        (str(int(FOUR.timestamp()) * 10**9), "ns", None),
    ],
)
def test_times_as_people_write_them(written: str, form: str, other: str | None) -> None:
    content = f'id;event_time;amount\n7;"{written}";3\n8;"{written}";4\n'
    table = read_table(content.encode(), "x.csv").table
    guess = guess_time(table).guess
    assert guess is not None
    assert (guess.column, guess.format, guess.other) == ("event_time", form, other)
    assert read_times(table["event_time"], form).micros.tolist() == [FOUR_MICROS] * 2


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("d\n31/01/2026 10:00\n01/02/2026 10:00\n", "dmy"),
        ("d\n01/31/2026 10:00\n02/01/2026 10:00\n", "mdy"),
        # Either is possible: rows are in order in one of them only.
        ("d\n01/02/2026 10:00\n01/03/2026 10:00\n02/01/2026 10:00\n", "mdy"),
        ("d\n02/01/2026 10:00\n03/01/2026 10:00\n01/02/2026 10:00\n", "dmy"),
    ],
)
def test_day_and_month_are_told_apart_by_what_is_possible(content: str, form: str) -> None:
    guess = guess_time(read_table(content.encode(), "x.csv").table).guess
    assert guess is not None
    assert guess.format == form


@pytest.mark.parametrize(
    "content",
    [
        b"id,birth_date\n1,1990-01-02\n2,1980-05-05\n3,1999-01-01\n",
        b"order_id,x\n1000000001,3\n1000000002,3\n1000000003,3\n",
        b"k,v\n5,1\n6,2\n",
        b"begin,end,k\n2026-01-01T10:00:00,2026-01-01T11:00:00,1\n",
    ],
)
def test_ids_birthdays_and_validity_are_no_times(content: bytes) -> None:
    assert guess_time(read_table(content, "x.csv").table).guess is None


def test_rows_are_put_in_order_and_rows_without_a_time_left_out() -> None:
    rows = "".join(f"2026-03-04T15:06:{s:02d}Z,{s}\n" for s in range(40))
    content = f"when,k\n2026-03-04T15:06:50Z,50\n{rows}someday,60\n"
    dropped = read_dropped(content.encode(), "x.csv")
    source = as_source(dropped, dropped.time.guess)
    assert source.table["k"].to_pylist() == [*range(40), 50]
    assert source.micros is not None
    assert (source.micros[1:] >= source.micros[:-1]).all()
    assert "1 of 42 rows have no time and are left out; row 42 has 'someday'." in source.notices
    assert "1 rows were earlier" in source.notices[1]


def test_seconds_that_are_milliseconds_are_seen_in_the_reading() -> None:
    table = read_table(b"ts,k\n0,1\n250,2\n600000,3\n", "x.csv").table
    guess = guess_time(table)
    assert guess.guess is not None
    assert guess.guess.format == "s"
    assert [reading.format for reading in guess.readings if reading.column == "ts"][1] == "ms"
    far = read_dropped(b"ts,k\n99999999999999999,1\n99999999999999999,2\n", "f.csv")
    assert all(reading.format == "ns" for reading in far.time.readings if reading.column == "ts")
    beyond = read_dropped(b"ts,k\n1700000000000000000000,1\n1700000000000000000001,2\n", "f.csv")
    assert beyond.time.guess is None
    assert "ts cannot be read as a time: row 1 has '1.7e+21'." in beyond.notices


def test_long_texts_are_held_once_a_row() -> None:
    long = "x" * 10_000
    table = read_table(f"ts,k\n1,{long}\n2,{long}\n".encode(), "x.csv").table
    assert table["k"].to_pylist() == [long, long]

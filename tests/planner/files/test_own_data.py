"""Own data: times, keys and missing values from CSV and Parquet files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from planner.errors import PlanError
from planner.files.own_data import OwnData, read_folder
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload

SENSORS = Path(__file__).parents[3] / "sample_data" / "sensors"
Reader = Callable[..., OwnData]


def workload(query: str, streams: str = "[{name: A}, {name: B}]") -> Workload:
    return load_workload(
        f"version: 1\nstreams: {streams}\nrelations: [{{name: R}}]\nqueries: [{{text: '{query}'}}]"
    )


ONE = workload("SELECT * FROM A [RANGE 10] WHERE A.k > 0")
TWO = workload("SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k")
WITH_RELATION = workload("SELECT * FROM A [RANGE 10], R WHERE A.k = R.k")


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Writes each table as CSV (bytes) or Parquet (a dict or table) and reads the folder."""

    def reader(subject: Workload, sort: bool = False, **files: bytes | dict | pa.Table) -> OwnData:
        for name, content in files.items():
            if isinstance(content, bytes):
                (tmp_path / f"{name}.csv").write_bytes(content)
            else:
                table = content if isinstance(content, pa.Table) else pa.table(content)
                pq.write_table(table, tmp_path / f"{name}.parquet")
        return read_folder(tmp_path, subject, sort)

    return reader


@pytest.mark.parametrize(
    ("times", "micros"),
    [
        (pa.array([1, 2]), [1_000_000, 2_000_000]),
        (pa.array([0.5, 1.0000006]), [500_000, 1_000_001]),
        (pa.array([-2.5, -1.0]), [-2_500_000, -1_000_000]),
        (pa.array([1, 2], pa.timestamp("s")), [1_000_000, 2_000_000]),
        (pa.array([1, 2], pa.timestamp("ms", "Europe/Paris")), [1_000, 2_000]),
        (pa.array([1_499, 1_500], pa.timestamp("ns")), [1, 2]),
        (pa.array([0, 2**63 - 1], pa.timestamp("ns")), [0, 9_223_372_036_854_776]),
        (pa.array([0, 1], pa.date32()), [0, 86_400_000_000]),
        (pa.array([1, 2], pa.decimal128(5, 1)), [1_000_000, 2_000_000]),
    ],
)
def test_times_are_microseconds(read: Reader, times: pa.Array, micros: list[int]) -> None:
    table = read(ONE, A={"ts": times, "k": [1, 2]}).tables["A"]
    assert table.ts.dtype == np.int64
    assert table.ts.tolist() == micros
    assert table.seq.tolist() == [0, 1]


def test_timestamps_in_csv_are_utc_unless_they_say_otherwise(read: Reader) -> None:
    text = b"ts,k\n1970-01-01T00:00:01Z,1\n1970-01-01T02:00:02+02:00,2\n"
    assert read(ONE, A=text).tables["A"].ts.tolist() == [1_000_000, 2_000_000]


def test_bom_crlf_quotes_and_emoji(read: Reader) -> None:
    text = '\ufeffts,k\r\n1,"a ""b"",\nc"\r\n2,😀\r\n3,' + "x" * 10_000 + "\r\n"
    data = read(TWO, A=text.encode(), B={"ts": [1], "k": ["😀"]})
    values = data.tables["A"].columns["k"].values
    assert values.tolist() == ['a "b",\nc', "😀", "x" * 10_000]
    assert values.dtype == object


@pytest.mark.parametrize(
    ("keys", "values", "valid"),
    [
        (pa.array([1, None], pa.uint8()), [1, 0], [True, False]),
        (pa.array([True, False]), [1, 0], None),
        (pa.array([1.5, float("nan")]), [1.5, 0.0], [True, False]),
        (pa.array([None, 2.5], pa.float32()), [0.0, 2.5], [False, True]),
        (pa.array([0, 1], pa.timestamp("s")), [0, 1_000_000], None),
        (pa.array([None, None]), [0, 0], [False, False]),
    ],
)
def test_keys_and_missing_keys(
    read: Reader, keys: pa.Array, values: list[float], valid: list[bool] | None
) -> None:
    column = read(ONE, A={"ts": [1, 2], "k": keys}).tables["A"].columns["k"]
    assert column.values.tolist() == values
    assert (None if column.valid is None else column.valid.tolist()) == valid


def test_a_missing_value_that_no_condition_needs_is_not_said_to_match_nothing(
    read: Reader,
) -> None:
    grouped = workload("SELECT A.k, COUNT(*) FROM A [RANGE 10] GROUP BY A.k")
    data = read(grouped, A={"ts": [1, 2], "k": pa.array([1, None])})
    assert data.warnings == ("A.k: missing in 1 of 2 rows",)


def test_dictionaries_are_texts(read: Reader) -> None:
    keys = pa.array(["a", None, "b"]).dictionary_encode()
    data = read(TWO, A={"ts": [1, 2, 3], "k": keys}, B={"ts": [1], "k": ["a"]})
    column = data.tables["A"].columns["k"]
    assert column.values.tolist() == ["a", "", "b"]
    assert data.warnings == ("A.k: missing in 1 of 3 rows, which match nothing",)


def test_the_whole_column_decides_its_type(read: Reader) -> None:
    rows = b"".join(b"%d,%d\n" % (n, n) for n in range(200_000))
    column = read(ONE, A=b"ts,k\n" + rows + b"200000,0.5\n").tables["A"].columns["k"]
    assert column.values.dtype == np.float64


def test_digits_declared_as_text_stay_text(read: Reader) -> None:
    subject = workload(
        "SELECT * FROM A [RANGE 10] WHERE A.k > 0", "[{name: A, attributes: {k: {type: string}}}]"
    )
    assert read(subject, A=b"ts,k\n1,007\n").tables["A"].columns["k"].values.tolist() == ["007"]


def test_only_the_columns_and_files_that_are_used_are_read(read: Reader) -> None:
    data = read(ONE, A={"ts": [1], "k": [1], "unused": [[1, 2]]}, B=b"\0")
    assert list(data.tables) == ["A"]
    assert list(data.tables["A"].columns) == ["k"]


def test_rows_out_of_order_are_accepted_with_sort(read: Reader) -> None:
    table = read(ONE, sort=True, A=b"ts,k\n3,30\n1,\n1,11\n").tables["A"]
    assert table.ts.tolist() == [1_000_000, 1_000_000, 3_000_000]
    assert table.seq.tolist() == [1, 2, 0]
    assert table.columns["k"].values.tolist() == [0, 11, 30]
    assert table.columns["k"].valid is not None
    assert table.columns["k"].valid.tolist() == [False, True, True]


def test_a_relation_may_say_when_its_rows_hold(read: Reader) -> None:
    first, last = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    data = read(WITH_RELATION, A=b"ts,k\n1,1\n", R=b"k,begin,end\n1,,5\n2,3,\n3,1,1e300\n")
    relation = data.tables["R"]
    assert relation.begin is not None
    assert relation.end is not None
    assert relation.begin.tolist() == [first, 3_000_000, 1_000_000]
    assert relation.end.tolist() == [5_000_000, last, last]
    assert len(relation.ts) == 0
    plain = read(WITH_RELATION, R=b"k\n1\n").tables["R"]
    assert (plain.begin, plain.end, len(plain)) == (None, None, 1)


def test_an_empty_stream_is_told(read: Reader) -> None:
    assert read(ONE, A=b"ts,k").warnings == ("A: has no rows",)
    assert read(ONE, A=b"ts,k\n1,1\n1,2\n").warnings == ("A: all 2 rows have the same ts",)


def test_the_sample_folder(tmp_path: Path) -> None:
    sample = SENSORS.parent / "sensors-own-data.yaml"
    data = read_folder(SENSORS, load_workload(sample.read_bytes()))
    assert {name: len(table) for name, table in data.tables.items()} == {
        "temperature": 2418,
        "humidity": 1170,
    }
    with pytest.raises(PlanError, match=r"no file temperature.csv or temperature.parquet; found n"):
        read_folder(tmp_path, load_workload(sample.read_bytes()))

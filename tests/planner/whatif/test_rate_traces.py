"""Traces of rates: read, written, counted from tuples, and made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.files.rate_files import read_trace, write_trace
from planner.files.tuple_table import Table
from planner.whatif import rates
from planner.whatif.rates import QUIET_RATE, RateTrace, burst, counted_rates, day_and_night, slowest
from planner.workload.workload import Workload
from tests.planner.workloads import TABLE_5, equality_join, self_join

WORKLOAD = equality_join(TABLE_5)
TRACE = RateTrace(("S1", "S2"), (0, 10.5), ((10, 0), (1, 2.25)), 30)


def test_a_file_is_read() -> None:
    text = b"\xef\xbb\xbfS1, time ,S2\r\n10,0,0\r\n\r\n1,10.5,2.25\r\n,30,\r\n"
    assert read_trace(text, "f.csv") == TRACE


def test_without_an_end_the_last_interval_is_as_long_as_the_one_before() -> None:
    assert read_trace(b"time,S1\n0,1\n5,2\n20,3\n", "f.csv").end == 35


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "f.csv: is empty"),
        (b"\xff\xfe\x00", "f.csv: contains a NUL byte in line 1"),
        (b"PAR1....", "f.csv: is a Parquet file; write the trace as CSV"),
        (b"when,S1\n0,1\n", "f.csv: has no column 'time'"),
        (b"time,S1,S1\n0,1,1\n", "f.csv: has two columns named 'S1'"),
        (b"time,S1\n", "f.csv: has no row"),
        (b"time\n0\n1\n", "f.csv: columns: names no stream"),
        (b"time,S1\n0,1\n", "f.csv: row 1: has one row and no end"),
        (b"time,S1\n0,1\n5,2,3\n", "f.csv: row 2: has 3 cells, but the header has 2"),
        (b"time,S1\n0,1\nx,2\n", "f.csv: row 2, column time: must be a number, got 'x'"),
        (b"time,S1,S2\n0,1,\n5,2,2\n", "f.csv: row 1, column S2: is empty"),
        (b"time,S1\n0,-1\n5,2\n", "f.csv: row 1, column S1: must be a rate from 0"),
        (b"time,S1\n0,1\n5,nan\n", "f.csv: row 2, column S1: must be a rate from 0"),
        (b"time,S1\n0,1\n5,1e308\n", "f.csv: row 2, column S1: must be a rate from 0"),
        (b"time,S1\n0,1\ninf,2\n", "f.csv: row 2, column time: must be a number of seconds"),
        (b"time,S1\n0,1\n5,2\n5,3\n", "f.csv: row 3, column time: must be after 5"),
        (b"time,S1\n0,1\n5,2\n4,\n", "f.csv: row 3, column time: must be after 5"),
        (b'time,S1\n0,"1\n', "f.csv: is not CSV"),
        (b"time,S1\n" + b"0,1\n" * 2000, "f.csv: has 2,000 rows; a trace has at most 1,000"),
        (b"x" * 6_000_000, "f.csv: has 6,000,000 bytes"),
    ],
)
def test_a_bad_file_is_told_its_place(content: bytes, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_trace(content, "f.csv")
    assert said in str(caught.value)


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=6),
    st.lists(st.floats(1e-3, 1e4), min_size=6, max_size=6),
)
def test_what_is_written_is_read_back(found: list[float], gaps: list[float]) -> None:
    times = np.cumsum(gaps[: len(found)]).tolist()
    trace = RateTrace(
        ("S1", "=a,b", '"'), tuple(times), tuple((r, 1.0, 2 * r) for r in found), times[-1] + 1
    )
    text = write_trace(trace)
    assert "'=a,b" in text.splitlines()[0], "no spreadsheet takes a name for a formula"
    assert read_trace(text.encode(), "f.csv") == trace


def test_a_stream_named_like_the_column_of_seconds_cannot_be_written() -> None:
    with pytest.raises(PlanError, match="streams: one is named 'time'"):
        write_trace(RateTrace(("time",), (0,), ((1,),), 1))


def test_streams_without_a_column_keep_their_rate_and_others_are_left_out() -> None:
    other = replace(WORKLOAD.streams[0], name="unused", rate=5.0)
    workload = replace(WORKLOAD, streams=(*WORKLOAD.streams, other))
    trace = RateTrace(("unused", "S2"), (0, 1), ((1, 7), (2, 8)), 2).of(workload)
    assert trace.streams == ("S1", "S2", "S3", "S4")
    assert trace.rates == ((10, 7, 1, 3), (10, 8, 1, 3))
    cell = TRACE.at(0, WORKLOAD)
    assert [s.rate for s in cell.streams] == [10, QUIET_RATE, 1, 3]


def test_unknown_streams_and_unknown_rates_are_said() -> None:
    with pytest.raises(PlanError, match=r"columns: no stream 'S22'; did you mean 'S2'"):
        RateTrace(("S22",), (0,), ((1,),), 1).of(WORKLOAD)
    first, *others = WORKLOAD.streams
    unknown = replace(WORKLOAD, streams=(replace(first, rate=None), *others))
    with pytest.raises(PlanError, match="no column for S1, and the workload has no rate"):
        RateTrace(("S2",), (0,), ((1,),), 1).of(unknown)
    assert TRACE.of(unknown).rates[0][0] == 10
    with pytest.raises(PlanError, match="'S1' occurs twice"):
        RateTrace(("S1", "S1"), (0,), ((1, 1),), 1)


def _table(seconds: list[float]) -> Table:
    ts = np.round(np.array(seconds) * 1e6).astype(np.int64)
    return Table(np.arange(len(ts), dtype=np.int64), ts)


def _counted(*arguments: object, workload: Workload | None = None) -> RateTrace:
    two = workload or equality_join([(1, 10, 5), (1, 10, 5)])
    tables = {"S1": _table([100, 101, 109.9, 110, 125]), "S2": _table([112, 112])}
    return counted_rates(two, tables, *arguments)  # type: ignore[arg-type]


def test_arrivals_are_counted_per_interval_from_the_first_tuple_on() -> None:
    #  S1: 100 101 109.9 | 110 .. 125    S2: | 112 112
    trace = _counted(10.0)
    assert trace.times == (0, 10)
    assert trace.end == 25, "what does not fill an interval belongs to the last one"
    assert trace.rates == ((3 / 10, 0), (2 / 15, 2 / 15))
    assert _counted().times == (0, 10), "the longest window, where nothing else is said"
    whole = _counted(1000.0)
    assert (whole.times, whole.rates) == ((0,), ((5 / 25, 2 / 25),))


def test_no_tuple_is_lost_whatever_the_interval() -> None:
    random = np.random.default_rng(5)
    times = np.sort(random.random(1000) * 77).tolist()
    two = equality_join([(1, 10, 5), (1, 10, 5)])
    for every in (0.1, 0.7, 3.0, 10.0, 76.0, 200.0):
        found = counted_rates(two, {"S1": _table(times), "S2": _table([])}, every)
        counts = [r[0] * s for r, s in zip(found.rates, found.seconds, strict=True)]
        assert sum(counts) == pytest.approx(1000)
        assert counts == pytest.approx([round(count) for count in counts])


def test_what_cannot_be_counted_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    two = equality_join([(1, 10, 5), (1, 10, 5)])
    with pytest.raises(PlanError, match="no stream has a tuple"):
        counted_rates(two, {"S1": _table([]), "S2": _table([])})
    with pytest.raises(PlanError, match="the same ts"):
        counted_rates(two, {"S1": _table([3, 3]), "S2": _table([3])})
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(PlanError, match=r"--every: must be above 0"):
            _counted(wrong)
    with pytest.raises(PlanError, match=r"--every: 0.001 s make 25,000 intervals.* take 1 s"):
        _counted(0.001)
    monkeypatch.setattr(rates, "MOST_INTERVALS", 2)
    assert _counted(workload=equality_join([(1, 1, 5), (1, 1, 5)])).times == (0, 12.5)


def test_examples_are_made_from_the_workload() -> None:
    assert slowest(WORKLOAD) == "S2"
    found = burst(WORKLOAD, "S2")
    assert found.rates == ((10, 1, 1, 3), (10, 10, 1, 3), (10, 1, 1, 3))
    assert min(found.seconds) > WORKLOAD.longest_window
    day = day_and_night(WORKLOAD)
    assert (len(day.times), day.end) == (24, 24 * 3600)
    for column, (usual, _, _) in zip(zip(*day.rates, strict=True), TABLE_5, strict=True):
        assert max(column) == pytest.approx(5 * usual, rel=1e-3)
        assert min(column) == pytest.approx(usual / 5, rel=1e-3)
    peaks = [column.index(max(column)) for column in zip(*day.rates, strict=True)]
    assert len(set(peaks)) == 4, "one after the other"
    assert burst(self_join(), "S").streams == ("S", "R"), "a stream once, under two aliases"

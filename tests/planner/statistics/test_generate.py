"""Generated tuples: the same for a seed everywhere, with the rates and values that are declared."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import SeedSequence

from planner.errors import RunError
from planner.files.own_data import read_folder
from planner.files.tuple_table import Table
from planner.statistics.generate import _rows, generate
from planner.workload.query import TimeWindow
from planner.workload.streams import (
    Arrivals,
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.workload import Workload
from runtime.data.data_writer import write_folder
from runtime.data.folders import PROJECT
from tests.examples import examples
from tests.planner.workloads import TABLE_5, chain_query, equality_join

ARRIVALS = [
    Arrivals("regular"),
    Arrivals("poisson"),
    Arrivals("pareto", 1.5),
    Arrivals("pareto", 4),
]


def _workload(*streams: Stream) -> Workload:
    sources = {stream.name: (stream.name, TimeWindow(10)) for stream in streams}
    return Workload("generated", streams, (chain_query("Q1", sources),))


def _one(stream: Stream, seconds: float, seed: int = 1) -> Table:
    return generate(_workload(stream), seconds, seed)[stream.name]


def digest(tables: dict[str, Table]) -> str:
    parts = [a.tobytes() for t in tables.values() for a in (t.ts, t.columns["attr"].values)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def test_another_process_generates_the_same_tuples() -> None:
    script = (
        "import tests.planner.statistics.test_generate as here\n"
        "print(here.digest(here.generate(here.equality_join(here.TABLE_5), 500, 11)), end='')"
    )
    other = subprocess.run(
        [sys.executable, "-c", script],
        cwd=PROJECT,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout == digest(generate(equality_join(TABLE_5), 500, 11))


def test_another_seed_generates_other_tuples() -> None:
    workload = equality_join(TABLE_5)
    assert digest(generate(workload, 100, 1)) != digest(generate(workload, 100, 2))


def test_streams_alike_in_all_but_place_have_tuples_of_their_own() -> None:
    tables = generate(equality_join([(5, 10, 100), (5, 10, 100)]), 200, 1)
    shared = np.intersect1d(tables["S1"].ts, tables["S2"].ts)
    assert len(shared) < 5


def test_the_order_in_which_attributes_are_listed_does_not_matter() -> None:
    one, other = Attribute(50), Attribute(1000, zipf=1.0)
    there = _one(Stream("S", 10, {"attr": one, "b": other}), 100)
    back = _one(Stream("S", 10, {"b": other, "attr": one}), 100)
    for name in ("attr", "b"):
        assert np.array_equal(there.columns[name].values, back.columns[name].values)


@pytest.mark.parametrize("arrivals", ARRIVALS, ids=str)
@pytest.mark.parametrize("rate", [0.7, 10, 3000])
def test_rates_are_as_declared(arrivals: Arrivals, rate: float) -> None:
    seconds = 60_000 / rate
    table = _one(Stream("S", rate, {"attr": Attribute(5)}, arrivals), seconds)
    # Bursts of mean size 4 have no variance that sums settle by.
    tolerance = 0.1 if arrivals.burst > 2 else 0.03
    assert len(table) == pytest.approx(60_000, rel=tolerance)
    assert table.ts[0] >= 0
    assert table.ts[-1] < seconds * 1_000_000
    assert (np.diff(table.ts) >= 0).all()
    assert np.array_equal(table.seq, np.arange(len(table)))


def test_regular_arrivals_are_evenly_spaced_and_poisson_gaps_are_exponential() -> None:
    attributes = {"attr": Attribute(5)}
    regular = np.diff(_one(Stream("S", 100, attributes, Arrivals("regular")), 100).ts)
    assert set(regular) <= {9_999, 10_000, 10_001}
    gaps = np.diff(_one(Stream("S", 100, attributes, Arrivals("poisson")), 1000).ts)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.02)


@pytest.mark.parametrize("burst", [1.2, 1.5, 2.0])
def test_bursts_have_equal_ts_and_the_mean_size_declared(burst: float) -> None:
    arrivals = Arrivals("pareto", burst)
    table = _one(Stream("S", 10, {"attr": Attribute(5)}, arrivals), 50_000)
    _, sizes = np.unique(table.ts, return_counts=True)
    assert sizes.mean() == pytest.approx(burst, rel=0.03)
    assert sizes.max() > 10


def test_zipf_values_come_as_often_as_their_rank_says() -> None:
    table = _one(Stream("S", 1000, {"attr": Attribute(20, zipf=1.0)}), 200)
    counts = np.bincount(table.columns["attr"].values, minlength=21)[1:]
    shares = 1 / np.arange(1, 21)
    expected = len(table) * shares / shares.sum()
    assert counts == pytest.approx(expected, rel=0.05)


def test_uniform_values_are_from_1_to_distinct_and_equally_frequent() -> None:
    values = _one(Stream("S", 1000, {"attr": Attribute(20)}), 200).columns["attr"].values
    counts = np.bincount(values, minlength=21)
    assert counts[0] == 0
    assert counts[1:] == pytest.approx(np.full(20, len(values) / 20), rel=0.05)


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        (Attribute(values=("VT", "NY")), {"VT", "NY"}),
        (Attribute(values=(3, 5)), {3, 5}),
        (Attribute(values=(0.5, 2)), {0.5, 2.0}),
        (Attribute(2, type="string"), {"v1", "v2"}),
        (Attribute(2, type="float"), {1.0, 2.0}),
    ],
)
def test_declared_values_and_types_are_kept(attribute: Attribute, expected: set[object]) -> None:
    values = _one(Stream("S", 10, {"attr": attribute}), 20).columns["attr"].values
    assert set(values.tolist()) == expected


@given(
    st.sampled_from(ARRIVALS),
    st.sampled_from([Attribute(7), Attribute(9, zipf=1.5), Attribute(type="float")]),
    st.floats(0.1, 60),
    st.floats(1.0, 20),
)
@examples(100)
def test_a_longer_span_begins_with_the_same_tuples(
    arrivals: Arrivals, attribute: Attribute, seconds: float, times: float
) -> None:
    stream = Stream("S", 20, {"attr": attribute}, arrivals)
    short, long = _one(stream, seconds), _one(stream, seconds * times)
    count = len(short)
    assert np.array_equal(short.ts, long.ts[:count])
    assert np.array_equal(short.columns["attr"].values, long.columns["attr"].values[:count])


def test_streams_that_no_query_reads_are_not_generated() -> None:
    workload = equality_join(TABLE_5)
    more = replace(workload, streams=(*workload.streams, Stream("idle", None)))
    assert list(generate(more, 10, 1)) == ["S1", "S2", "S3", "S4"]


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (Stream("S", None, {"attr": Attribute(5)}), "streams.S.rate: has no rate"),
        (Stream("S", 1e9, {"attr": Attribute(5)}), "would generate about 100,000,000,000 tuples"),
        (
            Stream("S", 5, {"w": Attribute(importance_of=ImportanceOf("w"))}),
            "streams.S.attributes.w.from: w is an importance itself",
        ),
    ],
    ids=["no rate", "too many", "importance"],
)
def test_what_cannot_be_generated_is_said(stream: Stream, message: str) -> None:
    with pytest.raises(RunError, match=message.replace(".", r"\.")):
        _one(stream, 100)


def test_missing_values_are_written_as_missing(tmp_path: Path) -> None:
    known = _workload(
        *(Stream(name, 50, {"attr": Attribute(9, missing=0.3)}) for name in ("A", "B"))
    )
    made = generate(known, 20, 1)
    write_folder(made, tmp_path)
    for name, table in read_folder(tmp_path, known).tables.items():
        valid = made[name].columns["attr"].valid
        assert valid is not None
        assert not valid.all()
        assert np.array_equal(table.columns["attr"].valid, valid)
        assert np.array_equal(
            table.columns["attr"].values[valid], made[name].columns["attr"].values[valid]
        )


def test_importance_is_highest_for_rare_values() -> None:
    attributes = {
        "attr": Attribute(4, zipf=1.0),
        "worth": Attribute(importance_of=ImportanceOf("attr", most=8)),
    }
    made = _one(Stream("S", 50, attributes), 20)
    worth = dict(
        zip(
            made.columns["attr"].values.tolist(), made.columns["worth"].values.tolist(), strict=True
        )
    )
    assert worth == {1: 2.0, 2: 4.0, 3: 6.0, 4: 8.0}


def test_streams_of_one_phase_tick_together() -> None:
    evenly = Arrivals("regular", phase=0)
    known = _workload(*(Stream(name, 2, {"attr": Attribute(5)}, evenly) for name in "AB"))
    made = generate(known, 3, seed=1)
    assert (
        made["A"].ts.tolist()
        == made["B"].ts.tolist()
        == [0, 500_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000]
    )


def test_distinct_rows_are_different_while_they_are_active() -> None:
    attributes = {"a": Attribute(3), "b": Attribute(3)}
    relation = Relation("F", 8, attributes, RelationChanges(1, 1), distinct_rows=True)
    table = _rows(relation, 60, SeedSequence([1]))
    assert table.begin is not None
    assert table.end is not None
    rows = list(zip(*(table.columns[name].values.tolist() for name in "ab"), strict=True))
    for when in range(60_000_000)[::250_000]:
        active = [
            row
            for row, begin, end in zip(rows, table.begin, table.end, strict=True)
            if begin <= when < end
        ]
        assert len(active) == len(set(active)) >= 7
    with pytest.raises(RunError, match=r"relations\.F\.distinct_rows: there are 9 different rows"):
        _rows(replace(relation, rows=10), 60, SeedSequence([1]))

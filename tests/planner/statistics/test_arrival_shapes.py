"""Rates that change over time: tuples follow the shape, and workload files say it both ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.parts.workload.arrival_text import shape_part, shape_text
from planner.errors import PlanError
from planner.files.workload_file import dump_workload, load_workload
from planner.statistics.generate import expected_tuples, generate
from planner.workload.arrival_shapes import ArrivalTrace, Burst, Daily, Drift, Shape, Swap
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload

TEXT = """
version: 1
name: shaped
streams:
  - {name: A, rate: 100, attributes: {k: {distinct: 10}}}
  - {name: B, rate: 20, attributes: {k: {distinct: 10}}}
queries: [{text: "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k"}]
"""
PLAIN = load_workload(TEXT)


def _with(shape: Shape, kind: str = "poisson") -> Workload:
    arrivals = replace(Arrivals(kind, 3.0 if kind == "pareto" else 1.0), shape=shape)  # type: ignore[arg-type]
    first, *others = PLAIN.streams
    return replace(PLAIN, streams=(replace(first, arrivals=arrivals), *others))


def _rates(workload: Workload, edges: list[float]) -> list[float]:
    ts = generate(workload, edges[-1], 3)["A"].ts / 1e6
    return list(np.histogram(ts, edges)[0] / np.diff(edges))


SHAPES: list[Shape] = [
    Daily(200, 3, 0.25),
    Burst(20, 10, 8),
    Burst(20, 10, 8, every=50),
    Drift(300, 40, 10),
    Swap("B", 30),
    ArrivalTrace((0, 10, 30), (50, 0, 10), 40),
]


@pytest.mark.parametrize(
    ("shape", "edges", "rates"),
    [
        (Burst(20, 10, 8), [0, 20, 30, 60], [100, 800, 100]),
        # What comes again and again has the declared rate as its mean.
        (Burst(20, 10, 8, every=50), [0, 20, 30, 70, 80], [41.7, 333.3, 41.7, 333.3]),
        (Drift(300, 40, 10), [0, 10, 50, 80], [100, 200, 300]),
        (Swap("B", 30), [0, 30, 60, 90], [100, 20, 100]),
        (ArrivalTrace((0, 10, 30), (50, 0, 10), 40), [0, 10, 30, 40, 50], [333.3, 0, 66.7, 333.3]),
    ],
)
def test_tuples_follow_the_shape(shape: Shape, edges: list[float], rates: list[float]) -> None:
    found = _rates(_with(shape), edges)
    for one, expected in zip(found, rates, strict=True):
        assert one == pytest.approx(expected, rel=0.15)
    ever = expected_tuples(_with(shape), _with(shape).streams[0], edges[-1])
    assert ever == pytest.approx(np.dot(rates, np.diff(edges)), rel=0.01)


def test_a_day_has_its_mean_and_swings_around_it() -> None:
    halves = _rates(_with(Daily(400, 3)), [0, 200, 400])
    assert np.mean(halves) == pytest.approx(100, rel=0.05)
    assert halves[0] > 2 * halves[1]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
@pytest.mark.parametrize("kind", ["poisson", "pareto", "regular"])
def test_workload_files_say_it_both_ways(shape: Shape, kind: str) -> None:
    workload = _with(shape, kind)
    if kind == "regular":
        first, *others = workload.streams
        even = replace(first, arrivals=replace(first.arrivals, phase=0.5))
        workload = replace(workload, streams=(even, *others))
    again = load_workload(dump_workload(workload))
    assert again == workload
    assert again.digest == workload.digest != PLAIN.digest


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(SHAPES), st.floats(1, 60), st.floats(1, 60), st.integers(0, 99))
def test_a_longer_span_begins_with_the_same_tuples(
    shape: Shape, one: float, other: float, seed: int
) -> None:
    short, long = sorted((one, other))
    workload = _with(shape)
    few, many = (generate(workload, span, seed)["A"].ts for span in (short, long))
    assert (many[: len(few)] == few).all()
    assert (np.diff(many) >= 0).all()


def test_a_trace_is_read_beside_the_workload(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("time,A,B\n0,10,1\n30,50,1\n60,,\n")
    text = TEXT.replace("rate: 100,", "arrivals: {trace: rates.csv},")
    workload = load_workload(text, "w.yaml", tmp_path)
    # Without a rate of its own a stream has that of the trace.
    assert workload.streams[0].rate == 30
    assert _rates(workload, [0, 30, 60]) == pytest.approx([10, 50], rel=0.15)
    # It is part of the workload from then on: a run that is done again needs no file.
    assert load_workload(dump_workload(workload)) == workload
    with pytest.raises(PlanError, match=r"arrivals.trace: .* beside a workload's file"):
        load_workload(text)
    for wrong, message in (("../rates.csv", "name of a file"), ("no.csv", "cannot be read")):
        with pytest.raises(PlanError, match=message):
            load_workload(text.replace("rates.csv", wrong), "w.yaml", tmp_path)


@pytest.mark.parametrize(
    ("arrivals", "message"),
    [
        ("{swap: {with: C, every: 5}}", r"streams.A.arrivals.swap.with: no other stream 'C'"),
        ("{swap: {with: B, every: 0}}", r"arrivals.swap.every: must be above 0"),
        ("{burst: {at: 5, lasts: 10, every: 12}}", r"arrivals.burst.every: must be at least 15"),
        ("{daily: {}, drift: {to: 3, over: 5}}", r"a rate changes in one way"),
        ("{trace: {times: [0, 0], rates: [1, 2], end: 5}}", r"arrivals.trace.times: must rise"),
        ("{daily: {swing: 0.5}}", r"arrivals.daily.swing: must be above 1"),
        ("{dayly: {}}", r"unknown key.*daily"),
        ("{}", r"must be one of pareto and regular, or one of"),
    ],
)
def test_mistakes_have_a_place_and_a_fix(arrivals: str, message: str) -> None:
    text = TEXT.replace("rate: 100,", f"rate: 100, arrivals: {arrivals},")
    with pytest.raises(PlanError, match=message):
        load_workload(text)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_a_cell_of_the_table_says_it_too(shape: Shape) -> None:
    import yaml

    part = yaml.safe_load(dump_workload(_with(shape)))["streams"][0]["arrivals"]
    assert shape_part(shape_text(part), part) == part
    # What is not understood is left for the workload file to refuse.
    assert shape_part("burst at=noon", None) == {"burst": {"at": "noon"}}
    assert shape_part("", part) == {}

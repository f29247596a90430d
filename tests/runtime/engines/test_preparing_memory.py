"""What preparing a run takes of memory is known beforehand, and refused where it is not free."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.families.registry import family
from planner.files import free_memory
from planner.files.workload_file import load_workload
from planner.statistics.generate import BYTES_PER_TUPLE, BYTES_PER_VALUE
from planner.workload.workload import Workload
from runtime.backends.kernels import prepare
from runtime.data.run_data import check_size, generated
from runtime.engines.registry import engine

SAMPLES = Path(__file__).parents[3] / "sample_data"
TUPLES = 10_000
# A small cost of its own, whatever the number of tuples.
FIXED_BYTES = 200_000
CASES = {
    "join_order": "suspicious-payments",
    "early_aggregation": "network-packets",
    "sliced_chain": "two-hundred-alerts",
    "shared_schedule": "two-hundred-alerts",
    "load_shedding": "suspicious-payments",
}


def sample(name: str) -> Workload:
    """A sample that generates about so many tuples."""
    workload = load_workload((SAMPLES / f"{name}.yaml").read_bytes())
    rate = sum(stream.rate or 0.0 for stream in workload.streams)
    return replace(workload, run=replace(workload.run, warmup=0.0, duration=TUPLES / rate))


@pytest.mark.parametrize("name", CASES)
def test_a_feed_takes_no_more_than_its_engine_says(name: str) -> None:
    workload, runs = sample(CASES[name]), engine(name)
    plan = next(iter(family(name).space(workload).candidates()))
    tables = generated(workload)
    merge = runs.feed(plan, workload)
    merge(workload, tables)
    tracemalloc.start()
    try:
        feed = merge(workload, tables)
        peak = tracemalloc.get_traced_memory()[1] - FIXED_BYTES
    finally:
        tracemalloc.stop()
    assert len(feed.tuples.ts) > TUPLES / 2
    assert peak / len(feed.tuples.ts) < runs.bytes_per_tuple


def test_generating_takes_no_more_than_is_asked_for() -> None:
    workload = sample("network-packets")
    tracemalloc.start()
    try:
        tables = generated(workload)
        peak = tracemalloc.get_traced_memory()[1] - FIXED_BYTES
    finally:
        tracemalloc.stop()
    rows = sum(map(len, tables.values()))
    widest = max(len(stream.attributes) for stream in workload.streams)
    assert peak / rows < BYTES_PER_TUPLE + BYTES_PER_VALUE * widest


def test_a_run_is_refused_by_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = sample("network-packets")
    tables = generated(workload)
    monkeypatch.setattr(free_memory, "free_bytes", lambda: 1_000_000)
    with pytest.raises(RunError, match=r"GB are free; use fewer tuples: shorten run\.duration"):
        prepare.check_merging(workload, tables, 300)
    monkeypatch.setattr(free_memory, "free_bytes", lambda: 100_000)
    with pytest.raises(RunError, match=r"to generate its tuples, .* or declare fewer distinct"):
        check_size(workload)


def test_many_distinct_texts_are_refused_by_the_free_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workload = sample("network-packets")
    stream = workload.streams[0]
    attributes = {
        name: replace(attribute, distinct=10_000_000, values=())
        for name, attribute in stream.attributes.items()
    }
    streams = (replace(stream, attributes=attributes), *workload.streams[1:])
    monkeypatch.setattr(free_memory, "free_bytes", lambda: 500 * 2**20)
    with pytest.raises(RunError, match="declare fewer distinct values"):
        generated(replace(workload, streams=streams))

"""A text takes its own length of memory once, however many rows hold it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from planner.errors import RunError
from planner.families.registry import FAMILIES
from planner.files import free_memory
from planner.files.own_data import read_folder
from planner.files.text_codes import coded_texts, ranked_texts
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload
from runtime.data.data_writer import write_folder
from runtime.data.run_data import data_digest, generated, with_data
from runtime.engines.registry import engine

ROWS, LENGTH = 2_000, 100_000
TEXT = "x" * LENGTH
# Written out in every row, it would take 200 MB here, and four times that as an array of numpy's.
MOST_BYTES = 30 * 2**20
OWN = """
version: 1
name: long texts
streams: [{name: A}, {name: B}]
queries:
  - name: Q
    text: SELECT %s FROM A [RANGE 1] a, B [RANGE 1] b WHERE a.t = b.t AND a.t <> 'y' AND %s %s
%s
"""
WORKLOADS = {
    "join": OWN % ("*", "a.t <= b.t", "", ""),
    "shared": OWN % ("*", "b.k > 2", "", ""),
    "aggregation": OWN % ("a.t, MIN(b.t) AS m", "b.k > 2", "GROUP BY a.t", ""),
    "bounded": OWN % ("*", "b.k > 2", "", "execution: {memory: 50}"),
}


@contextmanager
def little_memory() -> Iterator[None]:
    """Fail where what is done within takes much memory, of Python, numpy or Arrow."""
    pool = pa.system_memory_pool()
    default = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    before, high = pool.bytes_allocated(), pool.max_memory()
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
        # The highest that the pool has ever been: where it is no higher, nothing was taken.
        assert pool.max_memory() <= max(high, before + MOST_BYTES)
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(default)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of a few kilobytes that would be of 200 MB each."""
    numbers = pa.array(np.zeros(ROWS, np.int32))
    columns = {
        "ts": np.arange(ROWS) / 100,
        "k": np.arange(ROWS) % 5,
        "t": pa.DictionaryArray.from_arrays(numbers, pa.array([TEXT])),
    }
    for name in "AB":
        file = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(columns), file, dictionary_pagesize_limit=2**30, store_schema=False)
        assert file.stat().st_size < 100_000
    return tmp_path


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_family_prepares_long_texts(name: str, folder: Path) -> None:
    given = load_workload(WORKLOADS[name].encode())
    with little_memory():
        workload, tables, _ = with_data(given, folder)
        assert tables is not None
        assert data_digest(workload, tables)
    fitting = [family for family in FAMILIES if family.refuses(workload) is None]
    assert fitting
    for family in fitting:
        plan, runs = next(iter(family.space(workload).candidates())), engine(family.name)
        for load in runs.loaders:
            load()
        with little_memory():
            feed = runs.feed(plan, workload)(workload, tables)
        assert len(feed.tuples.ts) >= 2 * ROWS


def test_generated_long_texts_are_written_by_number(tmp_path: Path) -> None:
    workload = _generating()
    with little_memory():
        tables = generated(workload)
        write_folder(tables, tmp_path)
        again = read_folder(tmp_path, workload).tables
    assert (tmp_path / "A.parquet").stat().st_size < 500_000
    for name, table in tables.items():
        assert table.columns["t"].values.tolist() == again[name].columns["t"].values.tolist()


def _generating() -> Workload:
    text = f"""
version: 1
name: generated
streams:
  - {{name: A, rate: 20, attributes: {{t: {{values: ["{TEXT}", "y"]}}}}}}
  - {{name: B, rate: 20, attributes: {{t: {{values: ["{TEXT}", "y"]}}}}}}
queries: [{{name: Q, text: "SELECT * FROM A [RANGE 1], B [RANGE 1] WHERE A.t = B.t"}}]
run: {{duration: 50}}
"""
    return load_workload(text.encode())


def test_texts_are_coded_exactly() -> None:
    texts = np.array(["b", "a\x00", "", "a", "b", "𐍈", "é"], object)
    codes, known = coded_texts(texts)
    assert [known[code] for code in codes] == texts.tolist()
    ranks, ordered = ranked_texts(texts)
    assert [ordered[rank] for rank in ranks] == texts.tolist()
    assert ordered == sorted(set(texts.tolist()))


def test_a_file_is_refused_before_it_fills_the_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workload = load_workload(WORKLOADS["join"].encode())
    monkeypatch.setattr(free_memory, "free_bytes", lambda: 100_000)
    with pytest.raises(RunError, match=r"A.parquet: needs about .* GB of memory .* shorten"):
        read_folder(folder, workload)


def test_texts_that_are_parts_of_others_count_as_long_as_they_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This encoding does not say how long they are: 20 MB, in a few kilobytes.
    columns = {"ts": np.arange(200) / 100, "k": np.arange(200), "t": [TEXT] * 200}
    for name in "AB":
        pq.write_table(
            pa.table(columns),
            tmp_path / f"{name}.parquet",
            use_dictionary=False,
            column_encoding={"ts": "PLAIN", "k": "PLAIN", "t": "DELTA_BYTE_ARRAY"},
        )
    workload = load_workload(WORKLOADS["join"].encode())
    monkeypatch.setattr(free_memory, "free_bytes", lambda: 10 * 2**20)
    with pytest.raises(RunError, match="write it with dictionary encoding"):
        read_folder(tmp_path, workload)

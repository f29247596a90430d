"""Micro-batches on disk: what is cut is what was fed, and a damaged cache is made again."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.errors import PlanError, RunError
from planner.statistics.generate import generate
from planner.workload.execution import Execution, RunSettings
from runtime.backends.kernels.prepare import prepare
from runtime.data import microbatches
from runtime.data.batch import Batch, unpack
from runtime.data.batch_seal import opened
from runtime.data.feed import Split
from runtime.data.microbatches import NOTE, MicroBatches
from runtime.data.run_data import with_run_settings
from runtime.engines.join_feeds import multiway_feed as feed
from runtime.engines.kernels.windows import Tuples
from runtime.runs.records import RunRequest
from runtime.runs.result_files import safe_file_name
from tests.planner.workloads import equality_join

WORKLOAD = replace(equality_join([(5, 10, 9), (5, 10, 9)]), run=RunSettings(1, 0, 20))


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))


def _prepared(**settings: object) -> MicroBatches:
    request = RunRequest(WORKLOAD, "join_order", "best", batch_rows=50)
    return prepare(replace(request, **settings), 2).batches


def _batches(folder: str) -> list[tuple[list[int], Batch]]:
    rows = []
    for file in sorted(Path(folder).glob("*.parquet")):
        rows += pq.read_table(file).to_pylist()
    return [
        (
            row["partitions"],
            Batch.unpack(opened(row["tuples"], row["batch"], row["partitions"][0]), Tuples),
        )
        for row in rows
    ]


def test_no_batch_goes_over_the_time_of_a_change() -> None:
    merged = feed(WORKLOAD, generate(WORKLOAD, 20, 1))
    cuts = [0, 5_000_000, 5_000_001, 90_000_000]
    made = microbatches.write("cut", merged, Split(1, None), 40, cuts)
    batches = [batch.tuples.ts for _, batch in _batches(made.folder)]
    assert np.concatenate(batches).tolist() == merged.tuples.ts.tolist()
    for ts in batches:
        assert 0 < len(ts) <= 40
        assert not any(ts[0] < cut <= ts[-1] for cut in cuts)


@pytest.mark.parametrize("split", [Split(1, 1), Split(3, None), Split(3, 5)], ids=str)
def test_every_tuple_is_in_one_batch_in_the_order_of_arrival(split: Split) -> None:
    merged = feed(WORKLOAD, generate(WORKLOAD, 20, 1))
    made = microbatches.write("key", merged, split, 40)
    assert made.arrivals == len(merged.tuples.ts) == sum(made.rows.values())
    batches = _batches(made.folder)
    for partition in range(split.partitions):
        mine = [batch for partitions, batch in batches if partition in partitions]
        assert len(mine) == made.batches
        assert [batch.last for batch in mine] == [False] * (made.batches - 1) + [True]
        expected = (split.share(merged.tuples) or [merged.tuples] * split.partitions)[partition]
        columns = zip(*(batch.tuples for batch in mine), strict=True)
        for column, wanted in zip(columns, expected, strict=True):
            assert np.array_equal(np.concatenate(column), wanted)


def test_the_same_run_uses_them_again_and_another_does_not() -> None:
    first = _prepared()
    note = Path(first.folder) / NOTE
    written = note.stat().st_ino
    assert _prepared() == first
    assert note.stat().st_ino == written
    others = [
        _prepared(batch_rows=60),
        _prepared(workload=with_run_settings(WORKLOAD, seed=2, warmup=None, duration=None)),
        _prepared(workload=replace(WORKLOAD, execution=Execution(join="hash"))),
    ]
    assert len({first.folder, *(other.folder for other in others)}) == 4


@pytest.mark.parametrize("damage", ["note", "fields", "file"])
def test_damaged_ones_are_made_again(damage: str) -> None:
    first = _prepared()
    folder = Path(first.folder)
    if damage == "note":
        (folder / NOTE).write_text("{")
    elif damage == "fields":
        (folder / NOTE).write_text(json.dumps({"of": "another version"}))
    else:
        (folder / "batch-000001.parquet").unlink()
    assert _prepared() == first
    assert len(list(folder.glob("*.parquet"))) == first.batches


def test_a_data_folder_that_was_moved_keeps_its_micro_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _prepared()
    shutil.move(tmp_path / "home", tmp_path / "moved")
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "moved"))
    again = _prepared()
    assert again.folder == first.folder.replace("/home/", "/moved/")
    assert replace(again, folder="") == replace(first, folder="")


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(RunError, match="MB for micro-batches and 0 MB are free; make room"):
        _prepared()


def test_the_oldest_are_dropped_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    first = _prepared()
    monkeypatch.setattr(microbatches, "MOST_CACHED_BYTES", 1)
    assert Path(_prepared(batch_rows=70).folder).exists()
    assert Path(first.folder).exists(), "a run may still be reading it"
    monkeypatch.setattr(microbatches, "_IN_USE_SECONDS", 0)
    second = _prepared(batch_rows=60)
    assert not Path(first.folder).exists()
    assert Path(second.folder).exists()


def test_bytes_that_are_no_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="not a packed value"):
        unpack(b"\x80\x04pickled code" + b"\0" * 20)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Q1", "Q1"),
        ("../../etc/passwd", r"_\.\._etc_passwd-[0-9a-f]{8}"),
        ("..", "query-[0-9a-f]{8}"),
        ("🦀", "_-[0-9a-f]{8}"),
        ("Größe 日本", "Größe 日本"),
        ("日" * 200, "日{66}-[0-9a-f]{8}"),
    ],
    ids=str,
)
def test_a_query_of_any_name_has_a_results_file_in_its_folder(name: str, expected: str) -> None:
    assert re.fullmatch(expected, safe_file_name(name))


def test_two_queries_never_share_a_results_file() -> None:
    assert safe_file_name("a/b") != safe_file_name("a:b")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"way": "sideways"}, "--way: no way 'sideways'"),
        ({"partitions": 1.5}, "--partitions: must be a whole number, got 1.5"),
        ({"partitions": 0}, "--partitions: must be from 1 to 64, got 0"),
        ({"batch_rows": True}, "--batch-rows: must be a whole number, got True"),
        ({"batch_rows": 10**9}, "--batch-rows: must be from 1 to 5 million"),
        ({"most_seconds": float("nan")}, "--most-seconds: must be above 0, got nan"),
        ({"most_seconds": 0}, "--most-seconds: must be above 0, got 0"),
    ],
    ids=str,
)
def test_a_request_out_of_range_names_the_option(settings: dict[str, object], message: str) -> None:
    with pytest.raises((PlanError, RunError)) as raised:
        replace(RunRequest(WORKLOAD, "join_order", "best"), **settings)
    assert str(raised.value).startswith(message)

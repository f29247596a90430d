"""Micro-batches and states of every family are sealed: a run with damaged ones ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from planner.errors import RunError
from planner.families.protocol import Family
from planner.families.registry import FAMILIES
from planner.workload.execution import RunSettings
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.data.batch_seal import opened
from runtime.data.microbatches import NOTE, are_damaged
from runtime.runs.records import RunRequest
from runtime.spark.worker import step_through
from tests.damage import flipped
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES
from tests.planner.shedding import STAR_SAMPLES
from tests.planner.workloads import SAMPLES

WORKLOADS = (SAMPLES | AGGREGATION_SAMPLES | CHAIN_SAMPLES | STAR_SAMPLES).values()


@pytest.fixture(params=FAMILIES, ids=lambda known: known.name)
def prepared(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> PreparedKernelRun:
    """A short run of the family in a few micro-batches, for one partition."""
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    known: Family = request.param
    workload = next(one for one in WORKLOADS if known.refuses(one) is None)
    short = replace(workload, run=RunSettings(seed=5, warmup=0, duration=20))
    made = prepare(RunRequest(short, known.name, "best", batch_rows=40), 1)
    assert made.batches.batches > 2
    return made


def _given(prepared: PreparedKernelRun) -> list[tuple[int, bytes]]:
    batches = prepared.batches
    tables = [pq.read_table(batches.file(number)) for number in range(batches.batches)]
    return [(number, table["tuples"][0].as_py()) for number, table in enumerate(tables)]


def _stepped(
    prepared: PreparedKernelRun, given: Sequence[tuple[int, bytes]], state: bytes | None = None
) -> bytes | None:
    return step_through(prepared.program.to_json(), state, given, 0, None).state


def test_batches_and_states_are_opened(prepared: PreparedKernelRun) -> None:
    given = _given(prepared)
    state = _stepped(prepared, given[:1])
    assert state is not None
    after = _stepped(prepared, given[1:3], state)
    assert after is not None
    assert opened(after, 2, 0)
    for damaged in (flipped(given[1][1]), given[1][1][:-9], b"", given[0][1]):
        with pytest.raises(RunError, match="batch 1: is damaged"):
            _stepped(prepared, [(1, damaged)], state)
    with pytest.raises(RunError, match="batch 0: is damaged"):
        _stepped(prepared, given[1:2], flipped(state))
    # A batch that is left out, or given twice.
    for wrong in (given[2:3], given[:1]):
        with pytest.raises(RunError, match="is damaged"):
            _stepped(prepared, wrong, state)


def test_every_file_is_known_with_its_length_or_digest(prepared: PreparedKernelRun) -> None:
    batches = prepared.batches
    files = sorted(Path(batches.folder).iterdir())
    assert {file.name for file in files} == {NOTE, *batches.sizes, *batches.schema}
    assert not are_damaged(batches)
    for file in files:
        if file.name in batches.schema:
            whole = file.read_bytes()
            file.write_bytes(flipped(whole))
            assert are_damaged(batches)
            file.write_bytes(whole)

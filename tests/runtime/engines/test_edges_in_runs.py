"""At the edges of what is allowed runs whose queries or plans change give the right answer.

They are prepared as every run is: from files, cut into sealed micro-batches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from planner.errors import SluiceError
from planner.families.capabilities import Changes, Switching
from planner.families.protocol import Family
from planner.families.registry import FAMILIES
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.backends.kernels.in_process import InProcess
from runtime.data.data_writer import write_folder
from runtime.data.run_data import with_data
from runtime.engines.kernels.digest import digest_of
from runtime.runs.records import RunRequest
from tests.oracles.changing_queries import results_while_there
from tests.oracles.joins import Data, results_of
from tests.runtime.driving import tables_of
from tests.runtime.edges import KINDS, Edges

Fuzzed = Callable[[str, Callable[[int], None]], None]
# What only shows when queries enter, or when the tuples are there.
REFUSED = re.compile(
    "too large|missing|beyond|must join as|cannot be compared exactly|leaves no query|not covered"
    "|on the clock of work"
)
MOST_LISTED = 5


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))
    return


def test_queries_that_enter_and_leave(fuzzed: Fuzzed, tmp_path: Path) -> None:
    def check(seed: int) -> None:
        edges = Edges(seed)
        workload, data = edges.changing()
        data = _from_0(data)
        folder = _written(data, tmp_path / "data")
        expected = {
            name: _answer(rows, 2) for name, rows in results_while_there(workload, data).items()
        }
        for known, read in _running(workload, folder, Changes):
            run = _request(edges, known, workload, read, folder)
            found = _found(run, edges.partitions())
            if found is not None:
                # A query that left at the time it came was there and has no results.
                brief = dict.fromkeys(found.keys() - expected.keys(), (0, 0))
                assert found == expected | brief, (known.name, run.label)

    fuzzed("changes", check)


def test_plans_that_follow_their_tuples(fuzzed: Fuzzed, tmp_path: Path) -> None:
    def check(seed: int) -> None:
        edges = Edges(seed)
        draw = edges.chance.choice([Edges.join, Edges.shared, Edges.aggregation])
        workload, data = draw(edges)
        workload = replace(workload, run=RunSettings(warmup=0.0))
        folder = _written(data, tmp_path / "data")
        for known, read in _running(workload, folder, Switching):
            adapting = edges.adapting(workload)
            run = _request(edges, known, adapting, read, folder)
            partitions = edges.partitions()
            found = _found(run, partitions)
            staying = replace(run, workload=workload, batch_rows=None)
            assert found == _found(staying, partitions), (known.name, run.label)
            if found is not None and not workload.queries[0].aggregates:
                assert found == _defined(workload, data), (known.name, run.label)

    fuzzed("adapting", check)


def _from_0(data: Data) -> Data:
    """Times of changes count from the first tuple."""
    begin = min((item[0] for items in data.values() for item in items), default=0)
    return {name: [(ts - begin, values) for ts, values in data[name]] for name in data}


def _written(data: Data, folder: Path) -> Path:
    write_folder(tables_of(data, KINDS), folder)
    return folder


def _running(
    workload: Workload, folder: Path, capability: type
) -> Iterator[tuple[Family, Workload]]:
    """The families that run it and have a capability, and the workload with what its data say."""
    try:
        read, _, _ = with_data(workload, folder)
    except SluiceError as error:
        _check_sentence(error)
        return
    for known in FAMILIES:
        if known.refuses(read) is None and known.space(read).capability(capability) is not None:
            yield known, read


def _request(
    edges: Edges, known: Family, workload: Workload, read: Workload, folder: Path
) -> RunRequest:
    listed = [plan.label for plan in islice(known.space(read).candidates(), MOST_LISTED)]
    label = edges.chance.choice(["best", *listed])
    rows = edges.chance.choice([None, 1, 3])
    return RunRequest(workload, known.name, label, data=folder, batch_rows=rows)


def _found(request: RunRequest, partitions: int) -> dict[str, tuple[int, int]] | None:
    """The answers of a run; None where it is refused in a sentence that says why."""
    try:
        return dict(InProcess(request, partitions).run().answers(request.workload))
    except SluiceError as error:
        _check_sentence(error)
        if not REFUSED.search(str(error)):
            raise
        return None


def _check_sentence(error: SluiceError) -> None:
    assert "\n" not in str(error).strip()


def _defined(workload: Workload, data: Data) -> dict[str, tuple[int, int]]:
    return {
        query.name: _answer(
            results_of(replace(workload, queries=(query,)), data), len(query.sources)
        )
        for query in workload.queries
    }


def _answer(rows: list[tuple[int, ...]], sources: int) -> tuple[int, int]:
    seqs = np.array(rows, np.int64).reshape(len(rows), sources + 1)[:, :-1]
    return len(rows), int(digest_of(np.ascontiguousarray(seqs)))

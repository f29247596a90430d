"""What every family must hold when its plans are run: all of them give the reference answer."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from planner.families import FAMILIES
from planner.family import Family
from planner.workload import Workload
from runtime.feed import feed
from runtime.generate import generate
from runtime.kernels.digest import digest_of
from runtime.programs.program import Span
from tests.planner.workloads import SAMPLES
from tests.runtime.by_duckdb import duckdb_rows
from tests.runtime.driving import compiled, drive

MOST_RUN = 24
# Long enough for results, short enough that DuckDB can list them.
SECONDS = {"self-join": 25.0, "table 6": 130.0, "table 6, per value": 130.0}

CASES = [
    pytest.param(known, workload, SECONDS.get(name, 100.0), id=f"{known.name}: {name}")
    for known in FAMILIES
    for name, workload in SAMPLES.items()
    if known.refuses(workload) is None
]


@pytest.mark.parametrize(("known", "workload", "seconds"), CASES)
def test_every_candidate_gives_the_reference_answer(
    known: Family, workload: Workload, seconds: float
) -> None:
    tables = generate(workload, seconds, seed=13)
    merged = feed(workload, tables)
    span = Span(0, round(seconds * 1_000_000))
    rows = duckdb_rows(workload.queries[0], tables)
    assert rows
    expected = len(rows), int(digest_of(np.array(rows, np.int64)[:, :-1]))
    for number, plan in enumerate(islice(known.candidates(workload), MOST_RUN)):
        partitions, batch = 1 + number % 3, 40 + 37 * (number % 5)
        program, _, split = compiled(workload, merged, span, partitions, plan.label)
        cuts = range(0, len(merged.tuples.ts), batch)
        tally = drive(program, plan, split, merged, cuts, keep_rows=False).tally
        assert (tally.results, tally.digest) == expected, plan.label

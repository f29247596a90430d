"""A shedding policy that is switched while it runs: memory stays, and results are some of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.load_shedding.labels import ONLINE
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.workload.adapt import Adapt
from planner.workload.execution import Change
from planner.workload.workload import Workload
from runtime.backends.kernels.in_process import InProcess
from runtime.backends.kernels.prepare import prepare
from runtime.data.batch_seal import opened
from runtime.engines.protocol import Tally
from runtime.runs.records import RunRequest
from tests.examples import examples

KEYED = load_workload("""
version: 1
name: short of memory
streams:
  - name: A
    rate: 12
    attributes: {k: {distinct: 9, distribution: {zipf: 0.8}}, worth: {distinct: 20}}
    importance: worth
  - name: B
    rate: 8
    attributes: {k: {distinct: 9, distribution: {zipf: 0.8}}, worth: {distinct: 20}}
    importance: worth
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 8], B [RANGE 8] WHERE A.k = B.k"}
execution: {memory: 24}
run: {seed: 4, warmup: 8, duration: 40}
""")
THROUGH_RELATION = load_workload("""
version: 1
name: through a relation
streams:
  - {name: A, rate: 9, attributes: {k: {distinct: 9}, worth: {distinct: 20}}, importance: worth}
  - {name: B, rate: 9, attributes: {m: {distinct: 7}}}
relations:
  - name: R
    rows: 20
    attributes: {k: {distinct: 9}, m: {distinct: 7}}
    changes: {inserts: 0.5, deletes: 0.5}
queries:
  - name: Q1
    text: SELECT * FROM A [RANGE 8], R, B [RANGE 8] WHERE A.k = R.k AND B.m = R.m
execution: {memory: 20}
run: {seed: 4, warmup: 8, duration: 40}
""")


@pytest.fixture(scope="module", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLUICE_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def _switched(workload: Workload, first: str, then: tuple[str, ...]) -> RunRequest:
    """A run that takes these policies one after the other, ten seconds each."""
    changes = tuple(Change(10.0 * place, plan=label) for place, label in enumerate(then, 1))
    run = replace(workload.run, changes=changes)
    return RunRequest(replace(workload, run=run), "load_shedding", first)


def _found(request: RunRequest) -> tuple[set[tuple[int, ...]], Tally]:
    """The results of a run, and its tally."""
    prepared, state, totals = prepare(request, 1), None, b""
    rows: set[tuple[int, ...]] = set()
    for number in range(prepared.batches.batches):
        (row,) = pq.read_table(prepared.batches.file(number)).to_pylist()
        step = prepared.program.step(state, opened(row["tuples"], number, 0), 0, 10**6)
        state, totals = step.state, step.totals
        rows |= {tuple(one) for one in step.rows.tolist()}
    return rows, prepared.program.tally([totals], prepared.plan)


@pytest.mark.parametrize("workload", [KEYED, THROUGH_RELATION], ids=["keys", "relation"])
@examples(8)
@given(
    labels=st.lists(st.sampled_from(ONLINE), min_size=2, max_size=4),
    rows=st.sampled_from([None, 17, 60]),
)
def test_results_are_some_of_all_and_the_same_however_batches_are_cut(
    workload: Workload, labels: list[str], rows: int | None
) -> None:
    first, *then = labels
    then = [label for before, label in pairwise(labels) if label != before]
    exact, _ = _found(RunRequest(workload, "load_shedding", "EXACT"))
    request = _switched(workload, first, tuple(then))
    found, tally = _found(request)
    assert found < exact
    quality = tally.qualities["Q1"]
    assert quality.recall == pytest.approx(len(found) / len(exact))
    shed = tally.shed["evictions"]
    again, parted = _found(replace(request, batch_rows=rows))
    assert (again, parted.qualities, parted.shed["evictions"]) == (found, tally.qualities, shed)
    assert parted.costs == tally.costs
    assert parted.moved == tally.moved
    assert tally.shed["exact"]["results"] == len(exact)
    assert "estimates" not in tally.shed or not then


def test_the_work_of_moving_is_priced_and_counted() -> None:
    space = family("load_shedding").space(KEYED)
    for after in ONLINE[1:]:
        _, tally = _found(_switched(KEYED, "RAND-S", (after,)))
        predicted = space.moved(space.plan("RAND-S"), space.plan(after)).comparisons  # type: ignore[attr-defined]
        (moved,) = tally.moved.values()
        assert moved.comparisons == pytest.approx(predicted, abs=2)
        # Memory was full, or nothing had to be ranked.
        assert moved.comparisons in (0, 24)


def test_where_memory_holds_all_every_policy_keeps_all() -> None:
    short = replace(KEYED, execution=replace(KEYED.execution, memory=10_000))
    found, _ = _found(_switched(short, "RAND-S", ("SIMP-S", "GAIN-S")))
    exact, _ = _found(RunRequest(short, "load_shedding", "EXACT"))
    assert found == exact


def test_what_cannot_take_over_is_refused() -> None:
    for label in ("OSSJ", "EXACT"):
        with pytest.raises(PlanError, match=f"run.changes at 10 s: {label} "):
            prepare(_switched(KEYED, "RAND-S", (label,)), 1)


def test_it_adapts_to_the_best_policy_within_reach() -> None:
    run = replace(KEYED.run, adapt=Adapt("regret", every=8.0))
    adapting = InProcess(RunRequest(replace(KEYED, run=run), "load_shedding", "RAND-S"))
    found = adapting.run()
    (made,) = adapting.switches
    assert (made.before, made.at) == ("RAND-S", 8_000_000)
    assert made.after in ONLINE
    assert made.reason.startswith("the new plan gives 2.3x more importance, and moving costs ")
    staying, _ = _found(RunRequest(KEYED, "load_shedding", "RAND-S"))
    assert found.results > len(staying)

"""A run that adapts, on Spark: as a replay, a stream, and one that was interrupted and resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.files.workload_file import load_workload
from planner.workload.adapt import Adapt
from planner.workload.execution import Change
from runtime.backends.kernels.hindsight import hindsight
from runtime.control.execute import run
from runtime.control.resume import resume
from runtime.data.data_writer import write_folder
from runtime.runs.history import History
from runtime.runs.records import RunRequest
from runtime.runs.run_json import run_document
from tests.runtime.adapting import request_of, traced
from tests.runtime.breaking_off import broken_off, check_same, measured

TEXT = """
version: 1
name: a triangle
streams:
  - {name: A, rate: 20, attributes: {k: {distinct: 12}, j: {distinct: 3}}}
  - {name: B, rate: 5, attributes: {k: {distinct: 5}, m: {distinct: 4}}}
  - {name: C, rate: 10, attributes: {m: {distinct: 9}, j: {distinct: 6}}}
queries:
  - name: Q
    text: >-
      SELECT * FROM A [RANGE 4], B [RANGE 4], C [RANGE 4]
      WHERE A.k = B.k AND B.m = C.m AND A.j = C.j
execution: {join: hash, buckets: 2}
"""


AGGREGATION = """
version: 1
name: an aggregation
streams:
  - {name: A, rate: 20, attributes: {k: {distinct: 6}, g: {distinct: 3}}}
  - {name: B, rate: 5, attributes: {k: {distinct: 6}, v: {distinct: 9}}}
queries:
  - name: Q
    text: SELECT A.g, SUM(B.v) FROM A [RANGE 4], B [RANGE 4] WHERE A.k = B.k GROUP BY A.g
execution: {join: hash}
"""
CHAIN = """
version: 1
name: two windows
streams:
  - {name: A, rate: 20, attributes: {k: {distinct: 4}, v: {distinct: 10}}}
  - {name: B, rate: 5, attributes: {k: {distinct: 4}}}
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 1], B [RANGE 1] WHERE A.k = B.k"}
  - {name: Q2, text: "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.k = B.k AND A.v > 6"}
"""
SHEDDING = """
version: 1
name: short of memory
streams:
  - {name: A, rate: 20, attributes: {k: {distinct: 9}, worth: {distinct: 9}}, importance: worth}
  - {name: B, rate: 5, attributes: {k: {distinct: 9}, worth: {distinct: 9}}, importance: worth}
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.k = B.k"}
execution: {memory: 16}
"""
# A family, the plan that a run begins with, and its workload.
RUNS = {
    "join_order": ("best", TEXT),
    "early_aggregation": ("LAP", AGGREGATION),
    "sliced_chain": ("pull-up", CHAIN),
    "load_shedding": ("RAND-S", SHEDDING),
}


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("family", RUNS)
def test_all_ways_switch_alike(family: str, tmp_path: Path) -> None:
    label, text = RUNS[family]
    workload = load_workload(text)
    rates = [(20, 2, 2), (2, 2, 20)]
    write_folder(traced(workload, rates, 6.0, 1), tmp_path / "data")
    request = request_of(workload, family, label, tmp_path / "data", "regret")
    # Each partition of a memory is a memory of its own: one, so that batches alone are cut.
    request = replace(request, partitions=1 if family == "load_shedding" else 2)
    whole = run(replace(request, way="replay"))
    assert whole.switches
    lost = broken_off(replace(request, batch_rows=40, watch=True), batches=3)
    for again in (resume(lost.id), History().get(whole.id)):
        check_same(again, whole)
        made = [replace(switch, batch=0) for switch in again.switches]
        assert made == [replace(switch, batch=0) for switch in whole.switches]
        assert measured(again).moved == measured(whole).moved
        assert again.out_of_reach == whole.out_of_reach
        assert again.plan == whole.plan
        # It is listed among the runs of its workload, whichever plans it took.
        assert again.workload.digest == whole.workload.digest
        assert not again.workload.run.changes
    # A stream is watched for its decisions; what was seen before it was killed is there.
    seen = measured(resumed := History().get(lost.id)).observed
    assert [batch.batch for batch in seen] == list(range(resumed.batches))
    document = run_document(whole)
    assert document["switches"][0]["reason"]
    assert document["deciding_seconds"] > 0
    assert run_document(resumed)["statistics"]["seconds"] > 0
    built = [switch["moving"] for switch in document["switches"]]
    # Chains change within their program, which has nothing to move.
    assert all(bool(moving["measured"]) == (moving["predicted"] > 0) for moving in built)
    if family == "join_order":
        # An index that only the new plan looks into is built from its window.
        assert len(lost.switches) < len(whole.switches)
        assert any(moving["measured"] for moving in built)
    if family == "load_shedding":
        assert "OSSJ" in {plan.label for plan in whole.out_of_reach}


def test_what_cannot_adapt_is_refused(tmp_path: Path) -> None:
    request = request_of(load_workload(TEXT), "join_order", "best", tmp_path, "regret")
    with pytest.raises(RunError, match=r"run.adapt: Spark's own operators keep the plan"):
        replace(request, backend="native")
    settings = replace(request.workload.run, changes=(Change(3, plan="A,B,C"),), adapt=Adapt())
    with pytest.raises(RunError, match=r"leave out run.adapt or run.changes"):
        RunRequest(replace(request.workload, run=settings), "join_order", "best")


def test_hindsight_measures_plans_that_stay_on_the_same_batches(tmp_path: Path) -> None:
    workload = load_workload(TEXT)
    write_folder(traced(workload, [(20, 2, 2), (2, 2, 20)], 6.0, 1), tmp_path / "data")
    found = hindsight(request_of(workload, "join_order", "best", tmp_path / "data", "regret"))
    assert {switch.after for switch in found.switches} <= set(found.static)
    assert all(len(work) == len(found.ends) for work in (found.adaptive, *found.static.values()))
    # No plan does less than the best of every batch, nor does a run that moves between them.
    least = found.oracle()
    assert least <= found.static[found.best].sum() <= found.static[found.worst].sum()
    assert least <= found.adaptive.sum()
    assert found.oracle([6.0]) >= least

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


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_all_ways_switch_alike(tmp_path: Path) -> None:
    workload = load_workload(TEXT)
    rates = [(20, 2, 2), (2, 2, 20)]
    write_folder(traced(workload, rates, 6.0, 1), tmp_path / "data")
    request = request_of(workload, "join_order", "best", tmp_path / "data", "regret")
    request = replace(request, partitions=2)
    whole = run(replace(request, way="replay"))
    assert whole.switches
    lost = broken_off(replace(request, batch_rows=40), batches=3)
    for again in (resume(lost.id), History().get(whole.id)):
        check_same(again, whole)
        made = [replace(switch, batch=0) for switch in again.switches]
        assert made == [replace(switch, batch=0) for switch in whole.switches]
        assert measured(again).moved == measured(whole).moved
    assert len(lost.switches) < len(whole.switches)
    assert run_document(whole)["switches"][0]["reason"]
    # An index that only the new plan looks into is built from its window.
    built = [switch["moving"] for switch in run_document(whole)["switches"]]
    assert any(moving["measured"] > 0 for moving in built)
    assert all((moving["measured"] > 0) == (moving["predicted"] > 0) for moving in built)


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

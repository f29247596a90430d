"""Runs that break off and are resumed, beside the same run that did not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.plan.cost import Measurement
from runtime.control.execute import run
from runtime.control.resume import resume
from runtime.runs.history import History
from runtime.runs.records import Progress, Run, RunRequest

# What a run does that breaks off is added: changes, a schedule.
TWO_WINDOWS = """
version: 1
name: two windows
streams:
  - {name: A, rate: 8, attributes: {k: {distinct: 6}, v: {distinct: 10}}}
  - {name: B, rate: 8, attributes: {k: {distinct: 6}}}
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 2], B [RANGE 2] WHERE A.k = B.k"}
  - {name: Q2, text: "SELECT * FROM A [RANGE 8], B [RANGE 8] WHERE A.k = B.k AND A.v > 6"}
"""

WAYS = ("whole", "cut", "resumed")


def measured(ended: Run) -> Measurement:
    """What was measured in a run that ended well."""
    assert ended.measurement is not None
    return ended.measurement


def broken_off(request: RunRequest, batches: int) -> Run:
    """The same run, broken off after so many micro-batches."""

    def break_off(progress: Progress) -> None:
        if progress.batches_done == batches:
            raise OSError("no room left")

    with pytest.raises(RunError, match="was interrupted"):
        run(request, break_off)
    return History().runs(status="failed")[0]


def check_same(one: Run, other: Run) -> None:
    """All that does not depend on the clock of the machine is the same."""
    first, second = measured(one), measured(other)
    for name in ("answers", "results", "qualities", "schedules", "shed", "recomputations"):
        assert getattr(first, name) == getattr(second, name), name
    assert set(first.costs) == set(second.costs)
    for operator, cost in first.costs.items():
        # Sums over partitions and batches differ in their last digit.
        assert second.costs[operator].as_dict() == pytest.approx(cost.as_dict())


def run_all_ways(request: RunRequest, folder: Path) -> Run:
    """A replay, the same as a stream, and a stream that broke off and was resumed: all agree.

    The replay is returned; the results of each are in the folder of its way (`WAYS`).
    """
    whole = run(replace(request, way="replay", results=folder / "whole"))
    cut = replace(request, way="stream", batch_rows=110, results=folder / "cut")
    check_same(run(cut), whole)
    lost = broken_off(replace(cut, results=folder / "resumed"), batches=3)
    check_same(resume(lost.id), whole)
    assert History().get(whole.id) == whole
    return whole

"""Records of runs made by hand, for tests that run nothing."""

from __future__ import annotations

from dataclasses import replace

from planner.families.registry import family
from planner.plan.cost import Cost, Estimate, Measurement, Timings
from planner.workload.execution import RunSettings
from runtime.runs.records import Run, RunRequest, Status
from tests.planner.workloads import TABLE_5, equality_join


def a_request(label: str = "S1,S2,S3,S4", seed: int = 1) -> RunRequest:
    """A request to run a plan of the paper's table 5."""
    workload = replace(equality_join(TABLE_5), run=RunSettings(seed=seed))
    return RunRequest(workload, "join_order", label)


def a_run(
    run_id: str,
    started: float = 1000.0,
    status: Status = "finished",
    error: str | None = None,
    seed: int = 1,
) -> Run:
    """A run that has ended; if it is finished, with a measurement."""
    request = a_request(seed=seed)
    plan = family("join_order").space(request.workload).plan(request.label)
    predicted = family("join_order").space(request.workload).estimate(plan).costs
    measured = Measurement(
        costs={operator.id: Cost(comparisons=5.0, rows_out=0.5) for operator in plan.operators()},
        qualities={},
        timings=Timings(3.0, 2.0, 1.0),
        rows={"S1": 10},
        results={"Q1": 7},
        answers={"Q1": "00ff"},
        replicated_inserts=4,
    )
    return Run(
        id=run_id,
        request=request,
        workload=request.workload,
        plan=plan,
        estimate=Estimate(predicted),
        partitions=2,
        batches=3,
        data_digest="d",
        versions={"python": "3"},
        started=started,
        status=status,
        finished=started + 3,
        measurement=measured if status == "finished" else None,
        error=error,
        warnings=("a warning",),
    )

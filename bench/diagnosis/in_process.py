"""The record of a run whose plan was stepped through the kernels in this process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planner.experiments.experiment import Point
from planner.families.registry import family
from planner.files.tuple_table import Table
from planner.plan.cost import Measurement, Timings
from planner.workload.workload import Workload
from runtime.experiments.measurement import Sampler
from runtime.runs.records import Run, RunRequest


def run_of(
    workload: Workload, name: str, label: str, tables: Mapping[str, Table], own_data: bool
) -> Run:
    """What Spark would have recorded of the plan on these tuples but for its seconds."""
    point = Point(0.0, workload, name, label, tuples=lambda _: tables)
    sample = Sampler().sample(point, workload.run.seed)
    plan = sample.plan
    assert plan is not None
    query = workload.queries[0].name
    by_query = sample.by_query or {query: (sample.results, 0)}
    measurement = Measurement(
        costs=sample.operators,
        qualities=sample.qualities,
        timings=Timings(0.0, 0.0, sample.seconds),
        rows={name: len(table) for name, table in tables.items()},
        results={query: results for query, (results, _) in by_query.items()},
        answers={},
        schedules=sample.schedules,
        shed=sample.shed,
    )
    return Run(
        id=f"{workload.name}, {plan.label}",
        request=RunRequest(workload, name, plan.label, data=Path("own data") if own_data else None),
        workload=workload,
        plan=plan,
        estimate=family(name).space(workload).estimate(plan),
        partitions=1,
        batches=1,
        data_digest="",
        versions={},
        started=0.0,
        status="finished",
        measurement=measurement,
    )

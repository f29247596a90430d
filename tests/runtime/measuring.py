"""Runs measured in this process, for tests that need true counts and no Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from planner.families.registry import applicable, family
from planner.files.tuple_table import Table
from planner.plan.cost import Measurement, Timings
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.data.run_data import data_digest, generated, run_seconds
from runtime.engines.kernels.digest import as_text
from runtime.runs.records import Run, RunRequest
from tests.runtime.driving import counted, feed_of


def measured_run(
    workload: Workload,
    label: str = "best",
    run_id: str = "run",
    tables: Mapping[str, Table] | None = None,
) -> Run:
    """The record of a run of this plan, its counts made by the kernels.

    Other tuples than those of the workload may be given: what a user's own data do to a model.
    """
    chosen = applicable(workload, "test")
    plan = chosen.space(workload).best() if label == "best" else chosen.space(workload).plan(label)
    estimate = replace(family(plan.family).space(workload).estimate(plan), formulas={})
    arrived = tables or generated(workload)
    span = Span(microseconds(workload.warmup), microseconds(run_seconds(workload)))
    tally = counted(plan, workload, feed_of(plan, workload)(workload, arrived), span)
    answers = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
    measurement = Measurement(
        costs=tally.costs,
        qualities={},
        timings=Timings(3.0, 2.0, 1.0),
        rows={name: len(table) for name, table in arrived.items()},
        results={name: results for name, (results, _) in answers.items()},
        answers={name: as_text(digest) for name, (_, digest) in answers.items()},
    )
    return Run(
        id=run_id,
        request=RunRequest(workload, plan.family, plan.label),
        workload=workload,
        plan=plan,
        estimate=estimate,
        partitions=1,
        batches=1,
        data_digest=data_digest(workload, dict(tables) if tables else None),
        versions={},
        started=1000.0,
        status="finished",
        finished=1003.0,
        measurement=measurement,
    )

"""Answers of aggregations that are kept to be looked at: where, and what was kept."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.families.registry import family
from planner.plan.cost import total
from planner.workload.workload import Workload
from runtime.data.folders import answers_home
from runtime.data.run_data import run_seconds
from runtime.runs.records import Run
from runtime.runs.result_files import safe_file_name

MOST_CHANGES = 1_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """The groups at the end of a run, and every change of a group."""

    groups: pa.Table
    changes: pa.Table


def folder_for(workload: Workload, family_name: str, label: str) -> Path | None:
    """A new folder for the answer of this aggregation; None where its changes would be too many."""
    if expected_changes(workload, family_name, label) > MOST_CHANGES:
        return None
    return answers_home() / uuid.uuid4().hex[:12]


def expected_changes(workload: Workload, family_name: str, label: str) -> float:
    """How many changes of groups a run should make, its warm-up included."""
    space = family(family_name).space(workload)
    plan = space.plan(label)
    cost = total(space.estimate(plan).costs, (root.id for root in plan.roots))
    return cost.rows_out * run_seconds(workload)


def answer_of(run: Run) -> Answer | None:
    """What the run kept; None where it kept nothing, or its files are gone."""
    if run.request.results is None:
        return None
    (query,) = run.workload.queries
    name = safe_file_name(query.name)
    files = [run.request.results / f"{name}{part}.parquet" for part in ("", ".changes")]
    if not all(file.is_file() for file in files):
        return None
    try:
        return Answer(*map(pq.read_table, files))
    except (OSError, pa.ArrowInvalid) as error:
        raise RunError(f"the kept answer cannot be read: {error}", run.id) from error

"""What was measured of the plans of a workload: the newest finished run of each plan."""

from __future__ import annotations

from collections.abc import Mapping

from pages.parts.shared import backend, planning
from planner.plan.objective import Objective
from runtime.runs.run_groups import by_plan, same_data, scores

# So many of the latest runs are looked through.
_MOST_RUNS = 200


def measured_scores(family: str, by: Objective) -> Mapping[str, float]:
    """The measured figure of each plan that was run, by its label."""
    every = backend.summaries_of(planning.digests(), _MOST_RUNS)
    own = [run for run in every if run.family == family and run.status == "finished"]
    if not own:
        return {}
    newest = [plan.newest for plan in by_plan(same_data(own)) if plan.newest.backend == "kernels"]
    runs = backend.records(tuple(run.id for run in newest))
    found = {run.plan.label: scores(run, by)[1] for run in runs.values()}
    return {label: figure for label, figure in found.items() if figure is not None}

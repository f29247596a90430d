"""The aggregates that a run has found: estimate, standard error and the exact figure of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from planner.families.load_shedding.aggregates import WITHIN, meaning_of
from planner.families.load_shedding.labels import EXACT
from planner.workload.workload import Workload
from runtime.engines.load_shedding.kernel.types import NOT_ADMITTED, REPLACED, ShedCounters
from runtime.runs.result_files import safe_file_name, written_to

if TYPE_CHECKING:
    from runtime.engines.load_shedding.program import StarProgram

# The first aggregate counts the results of a group; those of the query come behind it.
_OWN = slice(1, None)


def aggregate_figures(program: StarProgram, counters: ShedCounters) -> dict[str, Any]:
    """Over time of all results, and at the end by group; figures stand in the order of `names`."""
    join, aggregation = program.join, program.schema.aggregation
    shed = counters.evictions[:, [NOT_ADMITTED, REPLACED]].sum()
    is_exact = join.policy == EXACT or shed == 0
    found = counters.aggregates
    exact = np.array(program.schema.exact_aggregates).reshape(found.shape)
    errors = _errors(program, counters, is_exact)
    times = len(aggregation.evaluations)
    shown = (found[:, 0] != 0) | (exact[:, 0] != 0)
    places = [times + n for n in range(len(aggregation.groups)) if shown[times + n]]
    groups = [aggregation.groups[place - times] for place in places]
    if not aggregation.group:
        places, groups = [times - 1] if times else [], [None]
    return {
        "names": aggregation.names,
        "meanings": [meaning_of(f, is_exact, join.is_unbiased) for f in aggregation.functions],
        "grouped": bool(aggregation.group),
        "answer": [
            {"group": group, **_figures(found[place], errors[place], exact[place])}
            for group, place in zip(groups, places, strict=False)
        ],
        "over_time": [
            {"at": at / 1e6, **_figures(found[n], errors[n], exact[n])}
            for n, at in enumerate(aggregation.evaluations)
        ],
    }


def write_aggregates(workload: Workload, aggregates: Mapping[str, Any], folder: Path) -> None:
    """Write `QUERY.parquet`: a row for each group, with what was found of each aggregate, its
    standard error and the exact figure."""
    (query,) = workload.queries
    answer = aggregates["answer"]
    columns = {str(column): [own["group"] for own in answer] for column in query.group_by}
    for n, name in enumerate(aggregates["names"]):
        for figure in ("found", "error", "exact"):
            head = name if figure == "found" else f"{name} {figure}"
            columns[head] = pa.array([own[figure][n] for own in answer], pa.float64())
    with written_to(folder):
        pq.write_table(pa.table(columns), folder / f"{safe_file_name(query.name)}.parquet")


def _errors(program: StarProgram, counters: ShedCounters, is_exact: bool) -> NDArray[np.float64]:
    """The standard errors; NaN where none is known."""
    if is_exact:
        return np.zeros_like(counters.variances)
    known = program.join.moments[0]
    errors = np.full_like(counters.variances, np.nan)
    # An estimate of a small variance can be below 0.
    errors[:known] = np.sqrt(np.maximum(counters.variances[:known], 0))
    return errors


def _figures(
    found: NDArray[np.float64], errors: NDArray[np.float64], exact: NDArray[np.float64]
) -> dict[str, list[float | None]]:
    def listed(values: NDArray[np.float64]) -> list[float | None]:
        return [None if np.isnan(value) else float(value) for value in values[_OWN]]

    return {
        "found": listed(found),
        "error": listed(errors),
        "low": listed(found - WITHIN * errors),
        "high": listed(found + WITHIN * errors),
        "exact": listed(exact),
    }

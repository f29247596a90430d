"""What queries that enter and leave while a run goes on should be given, by definition."""

from __future__ import annotations

from dataclasses import replace

from planner.workload.changes import stages_of
from planner.workload.workload import Workload
from tests.oracles.joins import Data, results_of


def results_while_there(workload: Workload, data: Data) -> dict[str, list[tuple[int, ...]]]:
    """Every query for the time it is there, of tuples that came while it was; rows are sorted."""
    stages = stages_of(workload)
    found: dict[str, list[tuple[int, ...]]] = {}
    for number, stage in enumerate(stages):
        end = stages[number + 1].at if number + 1 < len(stages) else None
        for query in stage.workload.queries:
            rows = found.setdefault(query.name, [])
            since = stage.entered.get(query.name, -1)
            for row in results_of(replace(workload, queries=(query,)), data):
                pairs = zip(query.sources, row, strict=False)
                times = [data[source.name][seq][0] for source, seq in pairs]
                here = row[-1] >= (stage.at or 0) and (end is None or row[-1] < end)
                if here and min(times) >= since:
                    rows.append(row)
    return {name: sorted(rows) for name, rows in found.items()}

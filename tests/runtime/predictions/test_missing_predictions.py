"""Values that are missing: sets have entries for them, and keys that are missing meet nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planner.experiments.experiment import Point
from planner.families.early_aggregation import EarlyAggregation
from planner.workload.execution import Execution, RunSettings
from runtime.experiments.measurement import Sampler
from tests.planner.aggregations import aggregation

FAMILY = EarlyAggregation()
FIELDS = ("comparisons", "group_updates", "rows_out", "state_tuples")
SEEDS = (1, 2, 3)
STREAMS: dict[str, tuple[float, dict[str, Any]]] = {
    "A": (40, {"j": {"distinct": 20, "missing": 0.4}, "g": {"distinct": 30, "missing": 0.3}}),
    "B": (50, {"j": 20}),
}
TEXT = "SELECT A.g, COUNT(*) FROM A [RANGE 5], B [RANGE 5] WHERE A.j = B.j GROUP BY A.g"


@pytest.mark.parametrize("buckets", ["per-value", 3, 1])
def test_every_operator_costs_what_the_model_says(buckets: Any) -> None:
    execution = Execution() if buckets == 1 else Execution(join="hash", buckets=buckets)
    workload = aggregation(TEXT, execution, STREAMS, {})
    workload = replace(workload, run=RunSettings(warmup=10, duration=60))
    sampler = Sampler()
    for label in ("LAP", "EAP-11"):
        plan = FAMILY.space(workload).plan(label)
        point = Point(0, workload, FAMILY.name, label)
        runs = [sampler.sample(point, seed).operators for seed in SEEDS]
        said = FAMILY.space(workload).estimate(plan).costs
        for operator in plan.operators():
            for field in FIELDS:
                found = sum(getattr(run[operator.id], field) for run in runs) / len(runs)
                expected = getattr(said[operator.id], field)
                assert expected == pytest.approx(found, rel=0.07), (label, operator.kind, field)

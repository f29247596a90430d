"""Extrema over windows that only grow: predicted beside counted, as a mean over sets of tuples."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.experiments.experiment import Point
from planner.families.early_aggregation import NAME
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload
from runtime.experiments.measurement import Sampler

SEEDS = range(1, 31)


def _workload(keys: int, groups: int, rate: float, seconds: float) -> Workload:
    distinct = {"S0": {"k": keys, "g": groups, "v": 10}, "S1": {"k": keys}}
    streams = [
        {"name": name, "rate": rate, "attributes": {a: {"distinct": n} for a, n in own.items()}}
        for name, own in distinct.items()
    ]
    text = (
        "SELECT S0.g, MAX(S0.v), COUNT(*) FROM S0 [LANDMARK], S1 [RANGE 5.49] "
        "WHERE S0.k = S1.k GROUP BY S0.g"
    )
    content = {
        "version": 1,
        "name": "growing",
        "streams": streams,
        "queries": [{"name": "Q1", "text": text}],
        "run": {"seed": 1, "warmup": 0, "duration": seconds},
    }
    return load_workload(json.dumps(content), "growing")


@pytest.mark.parametrize("label", ["LAP", "EAP-11"])
@pytest.mark.parametrize(("keys", "groups"), [(1000, 10), (300, 30)])
def test_extrema_found_anew_over_a_landmark_window_cost_what_is_predicted(
    keys: int, groups: int, label: str
) -> None:
    """Few tuples meet, so that the work grows with the third power of time: priced at the middle of
    the span it was half of what is counted."""
    workload = _workload(keys, groups, 5, 30)
    space = family(NAME).space(workload)
    plan = space.plan(label)
    update = next(operator for operator in plan.operators() if operator.kind == "update")
    predicted = space.estimate(plan).costs[update.id].comparisons
    point = Point(label, workload, NAME, label)
    counted = [Sampler().sample(point, seed).operators[update.id].comparisons for seed in SEEDS]
    error = np.std(counted, ddof=1) / np.sqrt(len(counted))
    assert predicted == pytest.approx(np.mean(counted), abs=2.5 * error)
    assert error < 0.2 * np.mean(counted), "the tuples are enough to tell"


def test_the_ranking_and_the_operators_agree_on_it() -> None:
    space = family(NAME).space(_workload(50, 5, 20, 60))
    for candidate in space.rank().candidates:
        plan = space.plan(candidate.label)
        costs = space.estimate(plan).costs.values()
        added = sum(cost.operations for cost in costs)
        assert candidate.cost.operations == pytest.approx(added)

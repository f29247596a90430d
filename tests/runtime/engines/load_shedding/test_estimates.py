"""Where victims are chosen at random, a result that was found counts for those that were lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.statistics.generate import generate
from planner.workload.streams import RelationChanges
from planner.workload.workload import Workload
from tests.runtime.shedding import driven, star_workload

_SEEDS = 400


def _workload(arms: int) -> Workload:
    made = star_workload([12, 9, 6][:arms], memory=5 * arms)
    (relation,) = made.relations
    relation = replace(relation, rows=20, changes=RelationChanges(0.2, 0.2))
    streams = tuple(replace(stream, rate=1.5) for stream in made.streams)
    return replace(made, streams=streams, relations=(relation,))


@pytest.mark.parametrize("arms", [2, 3])
def test_estimates_of_all_results_and_their_importance_are_right_on_average(arms: int) -> None:
    workload = _workload(arms)
    tables = generate(workload, 60, seed=11)
    estimates = []
    for seed in range(_SEEDS):
        seeded = replace(workload, run=replace(workload.run, seed=seed))
        shed = driven(seeded, tables, "RAND-S").tally.shed
        estimates.append((shed["estimates"]["results"], shed["estimates"]["importance"]))
    exact = shed["exact"]["results"], shed["exact"]["importance"]
    assert exact[0] > 50
    mean, error = np.mean(estimates, axis=0), np.std(estimates, axis=0) / np.sqrt(_SEEDS)
    # 3.3 standard errors: by chance one mean in a thousand lies further away.
    assert (np.abs(mean - exact) < 3.3 * error).all(), (mean, exact, error)


def test_other_policies_estimate_nothing_and_ample_memory_is_exact() -> None:
    workload = _workload(2)
    tables = generate(workload, 60, seed=11)
    assert "estimates" not in driven(workload, tables, "SIMP-S").tally.shed
    ample = replace(workload, execution=replace(workload.execution, memory=1000))
    shed = driven(ample, tables, "RAND-S").tally.shed
    assert shed["estimates"] == pytest.approx(shed["exact"])

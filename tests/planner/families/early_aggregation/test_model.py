"""The model of early aggregation against plans run tuple by tuple in plain Python."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from planner.families.early_aggregation import EarlyAggregation
from planner.families.early_aggregation.window_sizes import occupied, values_of
from planner.plan.cost import Cost
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from tests.oracles.aggregation_plans import Simulation
from tests.planner.aggregations import AGGREGATION_SAMPLES, aggregation

FAMILY = EarlyAggregation()
SEEDS = 3
FIELDS = ("comparisons", "group_updates", "rows_out", "state_tuples")
SIMULATED = ("probe", "insert", "aggregate", "update", "output")


def _measured(workload: Workload, plan: Plan) -> Mapping[str, Cost]:
    runs = [Simulation(workload, plan, seed).run(20, 120) for seed in range(SEEDS)]
    total: dict[str, Cost] = {}
    for run in runs:
        for identity, cost in run.items():
            total[identity] = total.get(identity, Cost()) + cost
    return {
        identity: Cost(**{name: value / SEEDS for name, value in cost.as_dict().items()})
        for identity, cost in total.items()
    }


@pytest.mark.parametrize(
    ("sample", "label"),
    [
        ("sliding", "LAP"),
        ("sliding", "EAP-11"),
        ("rows and range", "EAP-10"),
        ("tumbling", "EAP-01"),
        ("tumbling", "LAP"),
        ("tumbling and sliding", "EAP-11"),
        ("three on one attribute", "EAP-101"),
        ("three on two attributes", "EAP-111"),
        ("by the key", "EAP-11"),
        ("relation", "EAP-01"),
        ("one source", "LAP"),
        ("frequent keys", "EAP-11"),
        ("frequent keys", "EAP-01"),
        ("self-join", "LAP"),
        ("self-join", "EAP-10"),
        ("self-join", "EAP-11"),
    ],
)
def test_every_operator_costs_what_the_model_says(sample: str, label: str) -> None:
    """To a twelfth: the mean of a few short runs is as far from the expected value."""
    workload = AGGREGATION_SAMPLES[sample]
    plan = FAMILY.space(workload).plan(label)
    predicted = FAMILY.space(workload).estimate(plan).costs
    measured = _measured(workload, plan)
    for operator in plan.operators():
        if operator.kind not in SIMULATED:
            continue
        for field in FIELDS:
            said, found = (getattr(costs[operator.id], field) for costs in (predicted, measured))
            assert said == pytest.approx(found, rel=1 / 12, abs=0.05), (operator, field)


@pytest.mark.parametrize("groups", ["S1.g, S3.j", "S1.g, S2.x"])
def test_groups_on_several_sources_of_a_join_graph(groups: str) -> None:
    """Results of a group share tuples: there are fewer groups than as many results would fill."""
    text = (
        f"SELECT {groups}, COUNT(*) FROM S1 [RANGE 6], S2 [RANGE 6], S3 [RANGE 6] "
        f"WHERE S1.j = S2.j AND S2.k = S3.h GROUP BY {groups}"
    )
    workload = aggregation(text)
    plan = FAMILY.space(workload).plan("EAP-111")
    predicted = FAMILY.space(workload).estimate(plan).costs
    measured = _measured(workload, plan)
    for operator in plan.operators():
        if operator.kind in ("update", "output"):
            for field in ("state_tuples", "rows_out"):
                said, found = (getattr(c[operator.id], field) for c in (predicted, measured))
                assert said == pytest.approx(found, rel=1 / 12), (operator, field)


def test_tumbling_windows_of_one_length_fill_together() -> None:
    """A composite of k windows besides the arriving tuple is met with 1/(k+1) of its full size."""
    text = (
        "SELECT COUNT(*) FROM S1 [TUMBLING 8], S2 [TUMBLING 8], S3 [TUMBLING 8] "
        "WHERE S1.j = S2.j AND S2.j = S3.j"
    )
    workload = aggregation(text)
    plan = FAMILY.space(workload).plan("LAP")
    (update,) = [o for o in plan.operators() if o.kind == "update"]
    rates = (4, 5, 3)
    full = 4 * 5 * 3 * 8**2 / 8**2
    expected = sum(rate * full / rate / 3 for rate in rates)
    cost = FAMILY.space(workload).estimate(plan).costs[update.id]
    assert cost.group_updates == pytest.approx(expected)
    assert _measured(workload, plan)[update.id].group_updates == pytest.approx(expected, rel=0.08)


def test_entries_are_fewer_than_both_upper_bounds() -> None:
    """Where there are as many cells as tuples, 1 - 1/e of them are filled."""
    streams = {"A": (100.0, {"j": 50, "g": 20}), "B": (100.0, {"j": 50})}
    text = "SELECT A.g, COUNT(*) FROM A [ROWS 1000], B [ROWS 1000] WHERE A.j = B.j GROUP BY A.g"
    sizes = FAMILY.space(aggregation(text, streams=streams, relations={})).sizes()[0]
    assert (sizes.tuples, sizes.cells, sizes.entries_bound) == (1000, 1000, 1000)
    assert sizes.entries == pytest.approx(1000 * (1 - 0.999**1000))


def test_a_window_of_less_than_a_tuple_fills_no_more_than_it_holds() -> None:
    streams = {"A": (0.01, {"j": 1}), "B": (1.0, {"j": 1})}
    for arrivals in ("RANGE 5", "ROWS 1"):
        text = f"SELECT COUNT(*) FROM A [{arrivals}], B [RANGE 9] WHERE A.j = B.j"
        sizes = FAMILY.space(aggregation(text, streams=streams, relations={})).sizes()[0]
        assert sizes.entries <= sizes.tuples


def test_keys_in_blocks_give_what_keys_one_by_one_give() -> None:
    """Half a million keys under Zipf stand in blocks; every one of them counted is the same."""
    spread = (1, 500_000, 1.1)
    shares = np.arange(1, 500_001, dtype=np.float64) ** -1.1
    shares /= shares.sum()
    exact = float((-np.expm1(20_000 * np.log1p(-shares))).sum())
    assert occupied(values_of(spread), 20_000, varying=False) == pytest.approx(exact, rel=1e-4)

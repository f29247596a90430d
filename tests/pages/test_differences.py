"""The difference of two plans in every family: operators aligned by id, deltas that add up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.parts.plans import difference
from pages.parts.shared import samples
from planner.families.registry import applicable
from planner.plan.cost import Cost
from planner.plan.difference import ComparedPlan
from planner.workload.workload import Workload

PAIRS = {
    "golab-table-5": ("S1,S2,S3,S4", "S1,S2,S4,S3"),
    "network-packets": ("LAP", "EAP-11"),
    "temperature-humidity": ("chain:0-60-3600", "unshared"),
}


def side(workload: Workload, label: str, share: float) -> ComparedPlan:
    """A plan of which this share of what is predicted was measured."""
    space = applicable(workload, "test").space(workload)
    plan = space.plan(label)
    costs = space.estimate(plan).costs
    measured = {
        name: Cost(**{field: share * value for field, value in cost.as_dict().items()})
        for name, cost in costs.items()
    }
    return ComparedPlan(label, plan, costs, measured)


@pytest.mark.parametrize("sample", PAIRS)
def test_operators_are_aligned_and_their_deltas_add_up(sample: str) -> None:
    found = samples.find(sample)
    assert found is not None
    first, second = (
        side(found.workload, label, share)
        for label, share in zip(PAIRS[sample], (0.9, 1.1), strict=True)
    )
    fields = [name for name in difference.kinds(first, second) if name != "operations"]
    whole = difference.whole_table(first, second, fields)
    assert not whole["Kind of work"].duplicated().any()
    ids = [{operator.id for operator in plan.plan.operators()} for plan in (first, second)]
    for field, row in zip(fields, whole.to_dict("records"), strict=True):
        frame = difference.operator_table(first, second, field)
        shared = [op for op in first.plan.operators() if op.id in ids[0] & ids[1]]
        doing = [op for op in shared if getattr(first.predicted[op.id], field)]
        assert list(frame["In"]).count("both") == len(doing)
        for what in ("predicted", "measured"):
            if field != "rows_out":
                # Rows of a plan are those of its outputs alone.
                delta = frame[f"Difference, {what}"].sum()
                assert delta == pytest.approx(row[f"Difference, {what}"], abs=1e-6)
            expected = frame[f"{first.name}, {what}"].fillna(0) - frame[
                f"{second.name}, {what}"
            ].fillna(0)
            assert list(frame[f"Difference, {what}"]) == pytest.approx(list(expected))


def test_what_only_one_side_has_counted_is_told_as_predicted() -> None:
    found = samples.find("golab-table-5")
    assert found is not None
    counted, native = (side(found.workload, label, 0.9) for label in PAIRS["golab-table-5"])
    whole = difference.whole_table(counted, replace(native, measured=None), ["comparisons"])
    assert f"{counted.name}, predicted" in whole
    assert not [name for name in whole if "measured" in name or name == counted.name]

"""What plans of an aggregation spend their operations on, and how the winner is told."""

from __future__ import annotations

import pytest

from planner.families.early_aggregation import EarlyAggregation
from tests.planner.aggregations import AGGREGATION_SAMPLES, HASHED, two_way

FAMILY = EarlyAggregation()


@pytest.mark.parametrize("name", ["default setting", "sliding", "self-join", "tumbling"])
def test_kinds_of_work_add_up_to_the_score(name: str) -> None:
    workload = AGGREGATION_SAMPLES[name]
    ranking = FAMILY.space(workload).rank()
    labels = [c.label for c in ranking.candidates]
    for candidate, work in zip(
        ranking.candidates, FAMILY.space(workload).work(labels), strict=True
    ):
        assert sum(work.values()) == pytest.approx(candidate.score)
        assert ("Updates of sets" in work) == (candidate.label != "LAP")
        assert ("Extrema found anew" in work) == (name == "sliding")


def test_equal_sources_are_told_together() -> None:
    workload = two_way((5000, 5000), (150, 150), 10, execution=HASHED)
    answer = FAMILY.space(workload).explanation(FAMILY.space(workload).rank(top=10)).answer
    assert "because S1 and S2 each have " in answer
    assert "groups in a window of 5,000" in answer

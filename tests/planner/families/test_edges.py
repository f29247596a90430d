"""Sizes and shares of 0 and 1 are planned, and what would not run is refused when it is planned."""

from __future__ import annotations

import pytest

from planner.errors import PlanError
from planner.families.registry import family
from planner.files.query.text import parse_query
from planner.joins.shared.half_join import way_of
from planner.joins.shared.query_groups import groups_of
from planner.joins.shared.shares import together
from planner.workload.execution import DeclaredStatistic, Every, Statistics
from planner.workload.streams import Arrivals, Attribute, Relation, Stream
from planner.workload.workload import Workload

ATTRIBUTES = {"k": Attribute(1), "g": Attribute(1)}


@pytest.mark.parametrize("seconds", [1e-9, 4e-7])
def test_laziness_below_a_microsecond_is_refused(seconds: float) -> None:
    with pytest.raises(PlanError, match="must be a microsecond or longer"):
        Every(seconds)


@pytest.mark.parametrize(("rows", "share"), [(0, 1.0), (5, 0.0), (0, 0.0), (1, 1.0)])
def test_aggregations_of_nothing_are_planned(rows: int, share: float) -> None:
    """An empty relation, and a filter that lets nothing through, in windows of rows."""
    query = parse_query(
        "SELECT R.g, COUNT(*) FROM S [ROWS 3], R WHERE S.k = R.k AND S.k > 2 GROUP BY R.g, S.g",
        "Q1",
        ["R"],
    )
    workload = Workload(
        "nothing",
        (Stream("S", 1.0, ATTRIBUTES),),
        (query,),
        (Relation("R", rows, ATTRIBUTES),),
        statistics=Statistics(filters={"Q1: S.k > 2": DeclaredStatistic(share)}),
    )
    space = family("early_aggregation").space(workload)
    for plan in space.candidates():
        assert all(cost.comparisons >= 0 for cost in space.estimate(plan).costs.values())


def test_shares_of_a_whole_are_no_more_than_it() -> None:
    """Beyond 1, the share of a burst that passes would be a complex number."""
    assert sum([0.7, 0.1, 0.1, 0.1, 3e-16]) > 1
    assert together([0.7, 0.1, 0.1, 0.1, 3e-16]) == 1
    query = parse_query("SELECT * FROM A [RANGE 2], B [RANGE 2] WHERE A.k = B.k", "Q1")
    streams = tuple(Stream(name, 1.0, ATTRIBUTES, Arrivals("pareto", 1.5)) for name in "AB")
    workload = Workload("bursts", streams, (query,))
    (group,) = groups_of(workload)
    assert way_of(workload, group, 0).waits(together([0.7, 0.1, 0.1, 0.1, 3e-16])) > 0

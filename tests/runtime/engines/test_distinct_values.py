"""COUNT(DISTINCT) over more values than the first table of values has room for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from planner.families.registry import family
from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from runtime.engines.early_aggregation.kernel.distinct_values import empty_values
from tests.planner.aggregations import aggregation
from tests.runtime.aggregating import aggregated

FAMILY = family("early_aggregation")
ROOM = len(empty_values().key)
WINDOW = 150
WIDE = {"S1": (20.0, {"j": 4, "g": 3, "x": 400}), "S2": (20.0, {"j": 4, "x": 400})}


def _columns(table: Table, *names: str) -> list[tuple[int, ...]]:
    return list(zip(*(table.columns[name].values.tolist() for name in names), strict=True))


def _distinct(pairs: Sequence[tuple[int, ...]]) -> dict[tuple[int], tuple[int]]:
    values = defaultdict(set)
    for group, value in pairs:
        values[(group,)].add(value)
    return {group: (len(found),) for group, found in values.items()}


@pytest.mark.parametrize("cuts", [[], list(range(50, 1000, 50))], ids=["one batch", "many"])
def test_values_that_come_and_go_are_counted_after_every_event(cuts: list[int]) -> None:
    text = f"SELECT S1.g, COUNT(DISTINCT S1.x) FROM S1 [ROWS {WINDOW}] GROUP BY S1.g"
    workload = aggregation(text, streams=WIDE)
    tables = generate(workload, 50, seed=3)
    arrivals = _columns(tables["S1"], "g", "x")
    found = aggregated(workload, tables, FAMILY.space(workload).plan("LAP"), cuts=cuts)
    by_time = defaultdict(dict)
    for (now, _, _), group, values in found.changes:
        by_time[now][group] = values
    groups = {}
    for now in np.unique(tables["S1"].ts).tolist():
        arrived = int(np.searchsorted(tables["S1"].ts, now, side="right"))
        groups |= by_time[now]
        there = {group: values for group, values in groups.items() if values is not None}
        assert there == _distinct(arrivals[max(0, arrived - WINDOW) : arrived])
    assert arrived == len(arrivals) > 6 * WINDOW
    assert found.answer == there
    assert sum(values[0] for values in there.values()) > ROOM


def test_there_may_be_more_values_of_groups_than_tuples() -> None:
    """A value counts in every group that its tuple is joined to: room is made again and again."""
    text = (
        "SELECT S1.g, COUNT(DISTINCT S2.x) FROM S1 [LANDMARK], S2 [LANDMARK] "
        "WHERE S1.j = S2.j GROUP BY S1.g"
    )
    streams = {**WIDE, "S1": (5.0, {"j": 4, "g": 40})}
    workload = aggregation(text, Execution(join="hash"), streams=streams)
    tables = generate(workload, 20, seed=3)
    others = defaultdict(list)
    for key, value in _columns(tables["S2"], "j", "x"):
        others[key].append(value)
    pairs = {
        (group, value)
        for key, group in _columns(tables["S1"], "j", "g")
        for value in others.get(key, ())
    }
    assert len(pairs) > 4 * sum(len(table.ts) for table in tables.values())
    plan = FAMILY.space(workload).plan("LAP")
    assert aggregated(workload, tables, plan).answer == _distinct(sorted(pairs))

"""Importance by memory, read both ways, and memory that is split up."""

from __future__ import annotations

import pytest

from planner.families.load_shedding.frontier import with_memory
from planner.families.load_shedding.labels import EXACT, LABELS
from planner.families.load_shedding.read_backwards import memory_needed
from planner.families.load_shedding.space import Policies
from planner.families.load_shedding.star import star_of
from planner.families.registry import family
from planner.workload.execution import Shedding
from tests.planner.shedding import KEYED, STAR_SAMPLES, TWO, star, ticking

SHED = family("load_shedding")


def frontier_of(workload_name: str = "") -> Policies:
    workload = STAR_SAMPLES[workload_name] if workload_name else ticking()
    space = SHED.space(workload)
    assert isinstance(space, Policies)
    return space


def test_the_optimum_grows_with_memory_up_to_the_exact_answer() -> None:
    points = frontier_of().frontier(labels=["OSSJ", "SIMP-S", EXACT])
    by_label = {label: [p for p in points if p.label == label] for label in ("OSSJ", "SIMP-S")}
    best = [p.importance for p in by_label["OSSJ"]]
    assert best == sorted(best)
    exact = next(p.importance for p in points if p.label == EXACT)
    assert best[-1] == pytest.approx(exact)
    assert [p.memory for p in by_label["OSSJ"]] == [2, 4, 6, 8, 12, 18, 28, 40]
    assert all(one.importance < two.importance for one, two in zip(
        by_label["SIMP-S"][:-1], by_label["OSSJ"][:-1], strict=True))  # fmt: skip


def test_a_frontier_has_every_policy() -> None:
    points = frontier_of().frontier([4, 10])
    assert [(p.memory, p.label) for p in points] == [(m, x) for m in (4, 10) for x in LABELS]


def test_the_frontier_is_read_backwards() -> None:
    frontier = frontier_of()
    points = frontier.frontier([8, 12, 16], ["OSSJ", "RAND-S"])
    needed = {own.label: own.memory for own in memory_needed(points, 0.5, "recall", 1.0)}
    (enough,) = frontier.frontier([needed["OSSJ"] or 0], ["OSSJ"])
    assert enough.recall == pytest.approx(0.5, abs=0.05)
    most = max(point.importance for point in points)
    exact = next(iter(frontier.frontier([8], ["EXACT"]))).importance
    wished = most / exact + 0.01
    assert {own.memory for own in memory_needed(points, wished, "importance", exact)} == {None}


def test_what_was_split_by_hand_stays_so() -> None:
    workload = star(TWO, memory=12, shedding=Shedding(split={"R": 3, "S": 9}))
    assert [arm.share for arm in star_of(with_memory(workload, 40)).arms] == [10, 30]
    assert [arm.share for arm in star_of(with_memory(star(TWO), 40)).arms] == [20, 20]


def test_split_memory_finds_less() -> None:
    workload = star(KEYED, memory=32)
    frontier = SHED.space(workload)
    assert isinstance(frontier, Policies)
    points = frontier.split_costs("OSSJ")
    assert [p.partitions for p in points] == [1, 2, 4, 8]
    # Where the optimum has more to choose from it finds no less.
    importance = [p.importance for p in points]
    assert importance == sorted(importance, reverse=True)
    assert importance[-1] < importance[0]


def test_streams_of_different_attributes_cannot_be_split() -> None:
    assert frontier_of("two streams").split_costs("GAIN-S") == ()
    assert frontier_of("no relation").split_costs("GAIN-S") != ()

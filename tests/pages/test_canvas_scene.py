"""What the plan canvas draws, as data: shares, rings, marks, and names that nobody can misuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from pages.parts.canvas.graph_layout import Room
from pages.parts.canvas.scene import (
    BOX_WIDTH,
    MOST_BOXES,
    READABLE_LETTERS,
    CanvasPlan,
    heat_of,
    opened_at_first,
    scene,
)
from pages.parts.canvas.still_picture import still
from planner.families.registry import family
from planner.plan.branches import branches
from planner.plan.cost import Cost
from planner.plan.objective import STATE, WORK
from planner.workload.workload import Workload
from tests.planner.plan.test_branches import sample


def drawn(workload: Workload, kind: str, name: str | None = None) -> CanvasPlan:
    space = family(kind).space(workload)
    plan = space.best()
    return CanvasPlan(plan, space.estimate(plan), space.objective(name))


def every_branch(canvas: CanvasPlan) -> frozenset[str]:
    return frozenset(one.id for outer in branches(canvas.plan) for one in outer.every())


@pytest.mark.parametrize("name", ["work", "seconds", "state"])
def test_shares_add_up_to_the_whole_of_the_objective(name: str) -> None:
    canvas = drawn(sample("golab-table-5"), "join_order", name)
    for opened in (frozenset(), every_branch(canvas)):
        assert sum(box["share"] for box in scene(canvas, opened)["boxes"]) == pytest.approx(1)
    figure = canvas.by.of(canvas.plan, canvas.estimate)
    assert heat_of(canvas).whole == pytest.approx(figure)


def test_a_delay_is_no_sum_so_heat_shows_work_and_says_so() -> None:
    canvas = drawn(sample("seven-windows"), "shared_schedule")
    assert canvas.by.name == "delay"
    assert canvas.by.by_operator(canvas.plan, canvas.estimate) is None
    shown = scene(canvas, frozenset())
    assert shown["note"] == "Mean delay cannot be split by operator: colour shows comparisons."
    assert shown["heat"] == f"share of {WORK.unit}"


def test_an_operator_opens_with_its_costs_formulas_and_neighbours() -> None:
    canvas = drawn(sample("golab-table-5"), "join_order")
    shown = scene(canvas, every_branch(canvas))
    dearest = shown["dearest"][0]
    panel = shown["panels"][dearest["id"]]
    assert (dearest["name"], dearest["share"]) == ("S4 probes S1", "19%")
    assert panel["costs"][0] == ["Comparisons/s", "3,000"]
    assert panel["formulas"][0]["result"] == "3,000"
    place = next(n for n, box in enumerate(shown["boxes"]) if box["id"] == dearest["id"])
    lines = [line for line in shown["lines"] if line["to"] == place]
    fed_by = {shown["boxes"][line["from"]]["name"]: line["rows"] > 0 for line in lines}
    assert fed_by == {"arrive S4": True, "expire S1": False}


def test_a_ring_is_measured_over_predicted_and_nothing_moves() -> None:
    canvas = drawn(sample("golab-table-5"), "join_order")
    half = {
        name: replace(cost, comparisons=np.float64(cost.comparisons / 2))
        for name, cost in canvas.estimate.costs.items()
    }
    before, after = (scene(replace(canvas, measured=costs), frozenset()) for costs in ({}, half))
    assert {box["measured"] for box in before["boxes"]} == {"not counted yet"}
    arrived = next(box for box in after["boxes"] if box["name"] == "S1 arrives")
    assert (arrived["ratio"], arrived["met"], arrived["over"]) == (0.5, False, True)
    assert arrived["measured"] == "measured 1,900 · 2 ▲ over"
    assert arrived["panel"]["costs"][0] == ["Comparisons/s", "3,800", "1,900", "2 ▲ over"]
    assert [box["at"] for box in before["boxes"]] == [box["at"] for box in after["boxes"]]
    assert json.loads(json.dumps(after)) == after, "also of numpy's numbers"


def test_what_the_other_plan_lacks_is_marked() -> None:
    workload = sample("golab-table-5")
    space = family("join_order").space(workload)
    plan, other = space.plan("S1,S2,S3,S4"), space.plan("S4,S3,S2,S1")
    canvas = CanvasPlan(plan, space.estimate(plan), STATE, compared=other)
    alone = {box["name"]: box["alone"] for box in scene(canvas, frozenset())["boxes"]}
    assert alone == {f"stream S{n}": 0 for n in range(1, 5)} | {
        f"S{n} arrives": 3 for n in range(1, 5)
    } | {"output Q1": 1}


def test_a_large_plan_starts_folded_and_its_data_is_small() -> None:
    large = drawn(sample("two-hundred-alerts"), "sliced_chain")
    first = opened_at_first(large)
    assert len(json.dumps(scene(large, first))) < 80_000
    assert 2 < len(scene(large, first)["boxes"]) <= MOST_BOXES
    small = drawn(sample("network-packets"), "early_aggregation")
    assert opened_at_first(small) == every_branch(small)
    assert len(scene(small, every_branch(small))["boxes"]) == 12


@pytest.mark.parametrize(
    ("name", "kind"),
    [("network-packets", "early_aggregation"), ("seven-windows", "shared_schedule")],
)
@pytest.mark.parametrize("room", [Room(530, 380), Room(740, 254)])
def test_what_is_open_leaves_names_that_can_be_read(name: str, kind: str, room: Room) -> None:
    canvas = drawn(sample(name), kind)
    size = scene(canvas, opened_at_first(canvas, room), room)["size"]
    assert 12 * room.scale(*size) >= READABLE_LETTERS
    # In a low room even a small plan is folded; where there is room, all of it is open.
    assert opened_at_first(canvas, Room(4_000, 3_000))
    low = Room(740, 100)
    assert opened_at_first(canvas, low) < every_branch(canvas)


def test_no_cost_at_all_is_drawn_too() -> None:
    canvas = drawn(sample("golab-table-5"), "join_order")
    nothing = {name: Cost() for name in canvas.estimate.costs}
    shown = scene(replace(canvas, estimate=replace(canvas.estimate, costs=nothing)), frozenset())
    assert shown["dearest"] == []
    assert {box["share"] for box in shown["boxes"]} == {0.0}


def test_texts_of_a_still_picture_stay_in_their_boxes() -> None:
    canvas = drawn(sample("golab-table-5"), "join_order")
    half = {
        name: replace(cost, comparisons=cost.comparisons / 2.345)
        for name, cost in canvas.estimate.costs.items()
    }
    found = re.findall("<text([^>]*)>([^<]*)</text>", still(replace(canvas, measured=half)))
    long = [look for look, text in found if len(text) > 26]
    assert long, "measured ... · 2.35 ▲ over"
    assert all(f'textLength="{BOX_WIDTH - 20}"' in look for look in long)

"""Policies over slices: which are listed, what they gain, and what their tags say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from planner.families.shared_schedule.labels import CHAIN, Schedule, schedule_of
from planner.families.shared_schedule.slices import GAIN, MEM_OPT
from planner.families.shared_schedule.space import Schedules
from planner.files.workload_file import load_workload
from planner.plan.objective import WORK
from tests.planner.schedules import TABLE_1, scheduled

SAMPLE = Path(__file__).parents[4] / "sample_data" / "data-centre-cooling.yaml"
SPREAD = scheduled((1, 5, 15, 300, 510, 570, 600))


@pytest.fixture(scope="module")
def space() -> Schedules:
    return Schedules(replace(SPREAD, execution=replace(SPREAD.execution, utilisation=0.9)))


def test_chains_are_listed_that_gain_by_their_slices(space: Schedules) -> None:
    assert set(space.chains) == {MEM_OPT, "SWF in slices", "FAIR in slices"}
    predictions, group = space.predictions, space.model.group
    for tag, label in space.chains.items():
        policy = tag.split()[0]
        if tag == MEM_OPT:
            continue
        own = predictions.over_queries(schedule_of(group, label))
        assert own < (1 - GAIN) * predictions.over_queries(Schedule(policy))
        # Where MQT scans from 0, and on from there: the steps of the best staircase.
        assert label == f"{policy}{CHAIN}0-1-5-15-600"


def test_a_mem_opt_chain_makes_no_window_checks(space: Schedules) -> None:
    label = space.chains[MEM_OPT]
    assert label == "LWO@chain:0-1-5-15-300-510-570-600"
    assert space.score(label) == space.score("LWO")
    sliced, whole = space.scores([label, "LWO"], WORK)
    assert sliced < whole / 2
    # Under every other policy it would be the policy itself.
    for policy in ("SWF", "MQT", "FAIR", "OUT"):
        every = label.replace("LWO", policy)
        assert space.score(every) == pytest.approx(space.score(policy), rel=1e-12)


def test_they_are_tagged_and_few(space: Schedules) -> None:
    tags = {c.label: c.tags for c in space.rank().candidates}
    for tag, label in space.chains.items():
        assert tag in tags[label]


def test_slices_follow_weights_and_deadlines() -> None:
    declared = Schedules(load_workload(SAMPLE.read_text()))
    listed = Counter(label.partition(CHAIN)[0] for label in declared.chains.values())
    assert max(listed.values()) <= 3
    label = declared.chains["FAIR in slices by deadlines"]
    late, whole = declared.scores([label, "FAIR"], declared.objective("lateness"))
    assert late < (1 - GAIN) * whole
    label = declared.chains["SWF in slices by weights"]
    light, whole = declared.scores([label, "SWF"], declared.objective("weighted-delay"))
    assert light < (1 - GAIN) * whole


@pytest.mark.parametrize("name", sorted(TABLE_1))
def test_the_policies_of_the_paper_are_listed_whatever_is_sliced(name: str) -> None:
    found = Schedules(scheduled(TABLE_1[name]))
    assert {"LWO", "SWF", "MQT"} <= set(found.labels)
    assert len(set(found.labels)) == len(found.labels)
    assert len(found.chains) <= 3


def test_one_window_has_no_slices() -> None:
    assert Schedules(scheduled((10,))).chains == {}

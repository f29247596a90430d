"""The heuristic with buckets of different sizes (Section 5.3), and for GENERAL with tau (5.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.families.join_order.model import model_of
from planner.families.registry import family
from planner.workload.execution import Every, Execution
from planner.workload.workload import Workload
from tests.planner.workloads import TABLE_5, equality_join

FAMILY = family("join_order")
BUCKETS = {"S1": 1, "S2": 60, "S3": 60, "S4": 2}


def _join(**execution: object) -> Workload:
    return replace(equality_join(TABLE_5), execution=Execution(**execution))  # type: ignore[arg-type]


def test_buckets_of_different_sizes_are_an_order_of_their_own_and_the_cheaper_is_taken() -> None:
    space = FAMILY.space(_join(join="hash", buckets=BUCKETS))
    trace, model = space.heuristic(), model_of(space.workload)
    labels = [step.label for step in trace.steps if step.kind == "order"]
    assert len(labels) == 2
    scores = space.scores(labels)
    assert trace.heuristic_cost == pytest.approx(min(scores))
    assert model.label(trace.heuristic) == labels[scores.index(min(scores))]


def test_with_as_many_buckets_everywhere_the_order_is_that_of_nested_loops() -> None:
    nested, hashed = (FAMILY.space(_join(**given)).heuristic() for given in ({}, _FIVE))
    assert hashed.heuristic == nested.heuristic
    assert [step.kind for step in hashed.steps].count("order") == 1


_FIVE = {"join": "hash", "buckets": 5}


def test_lazy_plans_have_an_order_for_each_origin_with_tau_for_its_window() -> None:
    space = FAMILY.space(_join(evaluate=Every(40.0)))
    trace = space.heuristic()
    assert trace.general is not None
    assert trace.general_cost == pytest.approx(space.scores([trace.general.label])[0])
    assert trace.steps[-1].kind == "general"
    # New tuples are not outermost where few of a window are joined at once.
    origins = model_of(space.workload).origins
    assert any(order[0] != o for o, order in zip(origins, trace.general.orders, strict=True))


def test_eager_plans_have_none() -> None:
    assert FAMILY.space(_join()).heuristic().general is None

"""A small part of `bench join-accuracy`: every plan of some joins, predicted beside measured."""

from __future__ import annotations

from itertools import islice

import pytest

from bench.joins.accuracy import measured, runnable, summary
from bench.joins.loop_counts import covering, loops_in
from bench.joins.random_joins import TRAITS, drawn
from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.families.join_order.plans import loops_of
from tests.examples import times

SECONDS = 0.3
JOINS = times(5)


def test_the_plan_predicted_best_is_nearly_the_one_measured_best() -> None:
    found = summary(
        [measured(number, seconds=SECONDS) for number in islice(runnable(SECONDS), JOINS)]
    )
    assert found["predicted best within 5% of measured best"] >= 0.9
    assert found["q-error, all plans"]["median"] < 1.05
    assert found["q-error, all plans"]["95th percentile"] < 1.5
    assert found["q-error, predicted best"]["95th percentile"] < 1.5
    assert found["general within 5% of lazy and naive"] == 1
    assert found["rank agreement (Kendall's tau-b), mean"] > 0.9
    for name in ("expirations", "inserts", "state_tuples"):
        assert found[f"q-error, {name}"]["worst"] < 1.2


@pytest.mark.parametrize("number", range(0, 40, 5))
def test_the_plans_that_are_run_have_every_loop_of_every_listed_plan(number: int) -> None:
    workload = drawn(number).workload
    model = model_of(workload)
    run = {
        loop
        for loops in covering(model)
        for origin, order in zip(model.origins, loops.orders, strict=True)
        for loop in loops_in(origin, order)
    }
    for candidate in JoinOrder().space(workload).rank().candidates:
        orders = zip(model.origins, loops_of(model, candidate.label).orders, strict=True)
        for origin, order in orders:
            assert set(loops_in(origin, order)) <= run, candidate.label


def test_every_kind_of_join_is_drawn() -> None:
    joins = [drawn(number) for number in range(200)]
    for trait, kinds in TRAITS.items():
        assert {join.traits[trait] for join in joins} == set(kinds)
    assert joins[7] == drawn(7)

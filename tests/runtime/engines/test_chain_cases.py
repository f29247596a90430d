"""A small part of `bench chain-accuracy`: strategies of a few cases, predicted and counted."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from bench.chains.accuracy import Record, alerts, measured, shared_and_unshared, states, summary
from bench.chains.planning import LIMITS, many_windows
from bench.chains.workloads import StrategyCase, random_case, table_3, table_4
from planner.families.sliced_chain.chain_search.chains import GroupChains
from planner.families.sliced_chain.labels import CHAIN, PULL_UP, PUSH_DOWN, UNSHARED
from planner.families.sliced_chain.model import GroupModel

KINDS = {"state", "purge", "probe", "route", "select", "union", "survive", "split", "filter"}


def _short(case: StrategyCase, seconds: float = 60.0) -> StrategyCase:
    run = replace(case.workload.run, duration=seconds)
    return replace(case, workload=replace(case.workload, run=run))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    by_name = {case.workload.name: case for case in (*table_3(), *table_4())}
    named = [
        by_name["Table 3, mostly small, Sσ = 0.5, S⋈ = 0.1, 40/s"],
        by_name["Table 4, 12 queries, small and large, 40/s"],
    ]
    chosen = (*named, random_case(3))
    return [measured(_short(case), seed) for seed, case in enumerate(chosen)]


def test_state_and_comparisons_of_each_kind_are_what_the_model_says(records: list[Record]) -> None:
    errors = summary(records)["q-error"]
    assert errors.pop("counted or predicted as 0") == []
    assert set(errors) == KINDS
    assert errors["state"]["worst"] < 1.08
    for what, found in errors.items():
        assert found["median"] < 1.1, what
    assert summary(records)["same answer"]


def test_a_wrong_price_is_seen(records: list[Record]) -> None:
    wrong = copy.deepcopy(records)
    for record in wrong:
        for plan in record["plans"].values():
            plan["predicted"]["purge"] *= 2
    errors = summary(wrong)["q-error"]
    assert errors["purge"]["median"] == pytest.approx(2, rel=0.1)
    assert errors["probe"] == summary(records)["q-error"]["probe"]


def test_mem_opt_holds_what_the_largest_join_holds_and_no_chain_more_than_pull_up(
    records: list[Record],
) -> None:
    found = states(records)
    assert found["Mem-Opt over the largest join alone, furthest from 1"] == pytest.approx(
        1, rel=1e-12
    )
    assert found["Mem-Opt chains without filters"] == 1
    assert found["chains on Table 3"] >= 1
    assert found["Table 3, chain over pull-up, at most"] < 1


def test_a_chain_that_holds_more_is_seen(records: list[Record]) -> None:
    wrong = copy.deepcopy(records)
    for record in wrong:
        for label, plan in record["plans"].items():
            if label.startswith(CHAIN):
                plan["counted"]["state"] *= 1.5
    found = states(wrong)
    assert found["Table 3, chain over pull-up, at most"] > 1
    assert found["Mem-Opt over the largest join alone, furthest from 1"] == pytest.approx(1.5)


def test_many_queries_answer_alike_and_with_less_work_in_a_chain() -> None:
    """Seconds are for the benchmark; what is counted does not depend on the machine."""
    rules = alerts()
    few = replace(rules, run=replace(rules.run, warmup=60.0, duration=30.0))
    found = shared_and_unshared(few, rounds=1)
    assert found["queries"] == 200
    assert found["same answer"]
    held, compared = found["tuples held"], found["comparisons per second"]
    assert max(held["mem-opt"], held["cpu-opt"]) < held["unshared"] / 10
    assert compared["cpu-opt"] < compared["unshared"] / 2


def test_cases_are_all_settings_of_the_tables_and_random_ones() -> None:
    assert len({case.workload.digest for case in table_3()}) == 27 * 4
    assert len({case.workload.digest for case in table_4()}) == 9 * 4
    drawn = [random_case(number) for number in range(30)]
    assert drawn[7] == random_case(7)
    assert {case.workload.execution.join for case in drawn} == {"nested", "hash"}
    plans = {label for case in drawn[:10] for label in case.plans}
    assert {UNSHARED, PULL_UP, PUSH_DOWN} < plans


def test_of_close_windows_more_slices_are_short_than_of_windows_apart() -> None:
    short = {}
    for spacing in ("close", "apart"):
        workload, group = many_windows(300, spacing, (0.9, 0.5, 0.2), seed=1)
        assert len(group.boundaries) == 301
        edges = GroupChains(GroupModel(workload, group), c_sys=0.0).edges
        short[spacing] = 300 * 299 // 2 - edges.long
    assert short["close"] > 1_000
    assert short["apart"] == 0
    assert set(LIMITS) == {2_000, 100_000}

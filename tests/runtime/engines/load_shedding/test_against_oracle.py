"""The kernel of star joins against plain Python, and against the planner's simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.load_shedding.labels import EXACT, LABELS, MOST_RESULTS, OFFLINE, OPTIMUM
from planner.families.load_shedding.simulation.settings import BETA, Settings, Simulated
from planner.families.load_shedding.simulation.simulate import simulate
from planner.families.load_shedding.star import star_of
from tests.oracles.shedding import REASONS, Shed, all_results
from tests.runtime.shedding import SECOND, Case, Driven, as_rows, cases, driven, worked_example

_BY_DEFINITION = ("SIMP-S", "SIMPPROB-S", "DIMPPROB-S", "DGL-S")


@given(cases())
def test_the_exact_answer_is_that_of_the_definition(case: Case) -> None:
    expected = all_results(case.arms, case.rows, case.lifetimes)
    found = driven(case.workload, case.tables, EXACT)
    assert found.rows == as_rows(case, expected)
    importance = sum(expected.values()) / SECOND
    assert found.tally.qualities["Q"].importance == importance
    assert found.tally.qualities["Q"].recall == 1
    exact = found.tally.shed["exact"]
    assert (exact["results"], exact["importance"]) == (len(expected), importance)


@given(cases(), st.sampled_from(_BY_DEFINITION))
def test_a_policy_keeps_and_finds_what_plain_python_does(case: Case, policy: str) -> None:
    shedding = case.workload.execution.shedding
    beta = (BETA if shedding.beta is None else shedding.beta) * SECOND
    expected = Shed(
        case.arms, case.rows, case.lifetimes, case.shares, policy, shedding.prefilter, beta
    ).run()
    found = driven(case.workload, case.tables, policy)
    assert found.rows == as_rows(case, expected.results)
    assert list(found.evictions.values()) == [
        {reason: own[reason] for reason in REASONS} for own in expected.evictions
    ]


@given(cases(), st.sampled_from(LABELS))
def test_a_policy_does_what_is_simulated(case: Case, policy: str) -> None:
    if policy in OFFLINE and len(case.arms) > 2:
        policy = "RAND-S"
    workload, shedding = case.workload, case.workload.execution.shedding
    driver = driven(workload, case.tables, policy)
    found, span = driver.tally, driver.span
    settings = Settings(
        shedding.alpha, shedding.beta, shedding.prefilter, workload.run.seed, None, span.warmup,
        span.end,
    )  # fmt: skip
    expected = simulate(star_of(workload), case.tables, policy, settings)
    assert found.results == expected.results
    assert found.qualities["Q"].importance == expected.importance / SECOND
    assert found.shed["evictions"] == expected.evictions
    assert found.shed["exact"]["results"] == expected.exact_results
    _check_work(driver, expected)


def _check_work(driver: Driven, expected: Simulated) -> None:
    """The costs of operators are the counts of the simulation, per second."""
    seconds = driver.span.seconds
    for operator in driver.plan.operators() if seconds else ():
        params = dict(operator.params)
        counts = expected.counts.get(str(params.get("origin", params.get("source"))))
        if counts is None or operator.kind in ("arrive", "filter"):
            continue
        cost = driver.tally.costs[operator.id]
        if operator.kind == "keep":
            assert cost.comparisons * seconds == pytest.approx(counts.compared)
            assert cost.inserts * seconds == pytest.approx(counts.admitted)
            assert cost.expirations * seconds == pytest.approx(counts.expiry_checks)
            assert cost.state_tuples * seconds == pytest.approx(counts.held / SECOND)
        elif operator.kind == "probe":
            assert cost.comparisons * seconds == pytest.approx(counts.probed)
            assert cost.rows_out * seconds == pytest.approx(counts.found)
        else:
            assert cost.rows_out * seconds == pytest.approx(counts.with_row)


@pytest.mark.parametrize(
    ("policy", "results", "importance"),
    [(EXACT, 15, 43.0), (OPTIMUM, 11, 38.0), (MOST_RESULTS, 12, None)],
)
def test_the_worked_example(policy: str, results: int, importance: float | None) -> None:
    found = driven(*worked_example(), policy).tally
    assert found.results == results
    assert importance in (None, found.qualities["Q"].importance)


@given(cases(), st.sampled_from(LABELS), st.booleans())
def test_an_answer_is_part_of_the_exact_one_and_all_of_it_where_there_is_room(
    case: Case, policy: str, ample: bool
) -> None:
    if policy in OFFLINE and len(case.arms) > 2:
        policy = "GAIN-S"
    workload = case.workload
    if ample:
        workload = replace(workload, execution=replace(workload.execution, memory=100))
    exact = driven(workload, case.tables, EXACT)
    found = driven(workload, case.tables, policy)
    assert set(found.rows) <= set(exact.rows)
    assert len(set(found.rows)) == len(found.rows)
    if ample:
        assert found.rows == exact.rows
        assert found.tally.digest == exact.tally.digest

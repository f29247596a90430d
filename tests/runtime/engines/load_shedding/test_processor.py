"""A processor that is short: who is dropped, against plain Python; parts of the answer; cuts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.load_shedding.labels import EXACT, ONLINE
from planner.families.load_shedding.simulation.settings import BETA
from planner.families.load_shedding.star import star_of
from planner.plan.cost import UnitCosts, Units
from runtime.engines.registry import program_from_json
from tests.oracles.processor import Served
from tests.oracles.shedding import REASONS
from tests.runtime.shedding import (
    SECOND,
    Case,
    as_rows,
    cases,
    driven,
    feed_of,
    instants_of,
    program_of,
    worked_example,
)

_BY_DEFINITION = ("SIMP-S", "SIMPPROB-S", "DIMPPROB-S", "DGL-S")
_SHORT = "processor short"


@st.composite
def loaded(draw: st.DrawFn, least_arms: int = 1) -> Case:
    """Star joins on a processor with this load, and a short buffer."""
    case = draw(cases(least_arms))
    execution = case.workload.execution
    access = draw(st.sampled_from(["index", "scan"]))
    shedding = replace(execution.shedding, buffer=draw(st.integers(1, 4)), access=access)
    load = draw(st.sampled_from([0.3, 1.0, 3.0, 20.0]))
    units = {"compare": 1e-6, "output": draw(st.sampled_from([0.0, 3e-6]))}
    changed = replace(execution, utilisation=load, shedding=shedding, unit_costs=units)
    return replace(case, workload=replace(case.workload, execution=changed))


def _served(case: Case, policy: str, compare: float, output: float, **given: object) -> Served:
    execution = case.workload.execution
    shedding, relation = execution.shedding, star_of(case.workload).relation
    settings = {
        "prefilter": shedding.prefilter,
        "beta": (BETA if shedding.beta is None else shedding.beta) * SECOND,
        "shares": case.shares,
        "buffer": shedding.buffer,
        **given,
    }
    return Served(
        case.arms,
        case.rows,
        case.lifetimes,
        policy=policy,
        access=shedding.access if relation is not None else None,
        compare=compare,
        output=output,
        **settings,
    ).run()


@given(loaded(least_arms=2), st.sampled_from(_BY_DEFINITION))
def test_the_processor_drops_whom_plain_python_does(case: Case, policy: str) -> None:
    processor = program_of(case.workload, case.tables, policy).join.processor
    expected = _served(case, policy, processor.compare, processor.output)
    found = driven(case.workload, case.tables, policy)
    assert found.rows == as_rows(case, expected.results)
    assert list(found.evictions.values()) == [
        {reason: own[reason] for reason in (*REASONS, _SHORT)} for own in expected.evictions
    ]
    waits = expected.waits or [0.0]
    shed = found.tally.shed["processor"]
    assert shed["served"] == len(expected.waits)
    assert shed["mean_wait"] == pytest.approx(sum(waits) / len(waits) / SECOND)
    assert shed["longest_wait"] == pytest.approx(max(waits) / SECOND)


@given(loaded(least_arms=2))
def test_the_load_is_that_of_the_exact_join(case: Case) -> None:
    """Its counted work takes the stated share of the time in which tuples come."""
    ample = {"shares": [100] * len(case.arms), "buffer": 100, "prefilter": True}
    exact = _served(case, "SIMP-S", 0.0, 0.0, **ample)
    units = case.workload.execution.unit_costs or {}
    work = exact.compared * units["compare"] + len(exact.results) * units["output"]
    if not work:
        return
    times = [t for arm in star_of(case.workload).arms for t in case.tables[arm.source.name].ts]
    processor = program_of(case.workload, case.tables, "SIMP-S").join.processor
    taken = exact.compared * processor.compare + len(exact.results) * processor.output
    load = case.workload.execution.utilisation
    assert taken == pytest.approx(load * max(1, max(times) - min(times)))


@given(loaded(), st.sampled_from([EXACT, *ONLINE]))
def test_an_answer_is_part_of_the_exact_one_and_everybody_is_served_or_dropped(
    case: Case, policy: str
) -> None:
    execution = case.workload.execution
    exact = driven(case.workload, case.tables, EXACT)
    found = driven(case.workload, case.tables, policy)
    assert set(found.rows) <= set(exact.rows)
    dropped = sum(own[_SHORT] for own in found.evictions.values())
    assert dropped + found.tally.shed["processor"]["served"] == sum(map(len, case.arms))
    at_leisure = replace(execution, utilisation=None)
    alone = driven(replace(case.workload, execution=at_leisure), case.tables, policy)
    if policy == EXACT or not dropped:
        # Who waits is joined as of its own arrival.
        assert found.rows == alone.rows
        assert found.tally.digest == alone.tally.digest
    assert policy != EXACT or not dropped


@given(loaded(), st.sampled_from([EXACT, *ONLINE]), st.data())
def test_cuts_change_nothing(case: Case, policy: str, data: st.DataObject) -> None:
    whole = driven(case.workload, case.tables, policy)
    places = instants_of(feed_of(case.workload, case.tables, policy))
    cuts = data.draw(st.lists(st.sampled_from(places))) if places else []
    cut = driven(case.workload, case.tables, policy, cuts)
    assert cut.rows == whole.rows
    assert cut.tally.digest == whole.tally.digest
    assert cut.tally.shed == whole.tally.shed
    for operator, cost in whole.tally.costs.items():
        assert cut.tally.costs[operator].as_dict() == pytest.approx(cost.as_dict())


def test_a_program_with_a_processor_travels_as_text() -> None:
    workload, tables = worked_example()
    workload = replace(workload, execution=replace(workload.execution, utilisation=1.5))
    program = program_of(workload, tables, "RAND-S")
    assert program.join.processor is not None
    assert program_from_json(program.to_json()) == program


def test_who_is_dropped_does_not_change_with_a_calibration() -> None:
    workload, tables = worked_example()
    workload = replace(workload, execution=replace(workload.execution, utilisation=1.5))
    calibrated = UnitCosts(Units(compare=5e-6, output=1e-9), "this machine")
    expected = program_of(workload, tables, "SIMP-S").join.processor
    assert program_of(workload, tables, "SIMP-S", units=calibrated).join.processor == expected

"""Reasons for a wrong model in every family: each is found in tuples that were made to have it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.families.registry import family
from planner.families.stages import planned_stages, whole_estimate, whole_plan
from planner.files.query.text import parse_query
from planner.files.tuple_table import ColumnData, Table
from planner.files.workload_file import load_workload
from planner.workload.execution import Change
from planner.workload.workload import Workload
from runtime.data.run_data import generated
from runtime.diagnosis.diagnose import diagnosed
from tests.runtime.measuring import measured_run

RANDOM = np.random.default_rng(1)
Tables = dict[str, Table]


def streams(names: str, rate: float = 30, arrivals: str = "poisson") -> str:
    """Streams of 30 tuples/s with a key, a group and a value."""
    attributes = "{k: {distinct: 50}, g: {distinct: 5}, v: {distinct: 100}}"
    about = f"rate: {rate}, arrivals: {arrivals}, attributes: {attributes}"
    return f"streams: [{', '.join(f'{{name: {name}, {about}}}' for name in names)}]\n"


def workload(names: str, queries: str, more: str = "", arrivals: str = "poisson") -> Workload:
    """A workload of these streams and queries that is measured for 60 s."""
    return load_workload(
        f"version: 1\n{streams(names, arrivals=arrivals)}queries:\n{queries}\n"
        f"run: {{seed: 1, duration: 60}}\n{more}"
    )


def chain(arrivals: str = "poisson", more: str = "", condition: str = "A.v > 50") -> Workload:
    """Two joins that share their work; the longer one asks for something."""
    return workload(
        "AB",
        "- {name: Q1, text: 'SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k'}\n"
        "- {name: Q2, text: 'SELECT * FROM A [RANGE 20], B [RANGE 20] "
        f"WHERE A.k = B.k AND {condition}'}}",
        more,
        arrivals,
    )


def aggregation(more: str = "") -> Workload:
    """Groups of one stream that are counted over a join."""
    return workload(
        "AB",
        "- {name: Q, text: 'SELECT A.g, COUNT(*) FROM A [RANGE 20], B [RANGE 20] "
        "WHERE A.k = B.k GROUP BY A.g'}",
        f"execution: {{join: hash}}\n{more}",
    )


def join() -> Workload:
    """Three streams on one key."""
    return workload(
        "ABC",
        "- {name: Q, text: 'SELECT * FROM A [RANGE 20], B [RANGE 20], C [RANGE 10] "
        "WHERE A.k = B.k AND B.k = C.k'}",
    )


def reasons(made: Workload, label: str, tables: Tables | None = None) -> str:
    """What is said of a plan; given tuples are the user's own."""
    run = measured_run(made, label, tables=tables)
    if tables is not None:
        run = replace(run, request=replace(run.request, data=Path("own")))
    return "\n".join(found.sentence for found in diagnosed(run, tables or generated(made)))


def with_values(made: Workload, column: str, values: Callable[[Table], np.ndarray]) -> Tables:
    """Its tuples with other values in one column."""
    return {
        name: replace(table, columns={**table.columns, column: ColumnData(values(table))})
        for name, table in generated(made).items()
    }


def at_other_times(made: Workload, moved: Callable[[np.ndarray], np.ndarray]) -> Tables:
    """Its tuples, which come at other times."""
    return {
        name: replace(table, ts=np.sort(moved(table.ts)).astype(np.int64))
        for name, table in generated(made).items()
    }


def skewed(table: Table) -> np.ndarray:
    """Few values make up most of the tuples."""
    return np.minimum(RANDOM.zipf(1.5, len(table)), 50)


def slowing(ts: np.ndarray) -> np.ndarray:
    """Most tuples come in the first half."""
    return np.where(RANDOM.random(len(ts)) < 0.7, ts // 2, ts)


def in_pulses(ts: np.ndarray) -> np.ndarray:
    """All tuples of four seconds come within a fifth of one."""
    return ts // 4_000_000 * 4_000_000 + ts % 200_000


STRATEGIES = ["unshared", "pull-up", "push-down", "chain:0-5-20"]


@pytest.mark.parametrize("label", STRATEGIES)
def test_a_chain_that_is_right_is_not_blamed(label: str) -> None:
    assert reasons(chain(), label) == ""


@pytest.mark.parametrize("label", STRATEGIES)
def test_joins_that_are_shared_tell_what_their_tuples_show(label: str) -> None:
    slower = chain()
    declared = replace(slower, streams=tuple(replace(s, rate=15.0) for s in slower.streams))
    told = reasons(declared, label, generated(slower))
    assert "tuples/s, where 15 were planned, as declared: leave the rate out" in told
    told = reasons(slower, label, with_values(slower, "k", skewed))
    assert "the values are skewed, the most frequent one of A.k" in told
    fewer = with_values(slower, "v", lambda table: RANDOM.integers(1, 60, len(table)))
    told = reasons(slower, label, fewer)
    assert "of all tuples pass A.v > 50, where 50% is assumed" in told
    assert "explains it" not in told, "a reason is named wherever more or less was held"
    assert "A arrives in bursts of 20" in reasons(chain("{pareto: {burst: 20}}"), label)


def test_what_is_held_longer_as_nothing_comes_to_purge_it_is_told() -> None:
    told = reasons(chain(), "chain:0-5-20", at_other_times(chain(), in_pulses))
    held = next(line for line in told.splitlines() if line.startswith("slice [0, 5) held"))
    assert re.search(r": A comes in bursts of about \d+, where at random is assumed", held)
    assert "explains it" not in held


def test_pairs_that_meet_as_streams_are_busy_together_are_told() -> None:
    told = reasons(join(), "A,B,C", at_other_times(join(), slowing))
    assert " comes unevenly, from" in told
    assert "equal keys" not in told
    assert "explains it" not in told


def test_keys_of_three_streams_that_others_lack_are_told() -> None:
    apart = generated(join())
    table = apart["A"]
    moved = ColumnData(table.columns["k"].values + 25)  # type: ignore[operator]
    apart["A"] = replace(table, columns={**table.columns, "k": moved})
    told = reasons(join(), "A,B,C", apart)
    assert "of all A.k match no other source" in told
    assert "explain" not in told


def test_a_run_whose_queries_change_is_diagnosed_with_all_its_plans() -> None:
    added = "SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k AND A.v > 50"
    changing = replace(chain().run, changes=(Change(40.0, add=parse_query(added, "Q3")),))
    made, known = replace(chain(), run=changing), family("sliced_chain")
    faster = replace(made, streams=tuple(replace(s, rate=60.0) for s in made.streams))
    stages, doubled = (planned_stages(known, w, "pull-up") for w in (made, faster))
    span = 0, 20_000_000, 80_000_000
    estimate, real = (whole_estimate(known, planned, *span) for planned in (stages, doubled))
    run = measured_run(chain(), "pull-up")
    assert run.measurement is not None
    run = replace(
        run,
        workload=made,
        plan=whole_plan(stages),
        estimate=estimate,
        measurement=replace(run.measurement, costs=real.costs),
    )
    (found,) = diagnosed(run)
    assert len(found.suspects) == 5
    assert "A brought 60 tuples/s, where 30 were planned" in found.reason


def test_conditions_that_hold_together_are_told() -> None:
    both = chain(condition="A.v > 50 AND A.g > 2")
    follows = with_values(both, "g", lambda t: 1 + t.columns["v"].values.astype(np.int64) // 21)
    told = reasons(both, "chain:0-5-20", follows)
    assert "of all tuples pass A.v > 50 and A.g > 2, where 30% is assumed" in told


def test_groups_that_are_fewer_than_declared_are_told() -> None:
    one = with_values(aggregation(), "g", lambda table: np.ones(len(table), np.int64))
    for label in ("LAP", "EAP-11"):
        assert "A.g has 1 value, where 5 are assumed" in reasons(aggregation(), label, one)


def test_skewed_keys_are_told_of_sets_too() -> None:
    told = reasons(aggregation(), "EAP-11", with_values(aggregation(), "k", skewed))
    assert "early aggregation A held" in told
    assert "the values are skewed, the most frequent one of A.k" in told


def test_a_wrong_declared_selectivity_is_told_of_sets_too() -> None:
    declared = "statistics: {predicates: {'A.k = B.k': {selectivity: 0.1}}}"
    told = reasons(aggregation(declared), "EAP-11")
    assert "2% of all pairs pass A.k = B.k, where 10% is declared" in told


def test_attributes_of_a_cell_that_depend_on_each_other_are_told() -> None:
    told = reasons(
        aggregation(),
        "EAP-11",
        with_values(aggregation(), "g", lambda t: t.columns["k"].values % 5),
    )
    assert "depend on each other: 50 combinations of their values occur" in told


def test_a_comparison_that_is_declared_wrong_is_told() -> None:
    declared = "statistics: {predicates: {'A.v < B.v': {selectivity: 0.1}}}"
    made = workload(
        "AB",
        "- {name: Q, text: 'SELECT * FROM A [RANGE 20], B [RANGE 20] WHERE A.v < B.v'}",
        declared,
    )
    told = reasons(made, "A,B")
    assert "50% of all pairs pass A.v < B.v, where 10% is declared" in told


def test_keys_are_those_of_the_join_that_is_wrong() -> None:
    """Of two shared joins the second is skewed: the keys of the first are no reason."""
    made = workload(
        "ABCD",
        "".join(
            f"- {{name: {name}, text: 'SELECT * FROM {one} [RANGE {length}], {two} [RANGE {length}]"
            f" WHERE {one}.k = {two}.k'}}\n"
            for name, one, two, length in (
                ("Q1", "A", "B", 5),
                ("Q2", "A", "B", 10),
                ("Q3", "C", "D", 5),
                ("Q4", "C", "D", 10),
            )
        ).rstrip(),
    )
    tables = generated(made)
    for name in "CD":
        table = tables[name]
        tables[name] = replace(table, columns={**table.columns, "k": ColumnData(skewed(table))})
    told = reasons(made, "pull-up", tables)
    assert "the most frequent one of C.k" in told
    assert "A.k" not in told

"""Every plan of an aggregation equals recomputation from scratch, after each event."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError, RunError
from planner.families.registry import family
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from planner.workload.query import (
    Aggregate,
    Column,
    CountWindow,
    Filter,
    LandmarkWindow,
    Predicate,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
    Window,
)
from planner.workload.streams import Attribute, Relation, RelationChanges, Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.early_aggregation.feed import aggregate_feed
from runtime.engines.early_aggregation.simulation import Tuple
from tests.examples import examples
from tests.oracles.aggregation_plans import Simulation
from tests.oracles.aggregations import Definition
from tests.oracles.joins import Data
from tests.planner.aggregations import AGGREGATION_SAMPLES, aggregation
from tests.runtime.aggregating import Aggregated, aggregated
from tests.runtime.driving import counted, tables_of

FAMILY = family("early_aggregation")
# What data and attributes look like: keys, a grouping text, whole and other numbers.
KINDS = {"a": "int64", "b": "int64", "g": "object", "x": "int64", "y": "float64"}
ATTRIBUTES = {
    "a": Attribute(3),
    "b": Attribute(3),
    "g": Attribute(values=("p", "q", "r")),
    "x": Attribute(4),
    "y": Attribute(4, type="float"),
}
EXECUTIONS = (Execution(), Execution(join="hash"), Execution(join="hash", buckets=2))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Workload, Data]:
    """A random aggregation over few tuples with many equal times, keys and values."""
    chance = random.Random(draw(st.integers(0, 1_000_000)))
    count = chance.choice([1, 2, 2, 2, 3])
    aliases = [f"S{n}" for n in range(count)]
    names = [alias if n == 0 or chance.random() < 0.8 else "S0" for n, alias in enumerate(aliases)]
    relations = {a for a in names[1:] if a != "S0" and chance.random() < 0.25}
    changing = bool(relations) and chance.random() < 0.5
    length = chance.randint(1, 4)
    kind = chance.choice(["time", "mixed", "mixed", "block"])

    def window() -> Window:
        if kind == "block":
            return TumblingWindow(length)
        if kind == "time" or chance.random() < 0.4:
            return TimeWindow(chance.randint(1, 4))
        others = [CountWindow(chance.randint(1, 4)), TumblingWindow(2), LandmarkWindow()]
        return chance.choice(others)

    sources = tuple(
        Source(alias, name, None if name in relations else window())
        for alias, name in zip(aliases, names, strict=True)
    )
    query = Query(
        "Q1",
        sources,
        tuple(_predicate(chance, aliases, n) for n in range(1, count)),
        tuple(
            Filter(Column(a, "x"), chance.choice(["<=", "<>"]), 2)
            for a in aliases
            if chance.random() < 0.2
        ),
        tuple(dict.fromkeys(_column(chance, aliases, "gab") for _ in range(chance.randint(0, 2)))),
        _aggregates(chance, aliases),
    )
    workload = Workload(
        "random",
        tuple(
            Stream(name, 1.0, ATTRIBUTES) for name in dict.fromkeys(names) if name not in relations
        ),
        (query,),
        tuple(
            Relation(name, 3, ATTRIBUTES, RelationChanges(1, 1) if changing else RelationChanges())
            for name in sorted(relations)
        ),
        chance.choice(EXECUTIONS),
    )
    return workload, {
        name: _items(chance, name in relations, changing) for name in dict.fromkeys(names)
    }


def _predicate(chance: random.Random, aliases: list[str], n: int) -> Predicate:
    other = Column(chance.choice(aliases[:n]), chance.choice("aab"))
    comparison = chance.choice(["=", "=", "=", "<", ">="])
    return Predicate(Column(aliases[n], chance.choice("aab")), comparison, other)


def _column(chance: random.Random, aliases: list[str], attributes: str) -> Column:
    return Column(chance.choice(aliases), chance.choice(attributes))


def _aggregates(chance: random.Random, aliases: list[str]) -> tuple[Aggregate, ...]:
    found = []
    for number in range(chance.randint(1, 4)):
        function: Any = chance.choice(["count", "rows", "sum", "avg", "min", "max", "min", "max"])
        name = f"n{number}"
        if function == "rows":
            found.append(Aggregate("count", name=name))
        elif function == "count":
            column, distinct = _column(chance, aliases, "gxy"), chance.random() < 0.3
            found.append(Aggregate("count", column, distinct=distinct, name=name))
        else:
            attributes = "xy" if function in ("sum", "avg") else "gxy"
            found.append(Aggregate(function, _column(chance, aliases, attributes), name=name))
    return tuple(found)


def _items(chance: random.Random, is_relation: bool, changing: bool) -> list[Any]:
    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.1 else value

    items, ts = [], 0
    for _ in range(chance.randint(1, 9)):
        ts += chance.choice([0, 0, 500_000, 1_000_000, 2_500_000])
        values = {
            "a": maybe(chance.randint(0, 2)),
            "b": chance.randint(0, 2),
            "g": maybe(chance.choice("pqr")),
            "x": maybe(chance.randint(-2, 3)),
            "y": maybe(chance.choice([-1.75, 0.0, 0.5, 0.5, 1e6])),
        }
        lasts = (ts, LAST if chance.random() < 0.3 else ts + 3_000_000) if changing else None
        items.append(((lasts or (FIRST, LAST)) if is_relation else ts, values))
    return items


def _check_changes(found: Aggregated, definition: Definition) -> None:
    """Applied one after the other, the changes lead from answer to answer."""
    groups: dict[Any, Any] = {}
    changes = iter([*found.changes, None])
    change = next(changes)
    moments = sorted(definition.moments(), key=lambda pair: pair[0])
    for moment, answer in moments:
        while change is not None and change[0] <= moment:
            _, group, values = change
            groups.pop(group, None)
            if values is not None:
                groups[group] = values
            change = next(changes)
        assert groups == answer, moment
    assert change is None


@examples(60)
@given(case=cases(), partitions=st.integers(1, 3), cuts=st.lists(st.integers(1, 25), max_size=3))
def test_all_plans_equal_recomputation_at_every_event(
    case: tuple[Workload, Data], partitions: int, cuts: list[int]
) -> None:
    workload, data = case
    if FAMILY.refuses(workload) is not None:
        return
    tables = tables_of(data, KINDS)
    definition = Definition(workload, data)
    final = definition.final()
    digests = set()
    for plan in FAMILY.space(workload).candidates():
        found = aggregated(workload, tables, plan, partitions, cuts)
        assert found.answer == final, plan.label
        assert found.tally.results == len(final)
        _check_changes(found, definition)
        digests.add(found.tally.digest)
    assert len(digests) == 1


@examples(30)
@given(case=cases(), partitions=st.integers(1, 3), cuts=st.lists(st.integers(1, 25), max_size=3))
def test_counts_do_not_depend_on_partitions_and_batches(
    case: tuple[Workload, Data], partitions: int, cuts: list[int]
) -> None:
    workload, data = case
    if FAMILY.refuses(workload) is not None:
        return
    tables = tables_of(data, KINDS)
    for plan in FAMILY.space(workload).candidates():
        one = aggregated(workload, tables, plan).tally
        other = aggregated(workload, tables, plan, partitions, cuts).tally
        (update,) = (op.id for op in plan.operators() if op.kind == "update")
        for operator_id, cost in one.costs.items():
            # Partitions that hold parts of groups count every part.
            state = {"state_tuples": 0.0} if operator_id == update else {}
            expected = replace(cost, **state).as_dict()
            measured = replace(other.costs[operator_id], **state).as_dict()
            assert measured == pytest.approx(expected), (plan.label, operator_id)
        assert other.recomputations == pytest.approx(one.recomputations)


def test_an_extremum_is_looked_for_in_as_much_whatever_the_partitions() -> None:
    """A group with one key lies in one partition, but what is gone through for it would not."""
    text = "SELECT S1.j, MAX(S2.x) FROM S1 [RANGE 4], S2 [RANGE 3] WHERE S1.j = S2.j GROUP BY S1.j"
    workload = aggregation(text, Execution(join="hash"))
    tables = generate(workload, 30, seed=2)
    for plan in FAMILY.space(workload).candidates():
        one, two = (aggregated(workload, tables, plan, partitions).tally for partitions in (1, 2))
        (update,) = (op.id for op in plan.operators() if op.kind == "update")
        assert one.recomputations[update] > 0
        assert two.costs[update].comparisons == one.costs[update].comparisons > 0


class OnTables(Simulation):
    """The plain simulation, over given tuples, its clock in microseconds."""

    def __init__(self, workload: Workload, plan: Any, tables: dict[str, Table]) -> None:
        super().__init__(workload, plan, seed=1)
        self.tables = tables

    def _arrivals(self, name: str, _until: float) -> Any:
        table = self.tables[name]
        columns = {name: column.values.tolist() for name, column in table.columns.items()}
        for place, ts in enumerate(table.ts.tolist()):
            values = {attribute: column[place] for attribute, column in columns.items()}
            for at, source in enumerate(self.query.sources):
                if source.name == name:
                    yield ts, at, source.alias, Tuple(ts, values)


COUNTED = (
    "sliding",
    "rows and range",
    "tumbling",
    "tumbling and sliding",
    "landmark",
    "three on one attribute",
    "three on two attributes",
    "one group, theta, filter",
    "one source",
    "self-join",
)


@pytest.mark.parametrize("name", COUNTED)
def test_counts_are_those_of_a_plain_simulation(name: str) -> None:
    workload = AGGREGATION_SAMPLES[name]
    tables = generate(workload, 30, seed=4)
    warmup, end = 12_000_000, max(int(table.ts[-1]) for table in tables.values())
    for plan in FAMILY.space(workload).candidates():
        simulated = OnTables(_in_microseconds(workload), plan, tables).run(warmup, end - warmup + 1)
        merged = aggregate_feed(workload, tables)
        tally = counted(plan, workload, merged, Span(warmup, end))
        seconds = (end - warmup) / 1e6
        for operator in plan.operators():
            if operator.kind not in ("probe", "aggregate", "update", "output"):
                continue
            expected, measured = simulated[operator.id], tally.costs[operator.id]
            for field in ("comparisons", "group_updates", "rows_out"):
                count = getattr(expected, field) * (end - warmup + 1)
                assert getattr(measured, field) * seconds == pytest.approx(count), (
                    plan.label,
                    operator,
                    field,
                )


def _in_microseconds(workload: Workload) -> Workload:
    (query,) = workload.queries
    sources = []
    for source in query.sources:
        window = source.window
        if isinstance(window, TimeWindow | TumblingWindow):
            window = type(window)(microseconds(window.seconds))
        sources.append(replace(source, window=window))
    return replace(workload, queries=(replace(query, sources=tuple(sources)),))


# --- what cannot be run --------------------------------------------------------------------------

_ONE = "SELECT {} FROM S1 [RANGE 10]"


def _run_one(select: str, values: np.ndarray) -> Aggregated:
    workload = aggregation(_ONE.format(select))
    ones = ColumnData(np.ones(len(values), np.int64))
    columns = {"j": ones, "g": ones, "x": ColumnData(values)}
    numbers = np.arange(len(values), dtype=np.int64)
    table = Table(numbers, numbers, columns)
    return aggregated(workload, {"S1": table}, FAMILY.space(workload).plan("LAP"))


def test_text_cannot_be_summed() -> None:
    with pytest.raises(PlanError, match=r"S1\.x: holds text; SUM and AVG need numbers"):
        _run_one("SUM(S1.x)", np.array(["a", "b"], object))


def test_a_column_without_a_value_has_no_sum() -> None:
    """Of such a column a file cannot tell that it would be numbers."""
    workload = aggregation(_ONE.format("SUM(S1.x), AVG(S1.x), COUNT(S1.x), COUNT(*)"))
    ones = ColumnData(np.ones(2, np.int64))
    nothing = ColumnData(np.array(["", ""], object), np.zeros(2, np.bool_))
    numbers = np.arange(2, dtype=np.int64)
    table = Table(numbers, numbers, {"j": ones, "g": ones, "x": nothing})
    found = aggregated(workload, {"S1": table}, FAMILY.space(workload).plan("LAP"))
    assert found.answer == {(): (None, None, 0, 2)}


def test_infinite_numbers_cannot_be_summed_but_compared() -> None:
    values = np.array([1.0, np.inf])
    with pytest.raises(PlanError, match="infinite"):
        _run_one("AVG(S1.x)", values)
    assert _run_one("MAX(S1.x), MIN(S1.x)", values).answer == {(): (np.inf, 1.0)}


def test_a_sum_beyond_64_bits_is_told() -> None:
    with pytest.raises(RunError, match="beyond 64 bits; shorten the windows"):
        _run_one("SUM(S1.x)", np.full(5, 2**62))


@pytest.mark.parametrize("size", [1e-300, 1e-9, 0.1, 1e9, 1e300])
def test_sums_of_numbers_of_any_size_are_close(size: float) -> None:
    values = np.random.default_rng(1).random(1000) * size
    found = _run_one("SUM(S1.x), AVG(S1.x), MIN(S1.x)", values).answer[()]
    assert found[:2] == pytest.approx((values.sum(), values.mean()), rel=1e-9)
    assert found[2] == values.min()

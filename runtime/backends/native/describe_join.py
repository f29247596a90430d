"""A join plan as joins of Spark's: its sources one after the other, in the order of its loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from planner.plan.loop_orders import pipelines
from planner.plan.plan import Plan
from planner.workload.query import Filter, Query, Source, TimeWindow
from planner.workload.streams import Constant
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.backends.native.description import (
    BEGIN,
    END,
    TS,
    Condition,
    Input,
    Join,
    NativeJoins,
    Reach,
    Step,
    Taking,
    Test,
)

# A double holds every whole number up to this.
_EXACT = 2**53


def describe_join(plan: Plan, workload: Workload) -> NativeJoins:
    """The joins of a plan of `join_order`; every window is one of time."""
    (query,) = workload.queries
    order, note = _order(plan, query)
    inputs = inputs_of(query)
    first, *others = order
    steps = []
    joined = [first]
    for place in others:
        steps.append(_step(query, inputs, joined, place))
        joined.append(place)
    names = [query.sources[place].alias for place in order]
    told = (f"{', '.join(names[:n])} with {names[n]}" for n in range(1, len(names)))
    join = Join(inputs[first], tuple(steps), tuple(told))
    taking = Taking(0, 0, tuple(range(len(query.sources))))
    return NativeJoins((query.name,), (join,), (taking,), note)


def _order(plan: Plan, query: Query) -> tuple[list[int], tuple[str, ...]]:
    """The places of the sources in the order they are joined, and a note if it is not the label's.

    A plan has loops for every stream that a tuple may arrive on; Spark's joins have one order.
    """
    by_origin = {
        origin: [str(op.param("source")) for op in chain]
        for origin, chain in pipelines(plan).items()
    }
    # With an order per origin, the label names none for all.
    several = plan.label.startswith("general:")
    named = [] if several else plan.label.removeprefix("naive:").split(",")
    # What the label begins with may be a relation, on which nothing arrives.
    origin = next((alias for alias in named if alias in by_origin), next(iter(by_origin)))
    order = by_origin[origin]
    told = f"Spark joins in one order, whichever tuple arrives: {','.join(order)}, that of {origin}"
    aliases = [source.alias for source in query.sources]
    return [aliases.index(alias) for alias in order], () if order == named else (told,)


def inputs_of(query: Query) -> list[Input]:
    """Every source as an input with its filters, under its place in FROM."""
    return [_input(query, place, source) for place, source in enumerate(query.sources)]


def _input(query: Query, place: int, source: Source) -> Input:
    alias = source.alias
    compared = [c for p in query.predicates for c in (p.left, p.right) if c.alias == alias]
    own = [f for f in query.filters if f.column.alias == alias]
    names = tuple(dict.fromkeys(c.attribute for c in [*compared, *(f.column for f in own)]))
    bare = Input(place, source.name, alias, names, source.window is not None)
    return replace(bare, tests=filter_tests(bare, own))


def filter_tests(given: Input, filters: Sequence[Filter]) -> tuple[Condition, ...]:
    """Filters as tests of an input's columns."""
    return tuple(
        Test(given.attribute(f.column.attribute), f.comparison, None, plain(f.constant))
        for f in filters
    )


def plain(constant: Constant) -> Constant:
    """A constant as Spark is to compare it: whole numbers stay whole, and exact."""
    if isinstance(constant, float) and constant.is_integer() and abs(constant) <= _EXACT:
        return int(constant)
    return constant


def _step(query: Query, inputs: Sequence[Input], joined: Sequence[int], place: int) -> Step:
    new = inputs[place]
    tests: list[Condition] = list(predicate_tests(query, inputs, joined, place))
    equal = any(_equalities(query, inputs, joined, place))
    for other in joined:
        tests += in_time(query, inputs, other, place)
    streams = [other for other in joined if inputs[other].is_stream]
    reach = None
    if new.is_stream and streams:
        reach = Reach(window_of(query.sources[streams[0]]), window_of(query.sources[place]))
    return Step(new, tuple(tests), reach, equal)


def predicate_tests(
    query: Query, inputs: Sequence[Input], joined: Sequence[int], place: int
) -> Iterator[Test]:
    """The predicates between a new source and those that are joined."""
    yield from _equalities(query, inputs, joined, place)
    yield from _other_predicates(query, inputs, joined, place)


def _equalities(
    query: Query, inputs: Sequence[Input], joined: Sequence[int], place: int
) -> Iterator[Test]:
    """One equality for each class of equal attributes: what is joined agrees in it already."""
    aliases = [source.alias for source in query.sources]
    for columns in query.equality_classes():
        by_place = {aliases.index(column.alias): column.attribute for column in columns}
        met = next((other for other in joined if other in by_place), None)
        if met is not None and place in by_place:
            left = inputs[place].attribute(by_place[place])
            yield Test(left, "=", inputs[met].attribute(by_place[met]))


def _other_predicates(
    query: Query, inputs: Sequence[Input], joined: Sequence[int], place: int
) -> Iterator[Test]:
    aliases = [source.alias for source in query.sources]
    for p in query.predicates:
        if p.comparison == "=" and not p.offset:
            continue
        left, right = aliases.index(p.left.alias), aliases.index(p.right.alias)
        if place in (left, right) and {left, right} <= {place, *joined}:
            yield Test(
                inputs[left].attribute(p.left.attribute),
                p.comparison,
                inputs[right].attribute(p.right.attribute),
                plain(p.offset),
            )


def in_time(query: Query, inputs: Sequence[Input], one: int, other: int) -> Iterator[Test]:
    """Two members may stand together: neither left its window, or its relation, for the other."""
    for earlier, later in ((one, other), (other, one)):
        if inputs[later].is_stream and inputs[earlier].is_stream:
            length = window_of(query.sources[earlier])
            yield Test(inputs[later].column(TS), "<", inputs[earlier].column(TS), length)
    yield from in_relation(inputs, one, other)


def in_relation(inputs: Sequence[Input], one: int, other: int) -> Iterator[Test]:
    """Of a stream's tuple and a relation's row: the row was there when the tuple arrived."""
    for row, later in ((one, other), (other, one)):
        if inputs[later].is_stream and not inputs[row].is_stream:
            ts = inputs[later].column(TS)
            yield Test(ts, ">=", inputs[row].column(BEGIN))
            yield Test(ts, "<", inputs[row].column(END))


def window_of(source: Source) -> int:
    """The length of a window of time in microseconds."""
    assert isinstance(source.window, TimeWindow), "what is not one of time has been refused"
    return microseconds(source.window.seconds)

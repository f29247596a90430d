"""A join plan as joins of Spark's: its sources one after the other, in the order of its loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from planner.plan.loop_orders import pipelines
from planner.plan.plan import Plan
from planner.workload.query import CountWindow, LandmarkWindow, Query, Source, TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.backends.native.description import (
    BEGIN,
    END,
    TS,
    Input,
    JoinStep,
    NativeJoin,
    NativePlan,
    Taking,
    Use,
    compare,
)


def refuses(plan: Plan, workload: Workload, use: Use) -> str | None:  # noqa: ARG001
    """Why Spark's joins cannot express the windows of a workload; None where they can."""
    for query in workload.queries:
        for source in query.sources:
            if isinstance(source.window, CountWindow):
                return (
                    f"{source.alias} of {query.name} has the window [{source.window}]: Spark's "
                    "joins know how old a tuple is, not how many came after it; use a window of "
                    "time"
                )
            if isinstance(source.window, LandmarkWindow):
                return (
                    f"{source.alias} of {query.name} has the window [LANDMARK]: Spark's joins of "
                    "streams need an age at which a tuple leaves; use a window of time"
                )
    return None


def describe(plan: Plan, workload: Workload) -> NativePlan:
    """The joins of a plan of one query; every window is one of time."""
    (query,) = workload.queries
    order, notes = _order(plan)
    inputs = inputs_of(query, order)
    steps = [_step(query, inputs[:n], new) for n, new in enumerate(inputs) if n]
    taking = Taking(0, 0, tuple(range(len(query.sources))))
    return NativePlan((query.name,), (NativeJoin(inputs[0], tuple(steps)),), (taking,), notes)


def _order(plan: Plan) -> tuple[list[str], tuple[str, ...]]:
    """The aliases in the order they are joined, and a note if it is not the label's.

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
    note = f"Spark joins in one order, whichever tuple arrives: {','.join(order)}, that of {origin}"
    return order, () if order == named else (note,)


def inputs_of(query: Query, order: Sequence[str]) -> list[Input]:
    """The sources of these aliases as inputs with their filters, under their places in FROM."""
    return [
        _input(query, *next((n, s) for n, s in enumerate(query.sources) if s.alias == alias))
        for alias in order
    ]


def _input(query: Query, place: int, source: Source) -> Input:
    alias = source.alias
    compared = [c for p in query.predicates for c in (p.left, p.right) if c.alias == alias]
    own = [f for f in query.filters if f.column.alias == alias]
    names = tuple(dict.fromkeys(c.attribute for c in [*compared, *(f.column for f in own)]))
    bare = Input(place, source.name, alias, names, source.window is not None)
    return replace(bare, tests=bare.filter_tests(own))


def _step(query: Query, joined: Sequence[Input], new: Input) -> JoinStep:
    """One more source joined, with tuples that had not left their windows for each other."""
    tests = [test for other in joined for test in _in_time(query, other, new)]
    stream = next((other for other in joined if other.is_stream), None)
    reach = None
    if new.is_stream and stream is not None:
        reach = _window(query, stream), _window(query, new)
    return step(query, joined, new, tests, reach)


def step(
    query: Query,
    joined: Sequence[Input],
    new: Input,
    more: Iterable[exp.Expr],
    reach: tuple[int, int] | None = None,
) -> JoinStep:
    """One more source joined: by its predicates with those before it, and by more tests."""
    equalities = list(_equalities(query, joined, new))
    tests = (*equalities, *_other_predicates(query, joined, new), *more)
    name = f"{', '.join(other.name for other in joined)} with {new.name}"
    return JoinStep(new, tests, name, reach, bool(equalities))


def _equalities(query: Query, joined: Sequence[Input], new: Input) -> Iterator[exp.Expr]:
    """One equality for each class of equal attributes: what is joined agrees in it already."""
    for columns in query.equality_classes():
        equal = {column.alias: column.attribute for column in columns}
        met = next((other for other in joined if other.name in equal), None)
        if met is not None and new.name in equal:
            left, right = (given.attribute(equal[given.name]) for given in (new, met))
            yield compare(left, "=", right)


def _other_predicates(query: Query, joined: Sequence[Input], new: Input) -> Iterator[exp.Expr]:
    known = {given.name: given for given in (*joined, new)}
    for p in query.predicates:
        aliases = {p.left.alias, p.right.alias}
        if not p.is_equality and new.name in aliases and aliases <= known.keys():
            left, right = (known[c.alias].attribute(c.attribute) for c in (p.left, p.right))
            yield compare(left, p.comparison, right, p.offset)


def _in_time(query: Query, one: Input, other: Input) -> Iterator[exp.Expr]:
    """Neither of two members left its window, or its relation, before the other arrived."""
    if one.is_stream and other.is_stream:
        for earlier, later in ((one, other), (other, one)):
            length = _window(query, earlier)
            yield compare(later.column(TS), "<", earlier.column(TS), length)
    yield from in_relation(one, other)


def in_relation(one: Input, other: Input) -> Iterator[exp.Expr]:
    """Of a stream's tuple and a relation's row: the row was there when the tuple arrived."""
    for row, later in ((one, other), (other, one)):
        if later.is_stream and not row.is_stream:
            yield compare(later.column(TS), ">=", row.column(BEGIN))
            yield compare(later.column(TS), "<", row.column(END))


def _window(query: Query, given: Input) -> int:
    """The length of a window of time in microseconds."""
    window = query.sources[given.number].window
    assert isinstance(window, TimeWindow), "what is not one of time has been refused"
    return microseconds(window.seconds)

"""A plan of many shared joins as joins of Spark's: one for every slice or regular join of it.

A slice [start, end) finds pairs so far apart in time. Spark's join cannot hold tuples of these ages
alone: it holds all that are younger, too, so that the state of a chain is not shared on Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from planner.families.sliced_chain import layout
from planner.families.sliced_chain.plans import build
from planner.joins.query_groups import BOTH, Condition, Member, groups_of
from planner.plan.plan import Plan
from planner.workload.query import Column
from planner.workload.workload import Workload
from runtime.backends.native import joins
from runtime.backends.native.description import (
    TS,
    Input,
    JoinStep,
    NativeJoin,
    NativePlan,
    Taking,
    Use,
    all_of,
    compare,
    fails,
)

MOST_STREAM_JOINS = 40
OVERLAP = (
    "Spark's join of a slice holds the younger tuples, too: its state is that of a whole window"
)


def refuses(plan: Plan, workload: Workload, use: Use) -> str | None:
    """Why Spark's own operators cannot express a plan of shared joins; None where they can."""
    if workload.run.changes:
        return (
            "Spark's own operators cannot change their queries while they run; remove run.changes"
        )
    if reason := joins.refuses(plan, workload, use):
        return reason
    count = sum(operator.kind == "slice" for operator in plan.operators())
    if use == "stream" and count > MOST_STREAM_JOINS:
        return (
            f"it has {count} joins, each with state stores of its own on Spark; at most "
            f"{MOST_STREAM_JOINS} are streamed: use replay, or a plan with fewer slices"
        )
    return None


def describe(plan: Plan, workload: Workload) -> NativePlan:
    """The joins of a plan that shares them; every window is one of time."""
    queries = [query.name for query in workload.queries]
    subjects = build(groups_of(workload), queries, plan.label).subjects
    found: list[NativeJoin] = []
    takings: list[Taking] = []
    for operator in plan.operators():
        subject = subjects[operator.id]
        if operator.kind != "probe" or not isinstance(subject, layout.SlicedJoin):
            continue
        join = _join(subject, operator.inputs[0].id, operator.id)
        takings += _takings(subject, join, len(found), workload, queries)
        found.append(join)
    sliced = any(isinstance(s, layout.SlicedJoin) and s.start for s in subjects.values())
    return NativePlan(tuple(queries), tuple(found), tuple(takings), (OVERLAP,) if sliced else ())


def _join(join: layout.SlicedJoin, stored: str, found: str) -> NativeJoin:
    group = join.group
    inputs = first, second = _input(join, 0), _input(join, 1)

    def column(of: Column) -> str:
        return inputs[group.streams.index(of.alias)].attribute(of.attribute)

    tests = [
        compare(column(p.left), p.comparison, column(p.right), p.offset) for p in group.predicates
    ]
    tests += _within(inputs, join.ends)
    if join.start:
        one, other = first.column(TS), second.column(TS)
        apart = ((one, other), (other, one))
        tests.append(exp.or_(*(compare(a, ">=", b, join.start) for a, b in apart)))
    equal = any(p.is_equality for p in group.predicates)
    step = JoinStep(second, tuple(tests), _name(join), join.ends, equal)
    return NativeJoin(first, (step,), stored, found)


def _name(join: layout.SlicedJoin) -> str:
    group = join.group
    whose = join.query.query if join.query else ""
    part = f"part {join.parts[0]}/{join.parts[1]}" if join.parts else ""
    bounds = f"{group.text_of(join.start)} to {group.text_of(join.end)} s"
    return ", ".join(filter(None, [" with ".join(group.streams), bounds, whose or part]))


def _within(inputs: Sequence[Input], windows: Sequence[int]) -> Iterator[exp.Expr]:
    """Neither of two tuples left its window when the other arrives."""
    one, other = (given.column(TS) for given in inputs)
    yield compare(other, "<", one, windows[0])
    yield compare(one, "<", other, windows[1])


def _input(join: layout.SlicedJoin, side: int) -> Input:
    """One stream of a join, as far as its tuples enter."""
    group = join.group
    compared = [c for p in group.predicates for c in (p.left, p.right)]
    asked = [f.column for m in group.members for c in m.conditions for f in c.filters]
    stream = group.streams[side]
    names = (c.attribute for c in [*compared, *asked] if c.alias == stream)
    bare = Input(side, stream, stream, tuple(dict.fromkeys(names)), True)
    entering = tuple(_entering(join, side, bare))
    return replace(bare, tests=entering)


def _entering(join: layout.SlicedJoin, side: int, given: Input) -> Iterator[exp.Expr]:
    if join.query is not None:
        yield from given.filter_tests(join.query.conditions[side].filters)
    elif join.parts is not None:
        part = join.parts[side]
        for condition in part.conditions:
            test = _all(given, condition)
            yield test if part.passes(condition) else fails(test)
    elif join.sliced:
        # A tuple is stored and probes: it enters where some query that reaches here asks for it.
        asked = dict.fromkeys(member.conditions[side] for member in join.members)
        if not any(condition.is_open for condition in asked):
            yield exp.or_(*(_all(given, condition) for condition in asked))


def _all(given: Input, condition: Condition) -> exp.Expr:
    return all_of(given.filter_tests(condition.filters))


def _takings(
    join: layout.SlicedJoin,
    found: NativeJoin,
    number: int,
    workload: Workload,
    queries: Sequence[str],
) -> Iterator[Taking]:
    for selection in join.selections:
        chosen = [
            test
            for given, condition in zip(found.inputs, selection.conditions, strict=True)
            for test in given.filter_tests(condition.filters)
        ]
        for member in selection.members:
            place = queries.index(member.query)
            sources = workload.queries[place].sources
            members = tuple(join.group.streams.index(source.name) for source in sources)
            yield Taking(place, number, members, (*_routed(join, found, member), *chosen))


def _routed(join: layout.SlicedJoin, found: NativeJoin, member: Member) -> Iterator[exp.Expr]:
    """How far apart the tuples of a result may be for a query, where that is less than here."""
    if any(member.windows[side] < join.ends[side] for side in BOTH):
        yield from _within(found.inputs, member.windows)

"""A plan of many shared joins as joins of Spark's: one for every slice or regular join of it.

A slice [start, end) finds pairs so far apart in time. Spark's join cannot hold tuples of these ages
alone: it holds all that are younger, too, so that the state of a chain is not shared on Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from planner.families.sliced_chain import layout
from planner.families.sliced_chain.groups import BOTH, Condition, Group, Member, groups_of
from planner.families.sliced_chain.plans import PlanBuilder
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native import description
from runtime.backends.native.describe_join import filter_tests, plain
from runtime.backends.native.description import (
    TS,
    All,
    AnyOf,
    Fails,
    Input,
    Join,
    NativeJoins,
    Reach,
    Step,
    Taking,
    Test,
)

OVERLAP = (
    "Spark's join of a slice holds the younger tuples, too: its state is that of a whole window"
)


def describe_slices(plan: Plan, workload: Workload) -> NativeJoins:
    """The joins of a plan of `sliced_chain`; every window is one of time."""
    queries = [query.name for query in workload.queries]
    subjects = PlanBuilder(groups_of(workload), queries).build(plan.label).subjects
    joins: list[Join] = []
    takings: list[Taking] = []
    for operator in plan.operators():
        subject = subjects[operator.id]
        if operator.kind != "probe" or not isinstance(subject, layout.Join):
            continue
        found = _join(subject, operator.inputs[0].id, operator.id)
        takings += _takings(subject, found, len(joins), workload, queries)
        joins.append(found)
    sliced = any(isinstance(s, layout.Join) and s.start for s in subjects.values())
    return NativeJoins(tuple(queries), tuple(joins), tuple(takings), (OVERLAP,) if sliced else ())


def _join(join: layout.Join, stored: str, found: str) -> Join:
    group = join.group
    first, second = (_input(join, side) for side in BOTH)
    predicates = [
        Test(
            _column(group, (first, second), p.left.alias, p.left.attribute),
            p.comparison,
            _column(group, (first, second), p.right.alias, p.right.attribute),
            plain(p.offset),
        )
        for p in group.predicates
    ]
    tests: list[description.Condition] = [*predicates, *within((first, second), join.ends)]
    one, other = first.column(TS), second.column(TS)
    if join.start:
        apart = (Test(one, ">=", other, join.start), Test(other, ">=", one, join.start))
        tests.append(AnyOf(apart))
    equal = any(p.comparison == "=" and not p.offset for p in group.predicates)
    step = Step(second, tuple(tests), Reach(*join.ends), equal)
    return Join(first, (step,), (_told(join),), stored, found)


def _told(join: layout.Join) -> str:
    group = join.group
    whose = join.query.query if join.query else ""
    part = f"part {join.parts[0]}/{join.parts[1]}" if join.parts else ""
    bounds = f"{group.text_of(join.start)} to {group.text_of(join.end)} s"
    return ", ".join(filter(None, [" with ".join(group.streams), bounds, whose or part]))


def within(inputs: Sequence[Input], windows: Sequence[int]) -> Iterator[Test]:
    """Neither of two tuples left its window when the other arrives."""
    one, other = (given.column(TS) for given in inputs)
    yield Test(other, "<", one, windows[0])
    yield Test(one, "<", other, windows[1])


def _input(join: layout.Join, side: int) -> Input:
    """One stream of a join, as far as its tuples enter."""
    group = join.group
    compared = [c for p in group.predicates for c in (p.left, p.right)]
    asked = [f.column for m in group.members for c in m.conditions for f in c.filters]
    stream = group.streams[side]
    names = (c.attribute for c in [*compared, *asked] if c.alias == stream)
    bare = Input(side, stream, stream, tuple(dict.fromkeys(names)), True)
    entering = tuple(_entering(join, side, bare))
    return replace(bare, tests=entering)


def _entering(join: layout.Join, side: int, given: Input) -> Iterator[description.Condition]:
    if join.query is not None:
        yield from filter_tests(given, join.query.conditions[side].filters)
    elif join.parts is not None:
        part = join.parts[side]
        for condition in part.conditions:
            test = _all(given, condition)
            yield test if part.passes(condition) else Fails(test)
    elif join.sliced:
        # A tuple is stored and probes: it enters where some query that reaches here asks for it.
        asked = dict.fromkeys(member.conditions[side] for member in join.members)
        if not any(condition.is_open for condition in asked):
            yield AnyOf(tuple(_all(given, condition) for condition in asked))


def _all(given: Input, condition: Condition) -> All:
    return All(filter_tests(given, condition.filters))


def _takings(
    join: layout.Join, found: Join, number: int, workload: Workload, queries: Sequence[str]
) -> Iterator[Taking]:
    for selection in join.selections:
        chosen = [
            test
            for given, condition in zip(found.inputs, selection.conditions, strict=True)
            for test in filter_tests(given, condition.filters)
        ]
        for member in selection.members:
            place = queries.index(member.query)
            sources = workload.queries[place].sources
            members = tuple(join.group.streams.index(source.name) for source in sources)
            yield Taking(place, number, members, (*_routed(join, found, member), *chosen))


def _routed(join: layout.Join, found: Join, member: Member) -> Iterator[Test]:
    """How far apart the tuples of a result may be for a query, where that is less than here."""
    if any(member.windows[side] < join.ends[side] for side in BOTH):
        yield from within(found.inputs, member.windows)


def _column(group: Group, inputs: Sequence[Input], stream: str, attribute: str) -> str:
    return inputs[group.streams.index(stream)].attribute(attribute)

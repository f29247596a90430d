"""Changes while a run goes on: which queries are there when, and since when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from planner.errors import PlanError
from planner.workload.execution import Change
from planner.workload.query import Query
from planner.workload.validation import listed, microseconds
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Stage:
    """The workload from a time on, in microseconds of stream time (None: from the beginning).

    `plan` is the label that a change asks for, if one does. `entered` are the queries that came
    while the run was going, with the time they came.
    """

    at: int | None
    workload: Workload
    plan: str | None
    entered: Mapping[str, int]


def stages_of(workload: Workload) -> tuple[Stage, ...]:
    """The workload as it begins, and as it is after each time of `run.changes`."""
    stages = [Stage(None, workload, None, {})]
    numbered = sorted(enumerate(workload.run.changes), key=lambda pair: pair[1].at)
    for at, changes in groupby(numbered, key=lambda pair: microseconds(pair[1].at)):
        queries = {query.name: query for query in stages[-1].workload.queries}
        entered = dict(stages[-1].entered)
        plan = None
        for number, change in changes:
            place = f"run.changes[{number}]"
            plan = change.plan or plan
            _apply(change, queries, entered, at, place)
        if not queries:
            raise PlanError(
                f"leaves no query at {at / 1e6:g} s; at least one must remain", "run.changes"
            )
        now = replace(workload, queries=tuple(queries.values()))
        stages.append(Stage(at, now, plan, entered))
    return tuple(stages)


def _apply(
    change: Change, queries: dict[str, Query], entered: dict[str, int], at: int, place: str
) -> None:
    if change.remove is not None:
        if change.remove not in queries:
            raise PlanError(
                f"no query {change.remove!r} at {at / 1e6:g} s; there are {listed(queries)}",
                f"{place}.remove",
            )
        del queries[change.remove]
        entered.pop(change.remove, None)
    if change.add is not None:
        if change.add.name in queries:
            raise PlanError(
                f"{change.add.name!r} already exists at {at / 1e6:g} s; remove it first, or "
                "give the new one another name",
                f"{place}.add",
            )
        queries[change.add.name] = change.add
        entered[change.add.name] = at


def queries_of_run(workload: Workload) -> tuple[Query, ...]:
    """All queries of a run, each name once: those it begins with, then those that enter."""
    found = {query.name: query for query in workload.queries}
    for number, change in enumerate(workload.run.changes):
        if change.add is not None:
            known = found.setdefault(change.add.name, change.add)
            if _columns(known) != _columns(change.add):
                raise PlanError(
                    f"{known.name!r} is added again with other sources; give it another name",
                    f"run.changes[{number}].add",
                )
    return tuple(found.values())


def check_times(changes: Sequence[Change], begin: int, end: int, own_data: bool) -> None:
    """A change that comes when no tuple does any more is a mistake of the user's."""
    last = end if own_data else end - 1
    for number, change in enumerate(changes):
        if begin + microseconds(change.at) > last:
            raise PlanError(
                f"{change.at:g} s is beyond the end of the run, which covers "
                f"{(end - begin) / 1e6:g} s; make the change earlier or run longer",
                f"run.changes[{number}].at",
            )


def _columns(query: Query) -> list[tuple[str, str]]:
    """What its results are told by."""
    return [(source.alias, source.name) for source in query.sources]


def with_every_query(workload: Workload) -> Workload:
    """The workload with the queries that enter later too: it needs the data of all of them."""
    queries = {query.name: query for query in workload.queries}
    for number, change in enumerate(workload.run.changes):
        if change.add is not None:
            name = change.add.name
            # A query that leaves may come again under its name, otherwise than it was.
            name = f"{name} at change {number}" if name in queries else name
            queries[name] = replace(change.add, name=name)
    return replace(workload, queries=tuple(queries.values()))

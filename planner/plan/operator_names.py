"""Operators in few words, for bars, tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping

from planner.numbers import shortened
from planner.plan.plan import Operator, Plan
from planner.workload.validation import listed

_OF_JOINS = ("probe", "route", "select")
# What says which operator of a kind it is: the first of these that it has.
_ABOUT = ("source", "query", "policy", "window")
# Of the conditions of a part, so many are named.
_MOST_CONDITIONS = 3


def operator_name(operator: Operator) -> str:
    """An operator in few words: `S1 probes S2`, `insert S1`."""
    params = dict(operator.params)
    about = _about(params)
    if (join := join_of(operator)) is not None:
        return _named_by_join(operator, join)
    if operator.kind == "probe":
        return f"{shortened(str(params['origin']), 24)} probes {about}"
    if operator.kind == "filter" and "query" in params:
        return f"filter {params['query']}: {shortened(str(params['condition']), 24)}"
    if operator.kind == "aggregate":
        return f"early aggregation {about}"
    if operator.kind == "update":
        return "late aggregation"
    return f"{operator.kind} {about}".rstrip()


# What operators do, in a sentence: of shared joins, bounds and codes say nothing there.
_ACTIVITIES = {
    "probe": "probing stored tuples",
    "slice": "the windows of joins",
    "route": "routing results to queries",
    "select": "conditions on results",
    "union": "merging results",
    "schedule": "the queue",
    "output": "writing results",
    "insert": "storing tuples of {}",
    "expire": "dropping old tuples of {}",
    "keep": "keeping tuples of {}",
}


def activity(operator: Operator) -> str:
    """What an operator does, in a sentence: `tuples of S1 that probe S2`, `merging results`."""
    params = dict(operator.params)
    if operator.kind == "probe" and "origin" in params:
        own, other = (shortened(str(params[name]), 24) for name in ("origin", "source"))
        if own == other:
            return f"finding the new tuple of {own} again"
        return f"tuples of {own} that probe {other}"
    known = _ACTIVITIES.get(operator.kind)
    return operator_name(operator) if known is None else known.replace("{}", _about(params))


def _about(params: Mapping[str, object]) -> str:
    return next((shortened(str(params[name]), 24) for name in _ABOUT if name in params), "")


def join_of(operator: Operator) -> Operator | None:
    """The slice whose tuples or results an operator handles, itself included; None elsewhere."""
    while operator.kind in _OF_JOINS and operator.inputs:
        operator = operator.inputs[0]
    return operator if operator.kind == "slice" else None


def _named_by_join(operator: Operator, join: Operator) -> str:
    """`probe [0, 60)`; of several groups, queries or parts also which."""
    params = dict(join.params)
    whose = [f"{params[name]}" for name in ("query", "part") if name in params]
    group = [f"group {params['group']}"] if "group" in params else []
    condition = [str(operator.param("condition"))] if operator.kind == "select" else []
    bounds = f"{operator.kind} [{params['start']}, {params['end']})"
    return " ".join([bounds, *(shortened(text, 28) for text in (*whose, *group, *condition))])


def part_of(operator: Operator) -> str:
    """Which tuples of each stream a join of parts holds; empty where streams are not split.

    The code of a part has a digit for each condition: 1 where its tuples pass, 0 where they do not.
    """
    join = join_of(operator)
    code = None if join is None else dict(join.params).get("part")
    if join is None or code is None:
        return ""
    # A stream that is joined with itself comes in once.
    feeds = join.inputs if len(join.inputs) > 1 else join.inputs * 2
    sides = zip(feeds, str(code).split("/"), strict=True)
    return " with ".join(_side(feed, digits) for feed, digits in sides)


def _side(feed: Operator, digits: str) -> str:
    stream = shortened(str(feed.param("source")), 24)
    if feed.kind != "split":
        return f"all {stream}"
    conditions = str(feed.param("conditions")).split("; ")
    if len(conditions) != len(digits):
        # A text in a condition holds what separates them.
        return f"part {digits} of {stream}"
    passed, failed = (
        [shortened(c, 40) for c, digit in zip(conditions, digits, strict=True) if digit == wanted]
        for wanted in "10"
    )
    text = [
        f"{word} {listed(found, _MOST_CONDITIONS)}"
        for word, found in (("that pass", passed), ("that do not pass", failed))
        if found
    ]
    return f"{stream} {' and '.join(text)}"


def parts_of_plan(plan: Plan) -> dict[str, str]:
    """The codes of all joins of parts, as they stand in the names of operators, in words."""
    found: dict[str, str] = {}
    for operator in plan.operators():
        if operator.kind == "slice" and (words := part_of(operator)):
            params = dict(operator.params)
            group = f" group {params['group']}" if "group" in params else ""
            found.setdefault(f"{shortened(str(params['part']), 28)}{group}", words)
    return found

"""Operators in few words, for bars, tables and sentences."""

from __future__ import annotations

from planner.plan import Operator
from planner.wording import shortened

_OF_JOINS = ("probe", "route", "select")


def operator_name(operator: Operator) -> str:
    """An operator in few words: `S1 probes S2`, `insert S1`."""
    params = dict(operator.params)
    about = shortened(str(params.get("source", params.get("query", ""))), 24)
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

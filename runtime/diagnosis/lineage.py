"""What feeds an operator of a run, and whom it feeds."""

from __future__ import annotations

from planner.plan.operator_names import join_of
from planner.plan.plan import Operator
from planner.workload.changes import queries_of_run
from planner.workload.query import Query
from runtime.runs.records import Run


def arrivals(operator: Operator) -> list[Operator]:
    """The streams that come in at the operator or ahead of it, from left to right."""
    found: dict[str, Operator] = {}
    waiting = [operator]
    while waiting:
        current = waiting.pop(0)
        if current.kind == "arrive":
            found.setdefault(current.id, current)
        waiting = [*current.inputs, *waiting]
    return list(found.values())


def queries_fed(run: Run, operator: Operator) -> list[Query]:
    """The queries whose results depend on the operator."""
    known = {query.name: query for query in queries_of_run(run.workload)}
    fed = dict.fromkeys(
        str(root.param("query")) for root in run.plan.roots if _is_ahead(operator, root)
    )
    return [known[name] for name in fed if name in known]


def query_fed(run: Run, operator: Operator) -> Query:
    """One of the queries whose results depend on the operator: those of a shared join have its
    predicates in common."""
    return next(iter(queries_fed(run, operator)), run.workload.queries[0])


def asked_ahead(run: Run, operator: Operator) -> list[Query]:
    """The queries whose conditions decide which tuples come to the operator. A part of a stream
    is made by the conditions of all that share it, those that its tuples do not pass too."""
    join = join_of(operator)
    if join is None or "part" not in dict(join.params):
        return queries_fed(run, operator)
    found = [query for feed in join.inputs for query in queries_fed(run, feed)]
    return list({query.name: query for query in found}.values())


def joined_streams(operator: Operator) -> list[str]:
    """The two streams of a join of slices; of a self-join the one twice."""
    names = [str(arrive.param("stream")) for arrive in arrivals(operator)]
    return names if len(names) > 1 else names * 2


def _is_ahead(operator: Operator, root: Operator) -> bool:
    seen: set[str] = set()
    waiting = [root]
    while waiting:
        current = waiting.pop()
        if current.id == operator.id:
            return True
        if current.id not in seen:
            seen.add(current.id)
            waiting += current.inputs
    return False

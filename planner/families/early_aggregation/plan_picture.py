"""An aggregation plan as DOT, drawn as in Figure 4 of Tran & Lee 2007: the windows at the bottom,
early aggregations above the sources that carry one, the join, and the late aggregation on top."""

from __future__ import annotations

from collections.abc import Iterator

from planner.numbers import shortened
from planner.plan.dot import FILLS, OTHER_FILL, blank, escaped
from planner.plan.plan import Operator, Plan
from planner.workload.query import Query, Source

# Up to so many sources an early aggregation says what it groups by and computes.
MOST_SPELLED_OUT = 4
_MOST_CONDITIONS = 3
_LINE = 20


def aggregation_tree(query: Query, plan: Plan) -> str:
    """The plan's windows, aggregations and join, tuples flowing upwards."""
    graph = blank("aggregation")
    operators = plan.operators()
    early = {str(op.param("source")): op for op in operators if op.kind == "aggregate"}
    late = next(op for op in operators if op.kind == "update")
    spelled_out = len(query.sources) <= MOST_SPELLED_OUT
    with graph.subgraph() as bottom:
        bottom.attr(rank="same")
        for place, source in enumerate(query.sources):
            label = escaped(*_window(query, source, spelled_out))
            bottom.node(f"window{place}", label=label, fillcolor=FILLS["arrive"])
            if place:
                # Sources stand in the order of FROM, which is that of the label's digits.
                bottom.edge(f"window{place - 1}", f"window{place}", style="invis")
    top = "late"
    if len(query.sources) > 1:
        top = "join"
        graph.node("join", label=escaped("⋈", *_conditions(query)), fillcolor=FILLS["probe"])
        graph.edge("join", "late")
    for place, source in enumerate(query.sources):
        below = f"window{place}"
        if source.alias in early:
            aggregate = early[source.alias]
            lines = _aggregation(aggregate) if spelled_out else ["γ"]
            graph.node(f"early{place}", label=escaped(*lines), fillcolor=OTHER_FILL)
            graph.edge(below, f"early{place}")
            below = f"early{place}"
        graph.edge(below, top)
    graph.node("late", label=escaped(*_aggregation(late)), fillcolor=FILLS["output"])
    return str(graph.source)


def _window(query: Query, source: Source, spelled_out: bool) -> Iterator[str]:
    yield shortened(source.alias, _LINE)
    if not spelled_out:
        return
    if source.name != source.alias:
        yield shortened(source.name, _LINE)
    yield "relation" if source.window is None else f"[{source.window}]"
    for step in query.filters:
        if step.column.alias == source.alias:
            condition = f"{step.column.attribute} {step.comparison} {step.operand}"
            yield f"σ {shortened(condition, _LINE)}"


def _conditions(query: Query) -> Iterator[str]:
    """What is joined on; of many conditions the first ones."""
    for predicate in query.predicates[:_MOST_CONDITIONS]:
        yield shortened(str(predicate), 2 * _LINE)
    if len(query.predicates) > _MOST_CONDITIONS:
        yield f"and {len(query.predicates) - _MOST_CONDITIONS} more"


def _aggregation(operator: Operator) -> Iterator[str]:
    """Gamma, its grouping attributes, then its functions."""
    yield from _filled(f"γ {operator.param('group')}")
    yield from _filled(str(operator.param("functions")))


def _filled(text: str) -> Iterator[str]:
    """The items of a list in lines of about equal length."""
    line = ""
    for item in text.replace(", ", ",\n").splitlines():
        if line and len(line) + len(item) >= _LINE:
            yield line
            line = ""
        line = f"{line} {item}".lstrip()
    if line:
        yield line

"""A plan as DOT: the whole graph of operators, and a global order as a right-deep join tree."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from planner.numbers import shortened
from planner.plan.cost import Estimate
from planner.plan.plan import Operator, Plan
from planner.plan.plan_text import Overlay, Overlays, cost_text, printable

# Fills are pale with dark letters, lines are mid-grey: both read on a light and on a dark page.
FILLS = {
    "arrive": "#cfe3f7",
    "insert": "#e3e3e3",
    "expire": "#e3e3e3",
    "probe": "#fbe3b4",
    "output": "#cdebd2",
}
OTHER_FILL = "#e9dcf2"
_LETTERS = "#1b1b1b"
_LINES = "#808080"


def to_dot(
    plan: Plan,
    estimate: Estimate | None = None,
    overlays: Overlays | None = None,
) -> str:
    """The whole operator graph, tuples flowing upwards to the roots."""
    graph = blank("plan")
    for operator in plan.operators():
        over = (overlays or {}).get(operator.id, Overlay())
        predicted = [cost_text(estimate.costs[operator.id])] if estimate is not None else []
        lines = [*_heading(operator), *filter(None, predicted), *over.lines]
        fill = over.colour or FILLS.get(operator.kind, OTHER_FILL)
        graph.node(operator.id, label=escaped(*lines), fillcolor=fill)
        for source in operator.inputs:
            graph.edge(source.id, operator.id)
    return str(graph.source)


def join_tree(order: Sequence[str]) -> str:
    """The right-deep tree of a global order, its first stream on top."""
    graph = blank("join tree", rankdir="TB")
    for place, name in enumerate(order):
        graph.node(f"stream{place}", label=escaped(name), fillcolor=FILLS["arrive"])
    for place in range(len(order) - 1):
        graph.node(f"join{place}", label="⋈", shape="circle", fillcolor=FILLS["probe"])
        inner = f"join{place + 1}" if place < len(order) - 2 else f"stream{place + 1}"
        graph.edge(f"join{place}", f"stream{place}", arrowhead="none")
        graph.edge(f"join{place}", inner, arrowhead="none")
    return str(graph.source)


def escaped(*lines: str) -> str:
    """Lines as one label in which nothing acts: no escape, no HTML, no entity, no quote."""
    safe = [
        shortened(printable(line), 120).replace("\\", "\\\\").replace("&", "&amp;")
        for line in lines
    ]
    quoted: str = graphviz.nohtml("\\n".join(safe))
    return quoted


def _heading(operator: Operator) -> list[str]:
    """The operator's kind and what it is about, then its other parameters."""
    params = dict(operator.params)
    about = params.pop("source", params.pop("query", ""))
    others = " ".join(f"{name}={shortened(str(value), 40)}" for name, value in params.items())
    return [f"{operator.kind} {shortened(str(about))}".rstrip(), *filter(None, [others])]


def blank(name: str, rankdir: str = "BT") -> graphviz.Digraph:
    """A graph without nodes, in the style of all drawings."""
    return graphviz.Digraph(
        name,
        graph_attr={"rankdir": rankdir, "bgcolor": "transparent"},
        node_attr={
            "shape": "box",
            "style": "filled,rounded",
            "color": _LINES,
            "fontcolor": _LETTERS,
            "fontname": "sans-serif",
            "fontsize": "11",
        },
        edge_attr={"color": _LINES},
    )

"""The state graph of a stream drawn: a column of states for each instant, the best path marked.

  0 s          1 s            what may be stored at the end of each instant, with the most that
[R(0)] --+--> [R(0) R(1)]     can be found until then; a decision leads from one to the next
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import graphviz
import numpy as np

from planner.families.load_shedding.offline.state_graph import Held, StateGraph
from planner.families.load_shedding.star import Star
from planner.families.load_shedding.star_tuples import MILLIONTHS
from planner.files.tuple_table import Table
from planner.numbers import amount, unique_names
from planner.plan.dot import FILLS, blank, escaped
from planner.statistics.generate import generate
from planner.workload.validation import listed
from planner.workload.workload import Workload

# More states, in one stream, would be neither read nor laid out quickly.
MOST_STATES = 150
_BEST, _OTHER = FILLS["output"], "#ececec"
_BEST_LINE = "#1f8a4c"


def first_tuples(workload: Workload) -> dict[str, Table]:
    """The generated tuples of a run, or its first ones where there are too many to be drawn: every
    instant has a state at least."""
    rate = sum(stream.rate or 0.0 for stream in workload.streams)
    seconds = min(workload.warmup + workload.run.duration, 10 * MOST_STATES / max(rate, 1e-9))
    return generate(workload, seconds, workload.run.seed)


def not_drawn(star: Star, tables: Mapping[str, Table]) -> str | None:
    """Why the graphs of a star are not drawn, in one sentence; None where they can be."""
    if len(star.arms) != 2:
        return "State graphs are of two streams: there the worth of a tuple depends on one other."
    states = {
        arm.source.alias: _most_states(tables[arm.source.name].ts, arm.lifetime, arm.share)
        for arm in star.arms
    }
    if max(states.values()) <= MOST_STATES:
        return None
    sizes = listed(f"{alias} up to {_rounded(count)}" for alias, count in states.items())
    return (
        "The state graph is not drawn: every choice of tuples that memory can hold is a state, and "
        f"there may be too many here ({sizes}; at most {MOST_STATES} can be drawn). "
        "The optimum is found by a minimum-cost flow instead."
    )


def _most_states(ts: np.ndarray, lifetime: int, share: int) -> int:
    """No more states than ways to choose what is kept from the window, at each instant."""
    instants = np.unique(ts)
    held = np.searchsorted(ts, instants, side="right") - np.searchsorted(
        ts, instants - lifetime, side="right"
    )
    sizes, counts = np.unique(held, return_counts=True)
    return sum(
        int(count) * math.comb(int(size), min(share, int(size)))
        for size, count in zip(sizes, counts, strict=True)
    )


def _rounded(count: int) -> str:
    return f"{count:,}" if count < 10**6 else f"10^{len(str(count)) - 1}"


def tuple_names(alias: str, ts: Sequence[int]) -> list[str]:
    """The tuples of a stream by when they arrive: `R(3)`."""
    return unique_names([f"{alias}({amount(at / 1e6)})" for at in ts])


def state_dot(graph: StateGraph, ts: Sequence[int], until: int, unit: int = MILLIONTHS) -> str:
    """The states up to an instant (its number), those after it left blank: nothing moves.

    What is found is shown in a `unit`: millionths of importance, or results.
    """
    names = tuple_names(graph.alias, ts)
    drawn = blank("states", rankdir="LR")
    drawn.attr("node", fontsize="10", margin="0.08,0.04")
    drawn.node("start", label=escaped("start", "nothing stored"), fillcolor=_BEST)
    for number, layer in enumerate(graph.layers):
        hidden = {"style": "invis"} if number > until else {}
        with drawn.subgraph() as column:
            column.attr(rank="same")
            head = f"at {amount(layer.ts / 1e6)} s"
            column.node(f"at{number}", label=escaped(head), shape="plaintext", **_head(hidden))
            for held, most in layer.most.items():
                is_best = held == graph.path[number]
                label = escaped(stored(held, names), f"found {amount(most / unit)}")
                column.node(_id(graph, number, held), label=label, **_look(is_best) | hidden)
        _edges(drawn, graph, number, unit, hidden)
    return str(drawn.source)


def _head(hidden: dict[str, str]) -> dict[str, str]:
    # On light and on dark pages.
    return hidden or {"style": "", "fontcolor": "#808080"}


def _look(is_best: bool) -> dict[str, str]:
    if is_best:
        return {"fillcolor": _BEST, "color": _BEST_LINE, "penwidth": "2"}
    return {"fillcolor": _OTHER}


def _edges(
    drawn: graphviz.Digraph, graph: StateGraph, number: int, unit: int, hidden: dict[str, str]
) -> None:
    before = graph.path[number - 1] if number else ()
    for edge in graph.layers[number].edges:
        is_best = edge.before == before and edge.after == graph.path[number]
        look: dict[str, str] = {"penwidth": "0.6", "arrowsize": "0.5"}
        if is_best:
            look = {"color": _BEST_LINE, "penwidth": "2.2", "fontcolor": _BEST_LINE}
            if edge.worth:
                look |= {"label": f"+{amount(edge.worth / unit)}", "fontsize": "11"}
        tail = _id(graph, number - 1, edge.before) if number else "start"
        drawn.edge(tail, _id(graph, number, edge.after), **look | hidden)
    tail = f"at{number - 1}" if number else "start"
    drawn.edge(tail, f"at{number}", style="invis")


def _id(graph: StateGraph, number: int, held: Held) -> str:
    return f"s{number}_{list(graph.layers[number].most).index(held)}"


def stored(held: Held, names: Sequence[str]) -> str:
    """What a state stores, in words."""
    return " ".join(names[one] for one in held) or "nothing"


def states_text(graph: StateGraph, ts: Sequence[int], until: int, unit: int = MILLIONTHS) -> str:
    """The text alternative: the best path, instant after instant."""
    names = tuple_names(graph.alias, ts)
    steps = (
        f"at {amount(layer.ts / 1e6)} s one of {len(layer.most)} states: "
        f"{stored(held, names)}, {amount(layer.most[held] / unit)} found"
        for layer, held in list(zip(graph.layers, graph.path, strict=True))[: until + 1]
    )
    return f"What {graph.alias} stores on the best path. {'; '.join(steps)}."

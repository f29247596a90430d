"""What memory may hold at each instant, step by step, and the best path through it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.shared import charts, controls, planning, state
from pages.parts.shared.formatting import counted, plain
from pages.parts.shared.planning import Stamp
from pages.parts.shared.state import BY_DIGEST
from planner.families.load_shedding.labels import MOST_RESULTS, OPTIMUM
from planner.families.load_shedding.offline.matches import Worth
from planner.families.load_shedding.offline.state_graph import (
    StateGraph,
    StateGraphs,
    state_graphs,
)
from planner.families.load_shedding.offline.state_picture import (
    first_tuples,
    not_drawn,
    state_dot,
    states_text,
    stored,
    tuple_names,
)
from planner.families.load_shedding.star import Arm, star_of
from planner.families.load_shedding.star_tuples import MILLIONTHS
from planner.files.own_data import read_folder
from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.workload.workload import Workload


def show(choice: PlanChoice) -> None:
    """The graph of one stream up to an instant; a sentence where there are too many states."""
    workload = choice.workload
    tables = choice.tables or _tables(workload)
    star = star_of(workload)
    if (reason := not_drawn(star, tables)) is not None:
        st.caption(plain(reason, 600))
        return
    worth: Worth = "results" if choice.label == MOST_RESULTS else "importance"
    graphs = state_graphs(star, tables, worth, workload.execution.shedding.prefilter)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        alias = controls.segments(
            "Memory of", [graph.alias for graph in graphs.arms], "states-of", kept=True
        )
        graph = next(graph for graph in graphs.arms if graph.alias == alias)
        until = _instant(graph)
    arm = next(arm for arm in star.arms if arm.source.alias == alias)
    table = tables[arm.source.name]
    ts = table.ts.tolist()
    st.caption(plain(_step(graph, ts, until, worth), 800))
    charts.picture(
        state_dot(graph, ts, until, _unit(worth)),
        alt=states_text(graph, ts, until, _unit(worth)),
        width="stretch",
    )
    st.caption(plain(_legend(graphs, worth), 800))
    controls.table(
        tuples_table(graph, arm, table),
        f"The tuples of {alias}, and until when the best path keeps each",
        columns="state-tuples",
        placeholder="–",
    )


def _instant(graph: StateGraph) -> int:
    times = [layer.ts / 1e6 for layer in graph.layers]
    if len(times) < 2:
        return 0
    chosen = st.select_slider(
        "Up to the instant",
        times,
        times[-1],
        format_func=lambda at: f"{amount(at)} s",
        key=f"states-until-{len(times)}",
        width=360,
        help="Go back to 0 s and forward step by step.",
    )
    return times.index(chosen)


def _tables(workload: Workload) -> Mapping[str, Table]:
    folder, sort = state.data()
    if folder is None:
        return first_tuples(workload)
    return _own(workload, str(folder), planning.stamp_of(folder), sort)


@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs=BY_DIGEST)
def _own(
    workload: Workload,
    folder: str,
    stamp: Stamp,  # noqa: ARG001 - part of the key: files may change
    sort: bool,
) -> dict[str, Table]:
    return read_folder(Path(folder), workload, sort).tables


def _step(graph: StateGraph, ts: list[int], until: int, worth: Worth) -> str:
    """What happens at the last instant that is shown."""
    layer, held = graph.layers[until], graph.path[until]
    before = graph.path[until - 1] if until else ()
    names = tuple_names(graph.alias, ts)
    found = layer.most[held] - (graph.layers[until - 1].most[before] if until else 0)
    what = "importance" if worth == "importance" else "results"
    gain = (
        f"its tuples are joined for {amount(found / _unit(worth))} {what}"
        if found
        else ("none of its tuples is joined")
    )
    return (
        f"At {amount(layer.ts / 1e6)} s there are {counted(len(layer.most), 'state')}. The best "
        f"path stores {stored(held, names)} (before: {stored(before, names)}), and {gain}."
    )


def _unit(worth: Worth) -> int:
    return MILLIONTHS if worth == "importance" else 1


def _legend(graphs: StateGraphs, worth: Worth) -> str:
    what = "importance" if worth == "importance" else "results"
    unit = _unit(worth)
    parts = " + ".join(f"{amount(graph.gained / unit)} ({graph.alias})" for graph in graphs.arms)
    name = OPTIMUM if worth == "importance" else MOST_RESULTS
    return (
        "A box is what may be stored at the end of an instant, with the most that can be found "
        "until then. An arrow is a decision: who is let in, and who goes. Green is the best path, "
        f"+ what is found on the way. {name} finds {amount(graphs.gained / unit)} {what}: {parts} "
        f"+ {amount(graphs.together / unit)} by tuples that arrive together, which need no memory."
    )


def tuples_table(graph: StateGraph, arm: Arm, table: Table) -> pd.DataFrame:
    """The tuples of a stream: key, importance, and how long the best path keeps each."""
    leaves = graph.leaves(table.ts)
    key = table.columns[arm.key.attribute].values.tolist()
    importance = (
        [1] * len(key) if arm.importance is None else table.columns[arm.importance].values.tolist()
    )
    return pd.DataFrame(
        {
            "Tuple": tuple_names(graph.alias, table.ts.tolist()),
            "Key": [str(value) for value in key],
            "Importance": importance,
            "Kept": [
                _kept(at, leave, graph.layers[-1].ts)
                for at, leave in zip(table.ts.tolist(), leaves.tolist(), strict=True)
            ],
        }
    )


def _kept(arrives: int, leaves: int, last: int) -> str:
    if leaves <= arrives:
        return "never"
    return "to the end" if leaves > last else f"until {amount(leaves / 1e6)} s"

"""The bound on memory in the draft: how many tuples, how they are split, and how they are shed,
also where the processor is short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, state
from pages.parts.workload import drafts
from pages.parts.workload.drafts import Parts
from pages.parts.workload.stream_tables import edit, one_value
from planner.joins.coverage import relation_of
from planner.workload.execution import Execution, Shedding
from planner.workload.query import Source

# What goes with the bound.
_OF_BOUND = ("memory", "shedding", "utilisation")
_KEPT, _ACCESS = "Tuples kept", "Rows found by"


def show() -> None:
    """The memory; where there is a bound, also how it is split, and how tuples are shed."""
    execution = state.workload().execution
    columns = st.columns([2, 2, 2, 4], vertical_alignment="bottom")
    memory = columns[0].number_input(value=execution.memory, **controls.field("edited-memory"))
    if execution.memory is None:
        _put(execution, {"memory": memory}, {})
        return
    shedding = execution.shedding
    given = {
        name: columns[place].number_input(value=getattr(shedding, name), **controls.field(name))
        for place, name in enumerate(("alpha", "beta"), 1)
    }
    prefilter = columns[3].checkbox(value=shedding.prefilter, **controls.field("prefilter"))
    below = st.columns([2, 2, 6], vertical_alignment="bottom")
    load = below[0].number_input(value=execution.utilisation, **controls.field("utilisation"))
    given["buffer"] = shedding.buffer
    if execution.utilisation is not None:
        given["buffer"] = below[1].number_input(value=shedding.buffer, **controls.field("buffer"))
    _put(execution, {"memory": memory, "utilisation": load}, {**given, "prefilter": prefilter})
    st.button("Remove the bound", icon=":material/delete:", on_click=_remove)
    edit(
        "memory-split",
        _frame,
        with_split,
        controls.described_columns("memory-split-edited"),
        disabled=["Stream"],
        placeholder="equal",
        alt="Memory by stream",
    )


def _remove() -> None:
    execution = drafts.parts().get("execution", {})
    kept = {name: value for name, value in execution.items() if name not in _OF_BOUND}
    drafts.put("execution", kept, "memory")


def _put(execution: Execution, bound: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
    """Save what was typed, of the execution and of shedding, if it is something else."""
    now = {name: getattr(execution, name) for name in bound}
    shed_now = {name: getattr(execution.shedding, name) for name in changed}
    if (bound, changed) == (now, shed_now):
        return
    drafts.change(with_bound(drafts.parts(), bound, changed), "memory")
    st.rerun()


def with_bound(parts: Parts, bound: Mapping[str, Any], changed: Mapping[str, Any]) -> Parts:
    """The draft with this memory and load, and these settings; usual ones are left out."""
    execution = dict(parts.get("execution", {}))
    shedding = {**execution.get("shedding", {}), **changed}
    kept = {k: v for k, v in shedding.items() if v != getattr(Shedding(), k)}
    execution |= {**bound, "shedding": kept}
    return {**parts, "execution": {k: v for k, v in execution.items() if v not in (None, {})}}


def _streams() -> list[Source]:
    """The streams of the chosen query."""
    workload = state.workload()
    sources = workload.query(state.edited_query()).sources
    return [source for source in sources if relation_of(workload, source) is None]


def _frame() -> pd.DataFrame:
    shedding = state.workload().execution.shedding
    split = {} if isinstance(shedding.split, str) else shedding.split
    streams = _streams()
    kept = [split.get(source.alias, split.get(source.name)) for source in streams]
    return pd.DataFrame(
        {
            "Stream": [source.alias for source in streams],
            _KEPT: pd.array(kept, dtype="Int64"),
            _ACCESS: [shedding.access_of(source) for source in streams],
        }
    )


def with_split(parts: Parts, frame: pd.DataFrame) -> Parts:
    """The draft with the parts of the memory, and the accesses, of the table."""
    rows = list(zip(frame["Stream"], frame[_KEPT], frame[_ACCESS], strict=True))
    split = {alias: int(kept) for alias, kept, _ in rows if not pd.isna(kept)}
    access = one_value({alias: how for alias, _, how in rows})
    execution = dict(parts.get("execution", {}))
    shedding = dict(execution.get("shedding", {}))
    shedding |= {"split": split or None, "access": None if access == "index" else access}
    execution["shedding"] = {k: v for k, v in shedding.items() if v is not None}
    return {**parts, "execution": {k: v for k, v in execution.items() if v not in (None, {})}}

"""Memory on the Plans page: what every policy gives for any size, and which size is enough."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.parts.families.load_shedding import frontier_figure, policies
from pages.parts.families.load_shedding.frontier_figure import OF
from pages.parts.families.protocol import PlanChoice
from pages.parts.shared import charts, controls, planning, state
from pages.parts.shared.formatting import counted, plain
from pages.parts.shared.state import BY_DIGEST
from planner.families.load_shedding import LoadShedding
from planner.families.load_shedding.explain import percent
from planner.families.load_shedding.frontier import (
    MemoryPoint,
    SplitPoint,
    usual_memories,
    with_memory,
)
from planner.families.load_shedding.labels import EXACT, OPTIMUM
from planner.families.load_shedding.prediction.predictions import SIMULATED
from planner.families.load_shedding.read_backwards import MemoryNeeded, Wish, memory_needed
from planner.families.load_shedding.space import Policies
from planner.time_limit import planning_limit
from planner.workload.workload import Workload

# A page waits so long for more points of the frontier, draws them, and goes on.
_AT_ONCE = 0.4
_FOLLOW = 0.2
_WISHES: dict[Wish, str] = {"importance": "Importance", "recall": "Number of results"}
_USUAL_WISH = 90


def policies_of(workload: Workload) -> Policies:
    """The policies of a workload."""
    return planning.capable(LoadShedding.name, workload, Policies)


def show(choice: PlanChoice) -> None:
    """The size of the memory; what other sizes would give, which is worked out bit by bit."""
    space = policies_of(choice.workload)
    if (reason := space.predictions.without_shedding) is not None:
        _edit_memory(choice.workload)
        st.info(f"Nothing is shed here: {plain(reason, 200)}.", icon=":material/check_circle:")
        return
    missing = _missing(choice.workload, space)
    st.fragment(_frontier, run_every=_FOLLOW if missing else None)(choice)


def _frontier(choice: PlanChoice) -> None:
    workload, space = choice.workload, policies_of(choice.workload)
    points = _known(workload)
    if _missing(workload, space):
        _grow(workload, space)
        if not _missing(workload, space):
            # Drawn once more, and no longer every moment.
            st.rerun()
    shown = [point for own in points.values() for point in own]
    exact = next(point for point in shown if point.label == EXACT)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        _edit_memory(workload)
        by = controls.segments(
            "What counts", _WISHES, "frontier-by", kept=True, format_func=_WISHES.__getitem__
        )
    now = workload.execution.memory
    assert now is not None, "a workload without a bound is refused"
    charts.show(
        frontier_figure.frontier_figure(shown, by, exact, now, choice.label),
        alt=frontier_figure.frontier_alternative(shown, by, exact),
        key="frontier",
    )
    if _missing(workload, space):
        every = len(_sizes(workload, space))
        st.caption(f"Trying other sizes of memory: {len(points)} of {every} are done.")
        return
    st.caption(_legend(space, shown))
    if not space.model.star.is_keyed:
        _read_backwards(choice, shown, by, exact)
        st.caption(
            "The streams are joined on different attributes, so tuples cannot be shared out by "
            "key: a run keeps one memory for all, which is not split."
        )
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _read_backwards(choice, shown, by, exact)
    with right:
        _partitions(choice)


def _edit_memory(workload: Workload) -> None:
    now = workload.execution.memory
    asked = st.number_input(value=now, key=f"memory-{now}", **controls.field("memory"))
    if asked is not None and asked != now:
        state.edit(with_memory(state.workload(), asked))
        st.rerun()


# --- the frontier ----------------------------------------------------------------------------


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=BY_DIGEST)
def _known(workload: Workload) -> dict[int, tuple[MemoryPoint, ...]]:  # noqa: ARG001
    """The points of a workload's frontier so far, by memory."""
    return {}


def _sizes(workload: Workload, space: Policies) -> list[int]:
    """The sizes that are tried: the workload's own, and usual ones from small to large."""
    now = workload.execution.memory
    assert now is not None, "a workload without a bound is refused"
    return list(dict.fromkeys((now, *usual_memories(space.model))))


def _missing(workload: Workload, space: Policies) -> list[int]:
    """The sizes that were not tried yet."""
    points = _known(workload)
    return [size for size in _sizes(workload, space) if size not in points]


@planning_limit()
def _grow(workload: Workload, space: Policies) -> None:
    """Try some more sizes, for a moment."""
    points, until = _known(workload), time.monotonic() + _AT_ONCE
    for size in _missing(workload, space):
        points[size] = space.frontier([size])
        if time.monotonic() > until:
            return


def _legend(space: Policies, points: Sequence[MemoryPoint]) -> str:
    simulated = dict.fromkeys(p.label for p in points if p.model == SIMULATED)
    closed = dict.fromkeys(p.label for p in points if p.label not in simulated)
    parts = [
        "A line shows how much of the exact answer a policy finds with so many tuples of memory."
    ]
    if any(point.label == OPTIMUM for point in points):
        parts.append(
            f"No policy finds more importance than {OPTIMUM}, which knows all tuples beforehand."
        )
    if simulated:
        parts.append(f"Simulated on a seeded sample: {', '.join(simulated)}.")
    if closed:
        parts.append(f"In closed form: {', '.join(closed)}.")
    parts += [f"{label} is left out: {reason}." for label, reason in space.excluded]
    return plain(" ".join(parts), 1200)


# --- read backwards --------------------------------------------------------------------------


def _read_backwards(
    choice: PlanChoice, points: Sequence[MemoryPoint], by: Wish, exact: MemoryPoint
) -> None:
    """The least memory for a wished share, by policy; exactly for the chosen one if asked for."""
    st.markdown("**How much memory is enough?**")
    wished = st.slider(
        f"Wished share {OF[by]}",
        5,
        100,
        _USUAL_WISH,
        format="%d%%",
        key=f"wished-{by}",
        help="Read from the lines above, straight between the sizes that were tried.",
    )
    needed = memory_needed(points, wished / 100, by, exact.importance)
    controls.table(
        needed_table(needed),
        f"Least memory for {wished}% {OF[by]}, by policy",
        columns="memory-needed",
        placeholder="not reached",
    )
    own = next((n for n in needed if n.label == choice.label), None)
    if own is None or own.memory is None or own.memory == choice.workload.execution.memory:
        return
    if st.button(
        f"Set the memory to {own.memory:,} ({choice.label})",
        icon=":material/edit:",
        key="apply-memory",
        help="Changes the workload; all figures follow.",
    ):
        state.edit(with_memory(state.workload(), own.memory))
        st.rerun()


def needed_table(needed: Sequence[MemoryNeeded]) -> pd.DataFrame:
    """One row per policy, least memory first."""
    return pd.DataFrame(
        {
            "Policy": [own.label for own in needed],
            "Memory": pd.array([own.memory for own in needed], dtype="Int64"),
            "Known by": [policies.how_known(own.model) for own in needed],
            "What it does": [policies.words(own.label) for own in needed],
        }
    )


# --- partitions ------------------------------------------------------------------------------


@st.cache_resource(show_spinner="Splitting the memory", max_entries=64, hash_funcs=BY_DIGEST)
def _split(workload: Workload, label: str) -> tuple[SplitPoint, ...]:
    return policies_of(workload).split_costs(label)


def _partitions(choice: PlanChoice) -> None:
    """What is left where a run splits the same memory into partitions by key."""
    st.markdown("**What does it cost to split the memory?**")
    if choice.label == EXACT:
        st.caption("EXACT has no bound: splitting costs nothing. Choose another plan below.")
        return
    found = _split(choice.workload, choice.label)
    memory = counted(choice.workload.execution.memory or 0, "tuple")
    st.caption(
        f"{choice.label} with {memory} in all, shared out equally: each partition keeps the best "
        "of its own keys only. Simulated."
    )
    controls.table(
        split_table(found),
        f"{choice.label} with its memory split into partitions",
        columns="memory-split",
    )


def split_table(points: Sequence[SplitPoint]) -> pd.DataFrame:
    """One row per number of partitions, beside one memory for all."""
    whole = points[0].importance
    return pd.DataFrame(
        {
            "Partitions": [point.partitions for point in points],
            "Importance": [round(point.importance, 1) for point in points],
            "Of one memory": [
                percent(point.importance / whole) if whole else "–" for point in points
            ],
            "Results found": [percent(point.recall) for point in points],
        }
    )

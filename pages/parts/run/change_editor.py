"""Planned changes during a run: queries are added or removed, or the plan is switched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, planning, state
from pages.parts.shared.formatting import counted, plain
from pages.parts.shared.state import BY_DIGEST
from pages.parts.workload import drafts
from pages.parts.workload.drafts import Parts
from planner.families.protocol import Family
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.numbers import amount, shortened
from planner.workload.changes import check_times, stages_of
from planner.workload.execution import Change
from planner.workload.validation import exact, listed, microseconds
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from planner.families.stages import PlannedStage

DONE, NOW, AHEAD = "done", "now", "ahead"


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def stages_of_run(family_name: str, workload: Workload, label: str) -> tuple[PlannedStage, ...]:
    """The stages of a run of this plan; one where nothing changes."""
    from planner.families.stages import planned_stages

    return planned_stages(family(family_name), workload, label)


def show_stages(stages: Sequence[PlannedStage], end: float, reached: float | None = None) -> None:
    """The stages as a table; of a run in progress, also which of them are done."""
    controls.table(table(stages, end, reached), "What changes when", columns="stages")


def table(stages: Sequence[PlannedStage], end: float, reached: float | None = None) -> pd.DataFrame:
    """One row per stage: when it begins and ends, what changes, and what runs in it."""
    starts = [0.0 if stage.at is None else stage.at / 1e6 for stage in stages]
    ends = [*starts[1:], max(end, starts[-1])]
    columns: dict[str, list[object]] = {
        "From (s)": [exact(start) for start in starts],
        "Until (s)": [exact(stop) for stop in ends],
        "What changes": ["start", *(_changes(*pair) for pair in pairwise(stages))],
        "Queries": [len(stage.workload.queries) for stage in stages],
        "Plan": [_title(stage) for stage in stages],
        "Joins": [_joins(stage) for stage in stages],
    }
    if reached is not None:
        whens = zip(starts, ends, strict=True)
        columns["Now"] = [_when(start, stop, reached) for start, stop in whens]
    return pd.DataFrame(columns)


def _title(stage: PlannedStage) -> str:
    return planning.title(stage.plan.family, stage.plan.label, stage.workload)


def _switched_to(label: str) -> str:
    """The plan of a change in words."""
    return planning.title(planning.subject()[0].name, label, planning.subject()[1])


def _joins(stage: PlannedStage) -> int:
    return sum(operator.kind == "slice" for operator in stage.plan.operators())


def _when(start: float, end: float, reached: float) -> str:
    if reached < start:
        return AHEAD
    return NOW if reached < end else DONE


def _changes(before: PlannedStage, after: PlannedStage) -> str:
    """Which queries are removed and added, and which plan is next."""
    old = {query.name: query for query in before.workload.queries}
    new = {query.name: query for query in after.workload.queries}
    found = [
        *(f"{shortened(name)} is removed" for name in old if name not in new),
        *(f"{shortened(name)} is added" for name in new if name not in old),
        *(f"{shortened(name)} changes" for name in new if old.get(name, new[name]) != new[name]),
    ]
    if before.plan.label != after.plan.label:
        found.append(f"the plan becomes {_title(after)}")
    return listed(found, 6) if found else "nothing"


def stage_text(stages: Sequence[PlannedStage], reached: float) -> str:
    """How far a run in progress is: what has changed, and what comes next."""
    begun = [stage for stage in stages if stage.at is None or stage.at / 1e6 <= reached]
    ahead = [stage for stage in stages if stage not in begun]
    now = begun[-1]
    words = (
        f"At {amount(round(reached, 1))} s of stream time: "
        f"{counted(len(now.workload.queries), 'query', 'queries')}, {_title(now)}"
    )
    if len(begun) > 1:
        since = exact((now.at or 0) / 1e6)
        words += f" since {since} s ({_changes(begun[-2], now)})"
    if ahead:
        words += f"; at {exact((ahead[0].at or 0) / 1e6)} s {_changes(now, ahead[0])}"
    return plain(f"{words}.", 600)


REMOVE, ADD, SWITCH = "Remove a query", "Add a query", "Switch the plan"
_PROBLEM = "change_problem"


def show(chosen: Family, workload: Workload, labels: Sequence[str]) -> None:
    """The changes, a form to add one, and how they affect the plan."""
    if planning.changes(chosen.name, workload) is None:
        return
    changes = workload.run.changes
    with st.expander(
        f"Changes during the run: {len(changes) or 'none'}",
        expanded=bool(changes) or _PROBLEM in st.session_state,
        icon=":material/sync_alt:",
    ):
        for place, change in enumerate(changes):
            _listed(place, change)
        _form(workload, planning.switch_targets(chosen, workload))
        controls.show_kept(_PROBLEM)
        if changes and labels:
            _preview(chosen, workload, labels[0])


def _listed(place: int, change: Change) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(plain(change_text(change), 300), width="stretch")
        st.button(
            "Remove",
            key=f"remove-change-{place}",
            icon=":material/delete:",
            type="tertiary",
            on_click=_remove,
            args=(place,),
        )


def change_text(change: Change) -> str:
    """A change in words: `at 30 s, remove Q2`."""
    return f"at {exact(change.at)} s, {action(change)}"


def action(change: Change) -> str:
    """A change without its time."""
    if change.remove is not None:
        return f"remove {change.remove}"
    if change.add is not None:
        return f"add {change.add.name}: {shortened(' '.join(change.add.text.split()), 160)}"
    return f"switch the plan to {_switched_to(change.plan or '')}"


def _form(workload: Workload, plans: Sequence[str]) -> None:
    what = controls.segments("What", [REMOVE, ADD, SWITCH], "change-what")
    left, right = st.columns([1, 3])
    # In the middle of what is measured, where its effect can be seen.
    usual = workload.warmup + workload.run.duration / 2
    at = left.number_input("At (s of stream time)", min_value=0.0, value=usual, format="%g")
    if what == REMOVE:
        value: object = right.selectbox("Query", names_of_run(workload), key="change-query")
        made: Parts = {"at": at, "remove": value}
    elif what == SWITCH:
        names = {label: _switched_to(label) for label in plans}
        value = right.selectbox(
            "Plan", list(names), format_func=names.__getitem__, key="change-plan"
        )
        made = {"at": at, "plan": value}
    else:
        unused = drafts.unused_name(names_of_run(workload))
        name = right.text_input("Name", value=unused, key="change-name")
        like = drafts.parts()["queries"][-1].get("text", "")
        text = st.text_area("Query to add", value=str(like), key="change-text")
        made = {"at": at, "add": {"name": name, "text": text}}
    st.button("Add this change", icon=":material/add:", on_click=_add, args=(made,))


def names_of_run(workload: Workload) -> list[str]:
    """All queries that are part of the run at some time."""
    entering = (change.add.name for change in workload.run.changes if change.add is not None)
    return list(dict.fromkeys([*(query.name for query in workload.queries), *entering]))


def _add(made: Parts) -> None:
    _put([*_drafted(), made])


def _remove(place: int) -> None:
    _put([change for at, change in enumerate(_drafted()) if at != place])


def _drafted() -> list[Parts]:
    return list(drafts.parts().get("run", {}).get("changes", []))


def _put(changes: list[Parts]) -> None:
    """Put the changes into the workload; an impossible one shows a message instead."""
    changed = {**drafts.parts().get("run", {}), "changes": changes}
    with controls.kept(_PROBLEM):
        _check(load_workload(json.dumps({**drafts.parts(), "run": changed})))
        drafts.put("run", changed, "changes")


def _check(workload: Workload) -> None:
    """Raise a PlanError for a change that names an unknown query, or comes after the run."""
    from runtime.data.run_data import run_seconds

    stages_of(workload)
    folder, _ = state.data()
    if folder is None:
        # The duration of own data is known only after they have been read.
        end = microseconds(run_seconds(workload))
        check_times(workload.run.changes, 0, end, own_data=False)


def _preview(chosen: Family, workload: Workload, label: str) -> None:
    """The stages of a run of the first chosen plan."""
    from runtime.data.run_data import run_seconds

    folder, _ = state.data()
    end = run_seconds(workload)
    with controls.shown():
        st.markdown(f"**Stages of {plain(planning.title(chosen.name, label, workload))}**")
        show_stages(stages_of_run(chosen.name, workload, label), end)
    late = [change for change in workload.run.changes if change.at >= end]
    if late and folder is None:
        st.warning(
            f"The run ends at {exact(end)} s, so this change never happens: "
            f"{plain(change_text(late[0]), 200)}.",
            icon=":material/warning:",
        )

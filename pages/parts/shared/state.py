"""What a session remembers: the open workload, its data, and a few labels and ids."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.shared import samples
from planner.workload.workload import Workload

# Streamlit's caches identify a workload by its digest.
BY_DIGEST: dict[str | type[Any], Callable[[Any], Any]] = {Workload: lambda w: w.digest}
_OF_ONE_WORKLOAD = (
    "query",
    "family",
    "objective",
    "edited_query",
    "plan",
    "baseline",
    "drafts",
    "draft",
    "typed_windows",
    "run",
    "whatif-set",
    "whatif-undo",
    "whatif-pinned",
    "whatif-measured",
    "whatif-vary",
    "whatif-vary-2",
    "whatif-regret",
    "whatif-path",
    "whatif-cell",
    "whatif-ranges",
)


def open_workload(workload: Workload, data: Path | None = None, sort: bool = False) -> None:
    """Open this workload, and forget what was chosen for the one before."""
    for key in _OF_ONE_WORKLOAD:
        st.session_state.pop(key, None)
    st.session_state["workload"] = workload
    use_data(data, sort)


def workload() -> Workload:
    """The open workload in its last valid state. At first it is a sample."""
    if "workload" not in st.session_state:
        first = samples.every()[0]
        open_workload(first.workload, first.data)
        st.session_state["by_default"] = True
    found: Workload = st.session_state["workload"]
    return found


def by_default() -> bool:
    """Whether the open workload is the one that a session begins with, unchanged."""
    workload()
    return "by_default" in st.session_state


def edit(changed: Workload) -> None:
    """Replace the open workload by its edited form; choices that still exist are kept."""
    st.session_state["workload"] = samples.own_name(changed)
    st.session_state.pop("by_default", None)


def use_data(folder: Path | None, sort: bool = False) -> None:
    """Take the tuples from this folder; None generates them."""
    st.session_state["data"] = folder
    st.session_state["sort"] = sort
    st.session_state.pop("by_default", None)


def data() -> tuple[Path | None, bool]:
    """The folder of the user's own data, if any, and whether rows out of order are accepted."""
    workload()
    return st.session_state["data"], st.session_state["sort"]


def chosen_query() -> str | None:
    """The query that was chosen to be planned and run by itself, if one was."""
    return _known(st.session_state.get("query"))


def choose_query(name: str | None) -> None:
    """Plan and run this query from now on; None leaves it to the workload."""
    for key in ("plan", "baseline", "run"):
        st.session_state.pop(key, None)
    st.session_state["query"] = name
    if name is not None:
        edit_query(name)


def chosen_family() -> str | None:
    """The name of the family that was chosen to plan the workload, if one was."""
    return st.session_state.get("family")


def choose_family(name: str) -> None:
    """Plan the workload in this way from now on."""
    for key in ("objective", "plan", "baseline", "run"):
        st.session_state.pop(key, None)
    st.session_state["family"] = name


def chosen_objective() -> str | None:
    """The name of what plans are ranked by, if it was chosen."""
    return st.session_state.get("objective")


def choose_objective(name: str) -> None:
    """Rank plans by this from now on."""
    st.session_state.pop("plan", None)
    st.session_state["objective"] = name


def edited_query() -> str:
    """The query whose windows can be edited: the one that was edited last, or the first."""
    edited = _known(st.session_state.get("edited_query"))
    return edited or chosen_query() or workload().queries[0].name


def edit_query(name: str) -> None:
    """Show this query to be edited."""
    st.session_state["edited_query"] = name


def _known(name: str | None) -> str | None:
    return name if any(query.name == name for query in workload().queries) else None


def plan(labels: tuple[str, ...], default: str) -> str:
    """The label of the chosen plan; the default where it was not chosen from these."""
    chosen = st.session_state.get("plan")
    return chosen if chosen in labels else default


def chosen_plan() -> str | None:
    """The label of the plan that was chosen, if one was."""
    return st.session_state.get("plan")


def choose_plan(label: str) -> None:
    """Show this plan from now on."""
    st.session_state["plan"] = label


def pinned() -> str | None:
    """The label that the user pinned as the baseline, if any."""
    return st.session_state.get("baseline")


def pin(label: str | None) -> None:
    """Compare with this plan from now on; None goes back to the family's own baseline."""
    st.session_state["baseline"] = label


def drafts() -> dict[str, str]:
    """Texts as they are typed, mistakes included."""
    texts: dict[str, str] = st.session_state.setdefault("drafts", {})
    return texts

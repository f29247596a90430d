"""A view: the workload and what is looked at of it, as a link or a file holds it.

Links and files may have been written by anyone: what they name is looked up, never believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.shared import routing, state
from pages.parts.workload import own_data
from planner.errors import PlanError
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.workload import Workload

# The names of what is chosen, in links and files alike. Longer labels go into files only.
QUERY, PLAN, BASELINE, ALL = "query", "plan", "baseline", "all"
LONGEST_LABEL = 400
_MARK = "sluice_view"
_VERSION = 1
_SHOW_ALL = "show-all"


def chosen() -> dict[str, str]:
    """What is looked at, beside the workload."""
    named = {QUERY: state.chosen_query(), PLAN: state.chosen_plan(), BASELINE: state.pinned()}
    found = {name: value for name, value in named.items() if value}
    return found | ({ALL: "yes"} if st.session_state.get(_SHOW_ALL) else {})


def choose(view: Mapping[str, str]) -> None:
    """Look at this; what the workload does not have is passed over where it is used."""
    if query := view.get(QUERY):
        state.choose_query(query)
    if plan := view.get(PLAN):
        state.choose_plan(plan)
    if baseline := view.get(BASELINE):
        state.pin(baseline)
    if ALL in view:
        st.session_state[_SHOW_ALL] = True


def to_file(
    page: str, workload: Workload, data: tuple[Path | None, bool], view: Mapping[str, str]
) -> str:
    """The view as a file: the workload, its data's name, what is chosen, and the page."""
    folder, sort = data
    document: dict[str, Any] = {
        _MARK: _VERSION,
        "page": page,
        "view": dict(view),
        "workload": dump_workload(workload),
    }
    if folder is not None and (name := own_data.name_of(folder)):
        document |= {"data": name, "sort": sort}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def is_view(content: bytes) -> bool:
    """Whether a file holds a view, not a workload alone."""
    return content.lstrip().startswith(b"{") and f'"{_MARK}"'.encode() in content[:200]


def open_file(content: bytes, name: str) -> str:
    """Open the view of a file; the page it was taken from."""
    document = _read(content, name)
    workload = load_workload(document["workload"], name)
    folder = document.get("data")
    data = own_data.named(folder) if folder else None
    state.open_workload(workload, data, bool(document.get("sort")))
    choose(document["view"])
    page: str = document["page"]
    return page


def _read(content: bytes, name: str) -> dict[str, Any]:
    """The file's content, in the shape that it must have."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise PlanError("is no view: its JSON is damaged; take it again", name) from error
    if document.get(_MARK) != _VERSION:
        raise PlanError(f"is a view of another version; this Sluice reads {_VERSION}", name)
    view = document.get("view")
    texts = [document.get("workload"), document.get("data", ""), document.get("page")]
    if not isinstance(view, dict) or not all(isinstance(text, str) for text in texts):
        raise PlanError("is no whole view: workload, view or page is missing; take it again", name)
    if not all(isinstance(value, str) for value in view.values()):
        raise PlanError("view: every choice is a text; take it again", name)
    if document["page"] not in routing.names():
        raise PlanError(f"page: there is no {document['page'][:40]!r}", name)
    return document

"""A view: the workload with the chosen query and plans, as it is kept in a link or a file.

Links and files may have been written by anyone, so everything in them is checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.shared import controls, routing, state
from pages.parts.whatif import scenarios
from pages.parts.workload import own_data
from planner.errors import PlanError
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.workload import Workload

# The names of choices in links and files. Longer labels are kept only in files.
QUERY, FAMILY, RANK, PLAN = "query", "family", "rank", "plan"
BASELINE, ALL, WHAT_IF = "baseline", "all", "whatif"
LONGEST_LABEL, LONGEST_WHAT_IF = 800, 2_400
_MARK = "sluice_view"
_VERSION = 1
_SHOW_ALL = "show-all"


def chosen() -> dict[str, str]:
    """The choices that belong to the view."""
    named = {
        QUERY: state.chosen_query(),
        FAMILY: state.chosen_family(),
        RANK: state.chosen_objective(),
        PLAN: state.chosen_plan(),
        BASELINE: state.pinned(),
        WHAT_IF: scenarios.to_text(),
    }
    found = {name: value for name, value in named.items() if value}
    return found | ({ALL: "yes"} if st.session_state.get(_SHOW_ALL) else {})


def short() -> dict[str, str]:
    """The choices that fit into a link; those of What-if are packed where they are long."""
    found = chosen()
    if WHAT_IF in found:
        found[WHAT_IF] = scenarios.short(found[WHAT_IF], LONGEST_LABEL)
    most = {WHAT_IF: LONGEST_WHAT_IF}
    return {
        name: text for name, text in found.items() if len(text) <= most.get(name, LONGEST_LABEL)
    }


def choose(view: Mapping[str, str]) -> None:
    """Make these choices; those that the workload does not have are ignored later."""
    if query := view.get(QUERY):
        state.choose_query(query)
    if family := view.get(FAMILY):
        state.choose_family(family)
    if objective := view.get(RANK):
        state.choose_objective(objective)
    if plan := view.get(PLAN):
        state.choose_plan(plan)
    if baseline := view.get(BASELINE):
        state.pin(baseline)
    if what_if := view.get(WHAT_IF):
        scenarios.from_text(what_if)
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
    """Whether a file holds a view, not only a workload."""
    return content.lstrip().startswith(b"{") and f'"{_MARK}"'.encode() in content[:200]


def open_file(content: bytes, name: str) -> str:
    """Open the view in a file; returns the page it was saved on."""
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
        raise PlanError("is not a view: its JSON is damaged; save it again", name) from error
    if document.get(_MARK) != _VERSION:
        raise PlanError(
            f"is a view of another version; this version of Sluice reads {_VERSION}", name
        )
    view = document.get("view")
    texts = [document.get("workload"), document.get("data", ""), document.get("page")]
    if not isinstance(view, dict) or not all(isinstance(text, str) for text in texts):
        raise PlanError(
            "is not a complete view: workload, view or page is missing; save it again", name
        )
    if not all(isinstance(value, str) for value in view.values()):
        raise PlanError("view: every choice must be a text; save it again", name)
    if document["page"] not in routing.names():
        raise PlanError(f"page: there is no page {document['page'][:40]!r}", name)
    return document


def open_workload_file() -> None:
    """A box for a workload or view file, which is opened when it is uploaded."""
    file = st.file_uploader(
        "A workload (YAML or JSON) or a view",
        type=["yaml", "yml", "json"],
        key="workload-file",
    )
    if file is None or st.session_state.get("opened_file") == file.file_id:
        return
    with controls.shown():
        page = _opened(file.getvalue(), file.name)
        # The file stays in its box: without this, coming back would open it again.
        st.session_state["opened_file"] = file.file_id
        st.switch_page(f"pages/{page}.py")


def _opened(content: bytes, name: str) -> str:
    """Open the workload or the view in a file; returns the page to go to."""
    if is_view(content):
        return open_file(content, name)
    state.open_workload(load_workload(content, name))
    return "plans"

"""The workload as it is being edited: kept as typed, and saved as soon as all of it is valid.

A draft is the content of a workload file. While it has a mistake, the draft is kept and the last
valid workload stays open, so that renaming a stream and the query that reads it can be two steps.
A new workload is a draft that has no streams yet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, state
from planner.errors import PlanError
from planner.files.editing.workload_problems import all_problems, in_words, part_of
from planner.files.safe_yaml import read_yaml
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.execution import Execution, RunSettings
from planner.workload.workload import Workload

Parts = dict[str, Any]
T = TypeVar("T")
# What a new workload begins with.
_DEFAULTS = {"execution": {"join": "hash"}, "run": {"duration": 120}}


def parts() -> Parts:
    """The content of the draft, or of the open workload where there is no draft."""
    workload = state.workload()
    kept = st.session_state.get("draft")
    if kept is None or kept["of"] != workload.digest:
        _keep(_content(workload), workload)
    content: Parts = st.session_state["draft"]["parts"]
    return content


def change(changed: Parts, editor: str) -> None:
    """Keep the draft as an editor changed it, and save it if it is valid."""
    try:
        workload = load_workload(json.dumps(changed))
    except PlanError:
        _keep(changed, state.workload(), all_problems(changed), is_new())
    else:
        if is_new():
            state.open_workload(workload)
        else:
            state.edit(workload)
        _keep(changed, workload)
    # This editor shows what was typed into it; all others start again from the changed draft.
    bases = st.session_state.setdefault("bases", {})
    if editor in bases:
        bases[editor]["version"] = _stamp()


def put(name: str, value: object, editor: str) -> None:
    """Change one part of the draft."""
    change({**parts(), name: value}, editor)


def begin() -> None:
    """Begin a new workload, which is open as soon as it has a stream and a query."""
    discard()
    state.workload()
    content = {"version": 1, "name": "New workload", "streams": [], "queries": [], **_DEFAULTS}
    _keep(content, state.workload(), all_problems(content), new=True)


def is_new() -> bool:
    """Whether the draft is a new workload that was not valid yet."""
    kept = st.session_state.get("draft")
    return kept is not None and kept["new"]


def problems(part: str | None = None) -> list[PlanError]:
    """The mistakes that keep the draft from being saved: all, or those of a part of the form."""
    parts()
    found: list[PlanError] = st.session_state["draft"]["problems"]
    return [error for error in found if part is None or part_of(error) == part]


def show_problems(part: str) -> None:
    """The mistakes of a part of the form, in the words of the form."""
    for error in problems(part):
        show(error)


def show(error: PlanError) -> None:
    """A mistake of the draft."""
    controls.show(in_words(error, parts()))


def unused_name(names: Collection[str]) -> str:
    """`Q1`, `Q2` or the next one that none of these queries has."""
    return next(f"Q{n}" for n in range(1, len(names) + 2) if f"Q{n}" not in names)


def mistaken() -> Parts | None:
    """The draft, if it has a mistake."""
    kept = st.session_state.get("draft")
    if kept is None or not kept["problems"] or kept["of"] != state.workload().digest:
        return None
    return kept["parts"]


def restore(draft: Parts, new: bool) -> None:
    """Go on with a draft that was kept over a reload."""
    if new:
        begin()
    change(draft, "reload")


def discard() -> None:
    """Go back to the open workload."""
    st.session_state.pop("draft", None)
    st.session_state.pop("typed_windows", None)


def set_name(name: str) -> None:
    """Rename the open workload and the draft."""
    _put("name", replace(state.workload(), name=name))


def set_run(run: RunSettings) -> None:
    """Change the run settings of the open workload and of the draft."""
    _put("run", replace(state.workload(), run=run))


def set_execution(execution: Execution) -> None:
    """Change how joins are executed, in the open workload and in the draft."""
    _put("execution", replace(state.workload(), execution=execution))


def _put(part: str, workload: Workload) -> None:
    """Save a workload; the draft takes one part of it, and keeps its own mistakes."""
    draft, trouble = parts(), problems()
    state.edit(workload)
    _keep({**draft, part: _content(workload).get(part, {})}, workload, trouble)


def version() -> int:
    """The number of changes of the draft."""
    count: int = st.session_state.get("draft_version", 0)
    return count


def _stamp() -> tuple[int, object]:
    """What editors start from: the draft, and the data that fill what it leaves out."""
    return version(), state.data()


def base(editor: str, build: Callable[[], T]) -> tuple[T, str]:
    """What an editor starts from, and its key; both are new after a change elsewhere.

    A widget applies its edits to what it started from, so that must not change meanwhile. One that
    already shows what the draft has keeps its key, too: with another key, the browser would
    replace it, and lose what is being typed into it.
    """
    parts()
    bases = st.session_state.setdefault("bases", {})
    kept = bases.get(editor)
    if kept is None or kept["key"] not in st.session_state:
        kept = bases[editor] = _begun(editor, build())
    elif kept["version"] != _stamp():
        value = build()
        if _same(value, kept["shown"]):
            kept["version"] = _stamp()
        else:
            kept = bases[editor] = _begun(editor, value)
    return kept["value"], kept["key"]


def showing(editor: str, value: object) -> None:
    """Remember what an editor shows: what it started from, with its edits."""
    st.session_state["bases"][editor]["shown"] = value


def _begun(editor: str, value: object) -> dict[str, Any]:
    serial = st.session_state["base_serial"] = st.session_state.get("base_serial", 0) + 1
    return {"version": _stamp(), "value": value, "shown": value, "key": f"{editor}-{serial}"}


def _same(one: object, other: object) -> bool:
    if isinstance(one, pd.DataFrame) and isinstance(other, pd.DataFrame):
        return one.equals(other)
    return type(one) is type(other) and one == other


def _content(workload: Workload) -> Parts:
    content = read_yaml(dump_workload(workload))
    assert isinstance(content, dict)
    return content


def _keep(
    content: Parts, workload: Workload, trouble: Sequence[PlanError] = (), new: bool = False
) -> None:
    st.session_state["draft"] = {
        "parts": content,
        "of": workload.digest,
        "problems": list(trouble),
        "new": new,
    }
    st.session_state["draft_version"] = version() + 1

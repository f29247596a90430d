"""The workload as it is being edited: kept as typed, in force as soon as all of it is valid.

A draft is the content of a workload file. A mistake in it loses nothing: the draft stays, and the
last valid workload stays in force. Renaming a stream and the query that reads it is then two steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from pages.parts.shared import state
from planner.errors import PlanError, SluiceError
from planner.files.safe_yaml import read_yaml
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.execution import Execution, RunSettings
from planner.workload.workload import Workload

Parts = dict[str, Any]
T = TypeVar("T")


def parts() -> Parts:
    """The content of the draft; where there is none, that of the workload in force."""
    workload = state.workload()
    kept = st.session_state.get("draft")
    if kept is None or kept["of"] != workload.digest:
        _keep(_content(workload), workload)
    content: Parts = st.session_state["draft"]["parts"]
    return content


def change(changed: Parts, editor: str) -> None:
    """Keep what an editor made of the draft, and put it in force if it is valid."""
    try:
        workload = load_workload(json.dumps(changed))
    except PlanError as error:
        _keep(changed, state.workload(), error)
    else:
        _keep(changed, workload)
        state.edit(workload)
    # The editor shows what was typed into it; all others begin anew from the changed draft.
    bases = st.session_state.setdefault("bases", {})
    if editor in bases:
        bases[editor]["version"] = version()


def problem() -> SluiceError | None:
    """What keeps the draft from being in force, if anything does."""
    parts()
    found: SluiceError | None = st.session_state["draft"]["problem"]
    return found


def query_names() -> list[str]:
    """The names of the draft's queries."""
    queries = parts().get("queries", [])
    return [str(part.get("name", f"Q{number}")) for number, part in enumerate(queries, 1)]


def mistaken() -> Parts | None:
    """The draft, where a mistake keeps it from being in force."""
    kept = st.session_state.get("draft")
    if kept is None or kept["problem"] is None or kept["of"] != state.workload().digest:
        return None
    return kept["parts"]


def discard() -> None:
    """Go back to the workload in force."""
    st.session_state.pop("draft", None)
    st.session_state.pop("typed_windows", None)


def set_name(name: str) -> None:
    """Give the workload in force this name, and the draft beside it."""
    _put("name", replace(state.workload(), name=name))


def set_run(run: RunSettings) -> None:
    """Change the run settings in force, and in the draft beside them."""
    _put("run", replace(state.workload(), run=run))


def set_execution(execution: Execution) -> None:
    """Change how joins are executed in force, and in the draft beside it."""
    _put("execution", replace(state.workload(), execution=execution))


def _put(part: str, workload: Workload) -> None:
    """Put a workload in force; of it the draft takes one part, and keeps its own mistakes."""
    draft, trouble = parts(), problem()
    state.edit(workload)
    _keep({**draft, part: _content(workload).get(part, {})}, workload, trouble)


def version() -> int:
    """Counts the changes of the draft."""
    count: int = st.session_state.get("draft_version", 0)
    return count


def base(editor: str, build: Callable[[], T]) -> tuple[T, str]:
    """What an editor starts from, and its key: new ones when the draft was changed elsewhere.

    A widget applies its edits to what it started from, so that must stay as it was meanwhile. One
    that shows what the draft has already stays as it is, too: with another key, the browser would
    put a new one in its place, and what is being typed into it would be lost.
    """
    parts()
    bases = st.session_state.setdefault("bases", {})
    kept = bases.get(editor)
    if kept is None or kept["key"] not in st.session_state:
        kept = bases[editor] = _begun(editor, build())
    elif kept["version"] != version():
        value = build()
        if _same(value, kept["shown"]):
            kept["version"] = version()
        else:
            kept = bases[editor] = _begun(editor, value)
    return kept["value"], kept["key"]


def showing(editor: str, value: object) -> None:
    """Note what an editor shows: what it started from, with its edits."""
    st.session_state["bases"][editor]["shown"] = value


def _begun(editor: str, value: object) -> dict[str, Any]:
    serial = st.session_state["base_serial"] = st.session_state.get("base_serial", 0) + 1
    return {"version": version(), "value": value, "shown": value, "key": f"{editor}-{serial}"}


def _same(one: object, other: object) -> bool:
    if isinstance(one, pd.DataFrame) and isinstance(other, pd.DataFrame):
        return one.equals(other)
    return type(one) is type(other) and one == other


def _content(workload: Workload) -> Parts:
    content = read_yaml(dump_workload(workload))
    assert isinstance(content, dict)
    return content


def _keep(content: Parts, workload: Workload, trouble: SluiceError | None = None) -> None:
    st.session_state["draft"] = {"parts": content, "of": workload.digest, "problem": trouble}
    st.session_state["draft_version"] = version() + 1

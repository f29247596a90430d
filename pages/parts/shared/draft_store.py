"""What a reload would lose beside the workload in force: a draft with mistakes, and the choices of
a run that has not been started. Kept as text, which anyone may have written: it is checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pages.parts.run import run_choices
from pages.parts.shared import state
from pages.parts.workload import drafts, query_editors
from planner.errors import PlanError

_DRAFT, _FILE, _WINDOWS, _RUN = "draft", "file", "windows", "run"
_DAMAGED = PlanError("is damaged; what was not finished is lost", "the address")


def text() -> str:
    """What is not finished; empty where nothing is."""
    found: dict[str, Any] = {}
    if (draft := drafts.mistaken()) is not None:
        found[_DRAFT] = draft
    if typed := state.drafts().get("file"):
        found[_FILE] = typed
    if windows := query_editors.typed_windows():
        found[_WINDOWS] = windows
    if choices := run_choices.chosen():
        found[_RUN] = choices
    return json.dumps(found, sort_keys=True) if found else ""


def restore(kept: str) -> None:
    """Take up what was not finished, of the workload in force."""
    state.workload()
    try:
        found = json.loads(kept)
    except ValueError as error:
        raise _DAMAGED from error
    if not isinstance(found, dict):
        raise _DAMAGED
    if isinstance(draft := found.get(_DRAFT), dict):
        drafts.change(draft, "reload")
    if isinstance(typed := found.get(_FILE), str):
        state.drafts()["file"] = typed
    if isinstance(windows := found.get(_WINDOWS), Mapping):
        query_editors.restore_windows(windows)
    if isinstance(choices := found.get(_RUN), Mapping):
        run_choices.restore(choices)

"""What a session has set on the What-if page: numbers, the steps back, and pinned scenarios.

A link or a file may have been written by anyone, so what it says is checked where it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.parts.shared import controls
from pages.parts.workload.link_text import packed, unpacked
from planner.errors import PlanError
from planner.whatif.sweep_paths import path_in
from planner.workload.workload import Workload

Settings = dict[str, float]
MOST_PINNED = 4
_STATE, _UNDO, _PINNED = "whatif-set", "whatif-undo", "whatif-pinned"
# The choices of the page that a link has beside the numbers, and what kind each is of.
_TEXTS = ("view", "vary", "vary-2", "shown", "regret", "path")
_COUNTS = ("size", "within", "samples")
_SWITCHES = ("across", "from-data")
CELL, MEASURED, RANGES = "whatif-cell", "whatif-measured", "whatif-ranges"
# Beside them: a cell by its numbers, those that were measured, and ranges by path.
_MOST_CELLS, _MOST_RANGES = 20, 6
_PACKED, _MOST_BYTES = "packed:", 50_000
_MOST_STEPS = 50
# Beyond, no number of a workload is; an integer of a link may be too large for a float.
_LARGEST = 1e300


def settings() -> Settings:
    """The numbers that are set, by path."""
    found: Settings = st.session_state.setdefault(_STATE, {})
    return found


def change(path: str, value: float | None) -> None:
    """Set a number, or with None take it back to what the workload says."""
    now = settings()
    if now.get(path) == value:
        return
    _remember()
    changed = {key: known for key, known in now.items() if key != path}
    st.session_state[_STATE] = changed if value is None else {**changed, path: value}


def take(chosen: Mapping[str, float]) -> None:
    """Set all numbers at once, as a scenario has them."""
    _remember()
    st.session_state[_STATE] = dict(chosen)


def _remember() -> None:
    steps = [*st.session_state.get(_UNDO, []), dict(settings())]
    st.session_state[_UNDO] = steps[-_MOST_STEPS:]


def can_undo() -> bool:
    return bool(st.session_state.get(_UNDO))


def undo() -> None:
    """Go back to what was set before the last change."""
    if can_undo():
        st.session_state[_STATE] = st.session_state[_UNDO].pop()


def pinned() -> dict[str, Settings]:
    """The scenarios that were pinned, by name."""
    found: dict[str, Settings] = st.session_state.setdefault(_PINNED, {})
    return found


def pin(name: str) -> None:
    """Keep the numbers under this name."""
    known = pinned()
    known[name] = dict(settings())
    while len(known) > MOST_PINNED:
        known.pop(next(iter(known)))


def unpin(name: str) -> None:
    pinned().pop(name, None)


def applied(workload: Workload, chosen: Mapping[str, float]) -> Workload:
    """The workload with these numbers; those that it does not have are left out."""
    for path, value in chosen.items():
        try:
            place = path_in(workload, path)
        except PlanError:
            continue
        workload = place.change(value)
    return workload


def remembered(label: str, options: Iterable[str], name: str, **settings: Any) -> str:
    """One of several options as buttons, which a link has under this name."""
    every = list(options)
    before = st.session_state.get(name)
    default = before if before in every else every[0]
    chosen = controls.segments(label, every, f"{name}-buttons", default=default, **settings)
    st.session_state[name] = chosen
    return chosen


def choice(name: str, options: Sequence[Any], usual: Any) -> str:
    """The key of a control, which has a value of these options: the one of a link if it is one."""
    if st.session_state.get(name) not in options:
        st.session_state[name] = usual
    return name


def open_axis(text: str) -> None:
    """Have the page show what varies along this axis."""
    st.session_state["whatif-view"] = "One number"
    st.session_state["whatif-vary"] = text
    st.session_state.pop("whatif-view-buttons", None)


def forget_axis() -> None:
    """Let a number of the workload vary again."""
    st.session_state.pop("whatif-vary", None)


def to_text() -> str:
    """What the page shows, as a link keeps it; empty where nothing was chosen."""
    found: dict[str, Any] = {}
    if settings():
        found["set"] = settings()
    if pinned():
        found["pinned"] = pinned()
    keys = [f"whatif-{name}" for name in (*_TEXTS, *_COUNTS, *_SWITCHES)]
    keys += [CELL, MEASURED, RANGES]
    found |= {key: st.session_state[key] for key in keys if st.session_state.get(key)}
    return json.dumps(found, separators=(",", ":")) if found else ""


def short(text: str, most: int) -> str:
    """The text of a link as it is, or packed where it is longer."""
    return text if len(text) <= most else f"{_PACKED}{packed(text)}"


def from_text(text: str) -> None:
    """Choose what a link says; what is not of the right kind is ignored."""
    try:
        if text.startswith(_PACKED):
            text = unpacked(text.removeprefix(_PACKED), _MOST_BYTES, "choices")
        found = json.loads(text)
    except (ValueError, RecursionError, PlanError):
        return
    if isinstance(found, dict):
        _choose(found)


def _choose(found: Mapping[str, Any]) -> None:
    chosen: dict[str, Any] = {_STATE: _numbers(found.get("set"))}
    known = found.get("pinned")
    if isinstance(known, dict):
        pairs = list(known.items())[:MOST_PINNED]
        chosen[_PINNED] = {str(name)[:40]: _numbers(own) for name, own in pairs}
    for names, kind in ((_TEXTS, str), (_COUNTS, int), (_SWITCHES, bool)):
        for key in (f"whatif-{name}" for name in names):
            if type(found.get(key)) is kind:
                chosen[key] = found[key]
    if isinstance(found.get(CELL), dict):
        chosen[CELL] = _numbers(found[CELL])
    if isinstance(cells := found.get(MEASURED), list):
        chosen[MEASURED] = [_numbers(cell) for cell in cells[:_MOST_CELLS] if _numbers(cell)]
    if isinstance(spans := found.get(RANGES), dict):
        known = {str(path): _span(span) for path, span in list(spans.items())[:_MOST_RANGES]}
        chosen[RANGES] = {path: span for path, span in known.items() if span is not None}
    st.session_state.update(chosen)


def _span(known: object) -> list[float] | None:
    """A range of two finite numbers, the lower one first."""
    if not isinstance(known, list) or len(known) != 2:
        return None
    found = list(_numbers(dict(enumerate(known))).values())
    return sorted(found) if len(found) == 2 else None


def _numbers(known: object) -> Settings:
    if not isinstance(known, dict):
        return {}
    return {
        str(path): float(value)
        for path, value in known.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
    }

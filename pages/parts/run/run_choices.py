"""Choices of the Run form, kept over a reload; among them the pace of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import streamlit as st

from pages.parts.shared import controls, state
from pages.parts.shared.formatting import seconds_text
from planner.workload.validation import exact
from planner.workload.workload import Workload
from runtime.runs.records import Progress, Way

T = TypeVar("T")
FASTEST, REAL = "as fast as possible", "real time"
_OVER = {"over about 30 s": 30.0, "over about 1 minute": 60.0, "over about 2 minutes": 120.0}
_NOW, _BEFORE = "run_choices", "run_choices_before"


def chosen() -> dict[str, Any]:
    """The choices that differ from the defaults."""
    found: dict[str, Any] = st.session_state.get(_NOW, {})
    return found


def restore(choices: Mapping[str, Any]) -> None:
    """Begin the form with these choices, where they are still valid."""
    st.session_state[_BEFORE] = dict(choices)
    st.session_state[_NOW] = dict(choices)


def given(name: str, usual: T, widget: Callable[..., T], **settings: Any) -> T:
    """A number, a text, or yes or no; it begins with the last choice, if that is still allowed."""
    settings = controls.field(name) | settings
    value: Any = before(name, usual)
    least, most = settings.get("min_value", -math.inf), settings.get("max_value", math.inf)
    if isinstance(usual, str):
        value = value[: settings["max_chars"]]
    elif not least <= value <= most:
        value = usual
    key = name.replace("_", "-")
    return noted(name, usual, widget(value=value, key=key, persist_state="session", **settings))


def option(name: str, widget: Callable[..., Any], **settings: Any) -> Any:
    """One of several options; the first is the default."""
    settings = controls.field(name) | settings
    options = settings["options"]
    last = before(name, options[0])
    first = options.index(last) if last in options else 0
    drawn = widget(index=first, key=name, persist_state="session", **settings)
    return noted(name, options[0], drawn)


def before(name: str, usual: T) -> T:
    """The last choice, if there was one."""
    found = st.session_state.get(_BEFORE, {}).get(name, usual)
    return found if isinstance(found, type(usual)) else usual


def noted(name: str, usual: T, value: T) -> T:
    """Remember a choice that differs from the default."""
    choices = st.session_state.setdefault(_NOW, {})
    if value == usual:
        choices.pop(name, None)
    else:
        choices[name] = value
    return value


def pick_pace(workload: Workload, way: Way) -> float | None:
    """Seconds of stream time per second; None: as fast as possible, as every replay is."""
    from runtime.data.run_data import run_seconds

    if way != "stream":
        return None
    folder, _ = state.data()
    # The duration of own data is known only after they have been read.
    choices = [FASTEST, *(() if folder else _OVER), REAL]
    chosen = option("pace", st.selectbox, options=choices)
    if chosen == FASTEST:
        return None
    return 1.0 if chosen == REAL else run_seconds(workload) / _OVER[chosen]


def pace_words(pace: float) -> str:
    """`10 s of stream time per second`."""
    return f"{exact(round(pace, 2))} s of stream time per second"


def pace_text(pace: float, progress: Progress) -> str:
    """The pace of a run, and how far it is behind its stream."""
    words = pace_words(pace)
    if progress.lag is None:
        return words
    behind = f"{seconds_text(progress.lag)} of stream time behind"
    return f"{words}; {behind} ({seconds_text(progress.lag / pace)})"

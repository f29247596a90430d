"""Choices of the Run form, kept over a reload; among them the pace of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.parts.shared import state
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


def number(name: str, usual: T, least: float, most: float, shown: Callable[[T], T]) -> T:
    """A number within limits; `shown` draws the field with the value it begins with."""
    before: Any = _before(name, usual)
    return _noted(name, usual, shown(before if least <= before <= most else usual))


def given(name: str, usual: T, shown: Callable[[T], T]) -> T:
    """A text, or yes or no."""
    return _noted(name, usual, shown(_before(name, usual)))


def option(name: str, options: Sequence[T], shown: Callable[[int], T]) -> T:
    """One of several options; the first is the default."""
    before = _before(name, options[0])
    return _noted(name, options[0], shown(options.index(before) if before in options else 0))


def radio(name: str, label: str, options: Mapping[T, str]) -> T:
    """One of several options, all visible with a description."""
    choices = list(options)
    return option(
        name,
        choices,
        lambda first: st.radio(
            label,
            choices,
            index=first,
            format_func=options.__getitem__,
            key=name,
            persist_state="session",
        ),
    )


def several(
    name: str, options: Sequence[str], usual: list[str], shown: Callable[[list[str]], list[str]]
) -> list[str]:
    """Some of several options, which may have changed since the last choice."""
    before = [label for label in _before(name, usual) if label in options]
    return _noted(name, usual, shown(before or usual))


def _before(name: str, usual: T) -> T:
    found = st.session_state.get(_BEFORE, {}).get(name, usual)
    return found if isinstance(found, type(usual)) else usual


def _noted(name: str, usual: T, value: T) -> T:
    """Remember a choice that differs from the default."""
    choices = st.session_state.setdefault(_NOW, {})
    if value == usual:
        choices.pop(name, None)
    else:
        choices[name] = value
    return value


def pick(workload: Workload, way: Way) -> float | None:
    """Seconds of stream time per second; None: as fast as possible, as every replay is."""
    from runtime.data.run_data import run_seconds

    if way != "stream":
        return None
    folder, _ = state.data()
    # The duration of own data is known only after they have been read.
    choices = [FASTEST, *(() if folder else _OVER), REAL]
    chosen = option(
        "pace",
        choices,
        lambda first: st.selectbox(
            "Pace",
            choices,
            index=first,
            key="pace",
            persist_state="session",
            help="Tuples arrive at this pace, so that you can watch a run and change its queries. "
            "Answers and counts stay the same; the seconds include waiting.",
        ),
    )
    if chosen == FASTEST:
        return None
    return 1.0 if chosen == REAL else run_seconds(workload) / _OVER[chosen]


def pace_text(pace: float, progress: Progress) -> str:
    """The pace of a run, and how far it is behind its stream."""
    words = f"{exact(round(pace, 2))} s of stream time per second"
    if progress.lag is None:
        return words
    behind = f"{seconds_text(progress.lag)} of stream time behind"
    return f"{words}; {behind} ({seconds_text(progress.lag / pace)})"

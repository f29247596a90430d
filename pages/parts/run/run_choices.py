"""The pace of a run, as a user chooses it: a run that is over at once cannot be watched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from pages.parts.shared import state
from pages.parts.shared.formatting import seconds_text
from planner.workload.validation import exact
from planner.workload.workload import Workload

T = TypeVar("T")
_NOW, _BEFORE = "run_choices", "run_choices_before"


def chosen() -> dict[str, Any]:
    """What is chosen otherwise than usual."""
    found: dict[str, Any] = st.session_state.get(_NOW, {})
    return found


def restore(choices: Mapping[str, Any]) -> None:
    """Begin the form with these choices; each is used where it still is one."""
    st.session_state[_BEFORE] = dict(choices)
    st.session_state[_NOW] = dict(choices)


def number(name: str, usual: T, least: float, most: float, shown: Callable[[T], T]) -> T:
    """What a field that begins with what was chosen before holds now: a number within limits."""
    before: Any = _before(name, usual)
    return _noted(name, usual, shown(before if least <= before <= most else usual))


def given(name: str, usual: T, shown: Callable[[T], T]) -> T:
    """The same of a text, or of a yes or no."""
    return _noted(name, usual, shown(_before(name, usual)))


def option(name: str, options: Sequence[T], shown: Callable[[int], T]) -> T:
    """The same of one of several; the first is the usual one."""
    before = _before(name, options[0])
    return _noted(name, options[0], shown(options.index(before) if before in options else 0))


def radio(name: str, label: str, options: Mapping[T, str]) -> T:
    """One of several, all in sight with their words."""
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
    """The same of some of several, where the options may be others than before."""
    before = [label for label in _before(name, usual) if label in options]
    return _noted(name, usual, shown(before or usual))


def _before(name: str, usual: T) -> T:
    found = st.session_state.get(_BEFORE, {}).get(name, usual)
    return found if isinstance(found, type(usual)) else usual


def _noted(name: str, usual: T, value: T) -> T:
    """Remember what is chosen now; what is usual need not be."""
    choices = st.session_state.setdefault(_NOW, {})
    if value == usual:
        choices.pop(name, None)
    else:
        choices[name] = value
    return value


if TYPE_CHECKING:
    from runtime.runs.records import Progress, Way

FASTEST, REAL = "as fast as possible", "real time"
_OVER = {"over about 30 s": 30.0, "over about 1 minute": 60.0, "over about 2 minutes": 120.0}


def pick(workload: Workload, way: Way) -> float | None:
    """Seconds of stream time per second; None: as fast as it goes, and so is every replay."""
    from runtime.data.run_data import run_seconds

    if way != "stream":
        return None
    folder, _ = state.data()
    # How long own data are is known when they have been read.
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
            help="Tuples come at this pace, so that a run can be watched and its queries be "
            "changed. Its answers and counts are the same; its seconds include the waiting.",
        ),
    )
    if chosen == FASTEST:
        return None
    return 1.0 if chosen == REAL else run_seconds(workload) / _OVER[chosen]


def in_words(pace: float, progress: Progress) -> str:
    """How far a run with a pace is behind its stream."""
    words = f"{exact(round(pace, 2))} s of stream time a second"
    if progress.lag is None:
        return words
    behind = f"{seconds_text(progress.lag)} of stream time behind"
    return f"{words}; {behind} ({seconds_text(progress.lag / pace)})"

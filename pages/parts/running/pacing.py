"""The pace of a run, as a user chooses it: a run that is over at once cannot be watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import state
from pages.parts.running import run_choices
from pages.parts.words import seconds_text
from planner.checks import exact
from planner.workload import Workload

if TYPE_CHECKING:
    from runtime.records import Progress, Way

FASTEST, REAL = "as fast as possible", "real time"
_OVER = {"over about 30 s": 30.0, "over about 1 minute": 60.0, "over about 2 minutes": 120.0}


def pick(workload: Workload, way: Way) -> float | None:
    """Seconds of stream time per second; None: as fast as it goes, and so is every replay."""
    from runtime.prepare import run_seconds

    if way != "stream":
        return None
    folder, _ = state.data()
    # How long own data are is known when they have been read.
    choices = [FASTEST, *(() if folder else _OVER), REAL]
    chosen = run_choices.option(
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

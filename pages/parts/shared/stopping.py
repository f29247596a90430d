"""Planning stops with its session: where a tab is closed, or another click is waiting."""

from __future__ import annotations

from contextlib import AbstractContextManager

import streamlit as st

from planner.time_limit import stoppable


def with_session() -> AbstractContextManager[None]:
    """Work inside ends as soon as Streamlit wants to end the script.

    Streamlit ends a script where it draws or reads the session, and planning does neither.
    """
    return stoppable(_read_session)


def _read_session() -> None:
    st.session_state.get("workload")

"""What the workload in force leads to, what to mind, and how large things may be."""

from __future__ import annotations

import streamlit as st

from pages.parts import planning
from pages.parts.running import run_settings
from pages.parts.words import plain
from planner.checks import MAX_QUERIES, MAX_RATE, MAX_STREAMS
from planner.errors import PlanError
from planner.family import MOST_CANDIDATES


def effect() -> None:
    """The answer for the workload in force, so that every edit shows what it does to the plans."""
    try:
        chosen, workload = planning.subject()
        answer, _ = planning.told(chosen.name, workload)
    except PlanError as error:
        st.info(plain(str(error), 600), icon=":material/info:")
        return
    st.success(plain(answer, 800), icon=":material/account_tree:")
    for warning in run_settings.warnings(workload):
        st.warning(plain(warning, 400), icon=":material/warning:")


def show() -> None:
    """The limits, in one line."""
    upload = st.get_option("server.maxUploadSize")
    st.caption(
        f"Limits: {MAX_STREAMS} sources a query, {MAX_QUERIES:,} queries, {MAX_RATE:,.0f} tuples/s "
        f"a stream, {MOST_CANDIDATES:,} plans listed, {upload} MB an upload, one job "
        "at a time."
    )

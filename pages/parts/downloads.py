"""Runs to take away: as a report to read, as CSV and as JSON. Each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import charts, exports

if TYPE_CHECKING:
    from runtime.records import Run


def show(runs: Sequence[Run]) -> None:
    """The buttons, if there is a run to take away."""
    if not runs:
        return
    name = charts.file_name(runs[0].workload.name)
    with st.container(horizontal=True):
        for kind, made, mime in (
            ("HTML report", partial(_report, runs), "text/html"),
            ("CSV", partial(exports.to_csv, runs), "text/csv"),
            ("JSON", partial(exports.to_json, runs), "application/json"),
        ):
            st.download_button(
                kind,
                made,
                f"{name}.{kind.split()[0].lower()}",
                mime,
                icon=":material/download:",
                on_click="ignore",
            )


def _report(runs: Sequence[Run]) -> str:
    from pages.parts.report import report

    return report(runs)

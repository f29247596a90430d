"""Runs to take away: as a report to read, as CSV and as JSON. Each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.results import exports
from pages.parts.shared import backend, charts

if TYPE_CHECKING:
    from runtime.runs.records import Run
    from runtime.runs.run_groups import PlanRuns


def show(plans: Sequence[PlanRuns], workload: str) -> None:
    """The buttons, if there is a run to take away: with the repeats of each plan."""
    finished = tuple(run.id for plan in plans for run in plan.repeats)
    if not finished:
        return
    name = charts.file_name(workload)
    with st.container(horizontal=True):
        for kind, made, mime in (
            ("HTML report", _report, "text/html"),
            ("CSV", exports.to_csv, "text/csv"),
            ("JSON", exports.to_json, "application/json"),
        ):
            st.download_button(
                kind,
                partial(_made, made, finished),
                f"{name}.{kind.split()[0].lower()}",
                mime,
                icon=":material/download:",
                on_click="ignore",
            )


def _made(make: Callable[[Sequence[Run]], str], finished: tuple[str, ...]) -> str:
    return make(list(backend.records(finished).values()))


def _report(runs: Sequence[Run]) -> str:
    from pages.parts.report import report

    return report(runs)

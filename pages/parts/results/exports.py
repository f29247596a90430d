"""Downloads of results: an HTML report, CSV that is safe in spreadsheets, JSON, a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.results.comparison import by_operator
from pages.parts.shared import backend, charts, controls
from pages.parts.shared.formatting import on_pages, plain
from planner.plan.cost import COST_FIELDS, q_error
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.report.plans_text import safe_cell
from planner.workload.workload import Workload
from runtime.runs.records import Run
from runtime.runs.run_groups import PlanRuns

if TYPE_CHECKING:
    import pyarrow as pa


def show(plans: Sequence[PlanRuns], workload: str, by: Objective) -> None:
    """The buttons, for the repeats of each plan; files are made when asked for."""
    finished = tuple(run.id for plan in plans for run in plan.repeats)
    if not finished:
        return
    name = charts.file_name(workload)
    with st.container(horizontal=True):
        for kind, make in (
            ("HTML report", partial(_report, by=by)),
            ("CSV", to_csv),
            ("JSON", to_json),
        ):
            made = partial(_made, make, finished)
            controls.download(kind, made, f"{name}.{kind.split()[0].lower()}")


def _made(make: Callable[[Sequence[Run]], str], finished: tuple[str, ...]) -> str:
    return make(list(backend.records(finished).values()))


def _report(runs: Sequence[Run], by: Objective) -> str:
    from pages.parts.report import report

    return report(runs, by)


def program(plan: Plan, workload: Workload) -> None:
    """The plan as a PySpark program to download; disabled with a reason where there is none."""
    from runtime.backends.native.export import not_exported, zipped

    reason = not_exported(plan, workload)
    if reason is not None:
        st.caption(f"No PySpark program: {plain(on_pages(reason), 500)}.")
    controls.download(
        "PySpark program",
        partial(zipped, plan, workload),
        f"{charts.file_name(workload.name)}-program.zip",
        disabled=reason is not None,
        help="This plan on Spark's own operators, to run with spark-submit on Parquet files. "
        "Includes a README.",
        key="pyspark-program",
    )


def to_csv(runs: Sequence[Run]) -> str:
    """One line per run, operator and kind of work."""
    rows = [
        (
            safe_cell(run.plan.label),
            run.id,
            run.request.way,
            safe_cell(name),
            field,
            p,
            m,
            q_error(p, m),
        )
        for run in runs
        for field in (*COST_FIELDS, *view_of(run.plan.family).extra_fields)
        for name, p, m in by_operator(run, field)
    ]
    columns = ["plan", "run", "way", "operator", "field", "predicted", "measured", "q_error"]
    return pd.DataFrame(rows, columns=columns).to_csv(index=False)


def table_to_csv(table: pa.Table) -> str:
    """A table whose texts and column names are safe in spreadsheets."""
    frame = table.to_pandas()
    texts = frame.select_dtypes(include=["object", "string"]).columns
    for name in texts:
        frame[name] = frame[name].map(safe_cell, na_action="ignore")
    return frame.rename(columns=safe_cell).to_csv(index=False)


def to_json(runs: Sequence[Run]) -> str:
    """The documents that `python -m runtime run --json` prints, in a list."""
    from runtime.runs.run_json import run_document

    return json.dumps([run_document(run) for run in runs], indent=2, allow_nan=False)

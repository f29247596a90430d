"""Spark's own operators on the pages: chosen for a run, refused with the reason, taken away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.run import run_choices
from pages.parts.shared import charts, planning
from pages.parts.shared.formatting import on_pages, plain, plan_name
from planner.families.protocol import Family
from planner.plan.plan import Plan
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.runs.records import Backend, Way

_BACKENDS: dict[Backend, str] = {
    "kernels": "Sluice's kernels: every comparison counted",
    "native": "Spark's own operators: what a user has without them, by Spark's own counts",
}


def pick_backend() -> Backend:
    """What carries the plans out."""
    return run_choices.radio("backend", "Operators", _BACKENDS)


def refused(
    chosen: Family, workload: Workload, labels: Sequence[str], way: Way, backend: Backend
) -> bool:
    """Say which of these plans Spark's own operators cannot run this way, and why, if some."""
    from runtime.backends.native.kinds import refusal

    if backend != "native":
        return False
    reasons: dict[str, list[str]] = {}
    for label in labels:
        plan, _ = planning.priced(chosen.name, workload, label)
        if reason := refusal(plan, workload, way):
            reasons.setdefault(reason, []).append(plan_name(label))
    for reason, names in reasons.items():
        told = f"Spark's own operators cannot run {', '.join(names)}: {on_pages(reason)}."
        st.error(plain(told, 1000), icon=":material/error:")
    return bool(reasons)


def program(plan: Plan, workload: Workload) -> None:
    """The plan as a PySpark program, to be downloaded; a reason where there is none."""
    from runtime.backends.native.export import not_exported, zipped

    reason = not_exported(plan, workload)
    st.download_button(
        "PySpark program",
        partial(zipped, plan, workload),
        f"{charts.file_name(workload.name)}-program.zip",
        "application/zip",
        icon=":material/download:",
        on_click="ignore",
        disabled=reason is not None,
        help=plain(on_pages(reason), 500)
        if reason
        else "This plan on Spark's own operators, to be run by spark-submit on Parquet files; "
        "with a README.",
        key="pyspark-program",
    )

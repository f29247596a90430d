"""A plan's own picture while it runs: what each operator has done so far, under what it should."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.parts.plans import drawings
from pages.parts.shared import charts
from pages.parts.shared.caching import BY_DIGEST
from pages.parts.shared.formatting import plain, seconds_text
from planner.families.registry import family
from planner.plan.cost import Cost, Estimate
from planner.plan.dot import to_dot
from planner.plan.plan import Plan
from planner.plan.plan_text import Overlay, cost_text, to_text
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.control.jobs import Entry

_SCRIPT = Path(__file__).with_name("live_figures.js")
_UNCOUNTED = "so far: not counted yet"


def show(entry: Entry) -> None:
    """The operators of the plan that runs, with figures that change in place."""
    asked, progress, workload = entry.asked, entry.progress, entry.workload
    if asked is None or workload is None or asked.backend == "native" or not progress.batches:
        return
    plan, estimate = _priced(asked.family, workload, asked.label)
    drawn = drawings.part_of(plan)
    figures = {op.id: _so_far(progress.costs.get(op.id)) for op in drawn.operators()}
    if len(drawn.operators()) > drawings.MOST_OPERATORS:
        text = to_text(drawn, estimate, _overlays(figures))
        st.code(text, language=None, height=400, wrap_lines=False)
    else:
        with st.container(gap=None):
            charts.picture(
                to_dot(drawn, estimate, _overlays(dict.fromkeys(figures, _UNCOUNTED)), steady=True),
                f"Operators of {plan.label}, predicted and so far",
                width="stretch",
            )
            # The time has them written again, should the picture have come after them.
            _writer()(data={"figures": figures, "at": time.time()}, key="sluice-live", height=0)
    st.caption(plain(_told(asked.workload, progress.reached, bool(progress.costs)), 300))


def _told(workload: Workload, reached: float, counted: bool) -> str:
    done = f"{seconds_text(reached)} of stream time done"
    if counted:
        return f"Predicted, and so far per second of stream time after the warm-up; {done}."
    return f"Counting begins after the warm-up of {seconds_text(workload.warmup)}; {done}."


def _overlays(figures: Mapping[str, str]) -> dict[str, Overlay]:
    return {operator_id: Overlay((figure,)) for operator_id, figure in figures.items()}


@cache
def _writer() -> Any:
    return st.components.v2.component("sluice-live", js=_SCRIPT.read_text())


def _so_far(cost: Cost | None) -> str:
    if cost is None:
        return _UNCOUNTED
    return f"so far: {cost_text(cost) or 'nothing'}"


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=BY_DIGEST)
def _priced(name: str, workload: Workload, label: str) -> tuple[Plan, Estimate]:
    """The plan with the operators of all its stages, and what each should cost."""
    from planner.families.stages import planned_stages, whole_estimate, whole_plan
    from runtime.data.run_data import run_seconds

    stages = planned_stages(family(name), workload, label)
    warmup, end = (round(1e6 * at) for at in (workload.warmup, run_seconds(workload)))
    return whole_plan(stages), whole_estimate(family(name), stages, 0, warmup, end)

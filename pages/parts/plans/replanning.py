"""Changing rates: when to switch plans, what staying costs, and how a threshold does."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.parts.plans import rate_sources, replanning_figures
from pages.parts.shared import charts, messages
from pages.parts.shared.caching import BY_DIGEST
from pages.parts.shared.formatting import plain
from planner.families.registry import family
from planner.report.replanning_report import (
    against,
    answer,
    notes,
    policies,
    replan_csv,
    threshold_text,
    unit_of,
)
from planner.whatif.rates import RateTrace
from planner.whatif.replanning import THRESHOLDS, Policy, Replanning, replan
from planner.workload.workload import Workload

DEFAULT = 0.2


def show(name: str, workload: Workload) -> None:
    """The answer, then the rates and what follows from them; a mistake is shown in its place."""
    told = st.container()
    with messages.shown():
        trace = rate_sources.pick(workload)
        if trace is None:
            st.caption("The last row may give a time alone: then the trace ends.")
            return
        threshold = st.select_slider(
            "Re-plan when a rate changes by more than (up or down)",
            THRESHOLDS,
            value=DEFAULT,
            format_func=threshold_text,
            key="threshold",
            persist_state="session",
        )
        pictures = st.container()
        with st.expander("The rates as a table, to edit", icon=":material/edit:"):
            trace = rate_sources.edited(trace, workload)
        found = _followed(name, workload, trace).under(threshold)
        told.markdown(f"#### {plain(answer(found), 800)}", anchors=False)
        with pictures:
            _pictures(found, unit_of(found))


@st.cache_resource(show_spinner="Following the rates", max_entries=32, hash_funcs=BY_DIGEST)
def _followed(name: str, workload: Workload, trace: RateTrace) -> Replanning:
    return replan(workload, trace, family(name), DEFAULT)


def _pictures(found: Replanning, unit: str) -> None:
    for note in notes(found):
        st.caption(plain(note, 600))
    said = answer(found)
    trace = found.trace
    charts.show(replanning_figures.rates(trace), alt=replanning_figures.rates_in_words(trace))
    charts.show(replanning_figures.plans(found), alt=f"Which plan runs when. {said}")
    charts.show(replanning_figures.costs(found, unit), alt=f"Costs over time. {said}")
    _table("Policy", [(title.capitalize(), p) for _, title, p in policies(found)], found, unit)
    left, right = st.columns(2, gap="medium")
    with left:
        _table("Threshold", [(threshold_text(x), p) for x, p in found.sweep], found, unit)
    with right:
        charts.show(
            replanning_figures.thresholds(found),
            alt="Re-plannings and cost of each threshold, as in the table beside it",
        )
    _conclusion(found)


def _table(first: str, rows: Sequence[tuple[str, Policy]], found: Replanning, unit: str) -> None:
    """What some policies cost over the whole trace, and how often they plan."""
    st.dataframe(
        pd.DataFrame(
            {
                first: [title for title, _ in rows],
                "Re-plannings": [len(policy.planned_at) for _, policy in rows],
                "Against always best": [against(found, policy) for _, policy in rows],
                "Changes": [len(policy.changed_at) for _, policy in rows],
                unit.capitalize(): [round(policy.total) for _, policy in rows],
            }
        ),
        hide_index=True,
        column_config={unit.capitalize(): st.column_config.NumberColumn(format="compact")},
        height=38 + 35 * len(rows),
        alt=f"{first}: re-plannings, plan changes and {unit} over the whole trace",
    )


def _conclusion(found: Replanning) -> None:
    advised = dict(found.sweep)[found.advised]
    st.caption(
        f"Best single plan in hindsight: {plain(found.hindsight.plans[0])}. A threshold of "
        f"{threshold_text(found.advised)} stays within 1% of the cheapest one with the fewest "
        f"re-plannings ({len(advised.planned_at)})."
    )
    st.download_button(
        "Download by interval",
        replan_csv(found),
        "replanning.csv",
        "text/csv",
        on_click="ignore",
        type="tertiary",
    )

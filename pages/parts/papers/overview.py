"""All figures and worked examples of a paper at a glance: how many of the claims hold."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.parts.papers import figure_page, figure_tables
from pages.parts.shared import controls
from planner.experiments.registry import experiment, experiments


def show(paper: str) -> None:
    """The figures of a paper, if they are asked for; the one that is selected is opened."""
    # Every figure has to be priced for it.
    if not st.toggle("All figures at a glance", key=f"overview of {paper}"):
        return
    listed = [known.name for known in experiments() if known.paper == paper]
    key = f"overview table of {paper}"
    controls.table(
        pd.DataFrame([_row(name) for name in listed]),
        f"The figures of {paper}, and how many of their claims hold",
        on_select=partial(_open, key, listed),
        selection_mode="single-row",
        key=key,
    )


def _open(key: str, listed: list[str]) -> None:
    selected = st.session_state[key]["selection"]["rows"]
    if selected:
        figure_page.open_figure(experiment(listed[selected[0]]))


@st.cache_data(show_spinner="Checking the claims …")
def _row(name: str) -> dict[str, object]:
    """A figure with the claims that hold by Sluice's own model, and as it was shipped measured."""
    from runtime.experiments.figure import shipped

    chosen = experiment(name)
    found: dict[str, object] = {
        "Figure": chosen.figure, "Part": chosen.part, "Claims": len(chosen.claims),
    }  # fmt: skip
    holding = {
        view: sum(claim.check(values).holds for claim in chosen.claims)
        for view, values in figure_tables.views(chosen, shipped(chosen)).items()
    }
    predicted = [count for view, count in holding.items() if view != figure_tables.MEASURED]
    found["Hold as predicted"] = predicted[0] if predicted else None
    found["Hold as measured"] = holding.get(figure_tables.MEASURED)

    return found

"""The plans that are stepped as operators: what each should cost, and what only one of them has."""

from __future__ import annotations

import streamlit as st

from pages.parts.canvas import plan_canvas
from pages.parts.canvas.plan_canvas import CanvasPlan
from pages.parts.shared import planning
from pages.parts.shared.formatting import plain
from pages.parts.start.workload_picture import colours
from pages.parts.teach import player

_HEIGHT = 360


def show(asked: player.PlayerRequest) -> None:
    """A canvas for each plan, side by side."""
    found = player.watching(asked)
    plans = [trace.plan for trace in found.traces]
    if not found.full:
        st.caption(
            "Figures of operators below are predicted for full windows and the declared rates, "
            "not for the few tuples of these steps."
        )
    places = st.columns(len(plans), gap="medium")
    for number, (place, plan, estimate) in enumerate(
        zip(places, plans, found.estimates, strict=True)
    ):
        space = planning.space(plan.family, asked.workload)
        other = plans[1 - number] if len(plans) == 2 else None
        drawn = CanvasPlan(
            plan, estimate, found.objective, compared=other, colours=colours(asked.workload)
        )
        with place:
            st.markdown(f"**Operators of {plain(space.title(plan.label))}**")
            plan_canvas.show(drawn, f"teach-{number}", _HEIGHT, aspect=1.4 if other else 2.2)

"""The page of the papers' figures: which figure, what was measured, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.parts.papers import figure_chart, figure_tables
from pages.parts.run import endings, progress
from pages.parts.shared import backend, charts, controls, state
from pages.parts.shared.formatting import counted, moment, plain
from planner.experiments.experiment import Experiment, Point
from planner.experiments.registry import experiment, experiments

if TYPE_CHECKING:
    from runtime.experiments.figure import MeasuredFigure

# Parts of a figure that are too many for buttons are listed.
_MOST_BUTTONS = 6
# More predicted lines than that hide one another.
_MOST_LINES = 6
_CURVES, _SURFACE = "Curves", "Surface"
# Seconds between updates of the chart while points are measured.
_FOLLOW = 2


class Shown(NamedTuple):
    """An experiment, what was measured of it, and whether that was on this machine."""

    experiment: Experiment
    figure: MeasuredFigure | None
    here: bool


def pick() -> Experiment:
    """The experiment that the user picks by paper, figure and part."""
    papers = list(dict.fromkeys(known.paper for known in experiments()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        paper = st.selectbox("Paper", papers, key="paper", persist_state="session")
        listed = [known for known in experiments() if known.paper == paper]
        figures = list(dict.fromkeys(known.figure for known in listed))
        figure = st.selectbox("Figure", figures, key=f"figure of {paper}", persist_state="session")
    parts = {known.name: known.part for known in listed if known.figure == figure}
    if len(parts) == 1:
        return experiment(*parts)
    if len(parts) > _MOST_BUTTONS:
        named = st.selectbox(
            "Setting", list(parts), format_func=parts.__getitem__, key=f"setting of {figure}",
            persist_state="session",
        )  # fmt: skip
        return experiment(named)
    chosen = controls.segments(
        "Part", parts, f"part of {figure}", kept=True, format_func=parts.__getitem__
    )
    return experiment(chosen)


def open_figure(chosen: Experiment) -> None:
    """Let the boxes name this figure, before they are drawn."""
    st.session_state["paper"] = chosen.paper
    st.session_state[f"figure of {chosen.paper}"] = chosen.figure
    for kind in ("setting", "part"):
        st.session_state[f"{kind} of {chosen.figure}"] = chosen.name


def models(chosen: Experiment) -> tuple[str, ...]:
    """The models whose curves are drawn: all, or Sluice's own where they would be too many."""
    known = chosen.models
    if len(known) < 2:
        return known
    own = known if len(chosen.curves) <= _MOST_LINES else known[:1]
    picked = st.pills(
        "Predicted curves", known, selection_mode="multi", default=own,
        key=f"models of {chosen.name}", persist_state="session",
    )  # fmt: skip
    return tuple(picked)


def shown(chosen: Experiment) -> Shown:
    """What was measured on this machine, else what came with Sluice."""
    from runtime.experiments.figure import kept, shipped

    own = kept(chosen)
    return Shown(chosen, own, True) if own else Shown(chosen, shipped(chosen), False)


def answer(held: Shown) -> str:
    """How many claims hold by each model and as measured, in one sentence."""
    parts = []
    claims = len(held.experiment.claims)
    for view, values in figure_tables.views(held.experiment, held.figure).items():
        holding = sum(claim.check(values).holds for claim in held.experiment.claims)
        parts.append(f"{view}: {holding} of {counted(claims, 'claim')} hold")
    if not parts:
        return "Nothing has been measured yet, and no model predicts these figures."
    return "; ".join(parts) + "."


def where(held: Shown) -> None:
    """Where and when the figures were measured, and whether all plans agreed."""
    figure = held.figure
    if not held.experiment.points:
        st.caption("Predicted only: these figures are not measured.")
        return
    if figure is None:
        st.caption("Not measured yet.")
        return
    machine = f"Python {figure.versions['python']}, Numba {figure.versions['numba']}"
    place = "on this machine" if held.here else "**on another machine** (they came with Sluice)"
    rounds = (
        f"{figure.samples} of {figure.rounds * figure.size} measurements of "
        f"{figure_tables.spans(held.experiment)}"
    )
    st.caption(
        f"Measured {place}, {moment(figure.measured_at)}: {rounds}, {figure.cores} cores, "
        f"{plain(machine)}. Only kernels in one thread, without Spark: the same kernels and counts "
        "as in every run."
    )
    if not figure.same_answer:
        st.error("The plans gave different answers.", icon=":material/report:")
    elif figure.complete:
        st.caption(":material/verified: On the same tuples, all plans gave the same answer.")


def buttons(held: Shown) -> None:
    """Buttons to measure what is missing, or all again; the progress while measuring."""
    if not held.experiment.points:
        return
    job = backend.measuring(held.experiment.name)
    if job is not None:
        progress.live(job.id)
        return
    endings.failed_figure(held.experiment.name)
    own = held.figure if held.here else None
    partly = own is not None and not own.complete
    with st.container(horizontal=True, vertical_alignment="center"):
        if own is None or partly:
            st.button(
                "Measure the rest" if partly else "Measure on this machine",
                type="primary",
                icon=":material/timer:",
                on_click=backend.measure,
                args=(held.experiment.name,),
            )
        if own is not None:
            st.button(
                "Measure again",
                icon=":material/restart_alt:",
                on_click=backend.measure,
                args=(held.experiment.name, True),
            )


def chart(held: Shown, drawn: tuple[str, ...]) -> None:
    """The curves or the surface, updated while points are measured."""
    if held.experiment.surface is not None and _in_space(held.experiment):
        surface = held.experiment.surface()
        charts.show(
            figure_chart.draw_surface(held.experiment, surface, held.figure),
            key=f"surface-{held.experiment.name}",
            alt=figure_chart.surface_alternative(held.experiment, surface),
        )
        return
    measuring = backend.measuring(held.experiment.name) is not None
    st.fragment(_chart, run_every=_FOLLOW if measuring else None)(held.experiment.name, drawn)


def _in_space(chosen: Experiment) -> bool:
    key = f"drawn of {chosen.name}"
    return controls.segments("Drawn as", [_CURVES, _SURFACE], key, kept=True) == _SURFACE


def _chart(name: str, drawn: tuple[str, ...]) -> None:
    held = shown(experiment(name))
    figure = figure_chart.draw(held.experiment, held.figure, drawn)
    selected = charts.pick(
        figure, key=f"chart-{name}", alt=figure_chart.chart_alternative(held.experiment, figure)
    )
    if selected and (point := point_at(held.experiment, selected[0])) is not None:
        offer(point)


def point_at(chosen: Experiment, selected: Mapping[str, Any]) -> Point | None:
    """The point of a mark in the chart; marks carry the numbers of their curve and point."""
    data = selected.get("customdata")
    if not data:
        return None
    curve, place = int(data[0]), int(data[1])
    return chosen.curves[curve].points[place]


def offer(point: Point) -> None:
    """The point, and a button that opens its workload."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"**{plain(point.workload.name)}** · {plain(point.plan, 120)}", width="stretch")
        if st.button("Open in the explorer", icon=":material/open_in_new:", key="open-point"):
            state.open_workload(point.workload)
            state.choose_plan(point.plan)
            st.switch_page("pages/plans.py")

"""Schedules on the Plans page: a burst under two policies, and the delays of all, for any load."""

from __future__ import annotations

from math import ceil

import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.shared_schedule import burst_figure, delay_figures, windows
from pages.parts.shared import charts, state
from pages.parts.shared.formatting import counted, on_pages, plain
from pages.parts.shared.state import BY_DIGEST
from planner.families.shared_schedule import ranking_notes
from planner.families.shared_schedule.delays.burst_trace import BurstTrace
from planner.families.shared_schedule.explain import LOW_LOAD
from planner.families.shared_schedule.labels import schedule_of
from planner.families.shared_schedule.predictions import SchedulePredictions
from planner.families.shared_schedule.ranking_notes import ms, percent
from planner.families.shared_schedule.what_if import in_bursts, loaded, mean_burst
from planner.time_limit import planning_limit
from planner.workload.workload import Workload

# Percent: beyond full load work piles up, and delays grow without end.
MOST_LOAD = 120
MOST_BURST = 5.0


@st.fragment
def show(choice: PlanChoice) -> None:
    """Sliders for load and bursts, and what they change. The workload stays as it is."""
    workload = _sliders(choice)
    space = windows.schedules(workload)
    other = choice.baseline.label
    if other == choice.label:
        # Of a baseline by itself there would be nothing to compare.
        other = choice.ranking.best
    sides = [(label, _trace(workload, label)) for label in dict.fromkeys((choice.label, other))]
    charts.show(
        burst_figure.burst_figure(space.model, sides),
        alt=burst_figure.burst_alternative(space.model, sides),
    )
    st.caption(_legend(sides[0][1]))
    # Of chains the chosen one alone: with all of them, bars could not be told apart.
    policies = (c.label for c in choice.ranking.candidates if c.label in space.policies)
    labels = tuple(dict.fromkeys((*policies, choice.label)))
    _delays(space.predictions, labels)


def _sliders(choice: PlanChoice) -> Workload:
    """The workload with the load and the bursts that are set."""
    workload = choice.workload
    clock = windows.schedules(workload).predictions.clock
    now, burst = max(1, round(100 * clock.load)), mean_burst(workload)
    key = f"{workload.digest}-{now}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        load = st.slider(
            "Load of the server",
            1,
            max(MOST_LOAD, ceil(now)),
            now,
            format="%d%%",
            key=f"load-{key}",
            width=300,
            help="The share of the time that scans take",
        )
        size = st.slider(
            "Mean burst size",
            1.0,
            max(MOST_BURST, burst),
            burst,
            0.5,
            format="%g",
            key=f"burst-{key}",
            width=220,
            help="Tuples that arrive at one time, on average (Pareto). 1: they come one by one.",
        )
        apply = st.button(
            f"Set the workload to {load}% load",
            icon=":material/edit:",
            disabled=load == now,
            key="apply-load",
            help="The sliders alone change only this picture and these delays.",
        )
    if apply:
        state.edit(loaded(state.workload(), load / 100))
        st.rerun()
    st.caption(_real_load(clock.real_load, clock.source))
    supposed = workload if load == now else loaded(workload, load / 100)
    return supposed if size == burst else in_bursts(supposed, size)


def _real_load(real: float, source: str) -> str:
    """What the load would be at real unit costs."""
    alike = "" if real >= LOW_LOAD else ", where policies look alike because tuples rarely wait"
    return (
        f"At real unit costs ({plain(source)}) the load is about {percent(real)}{alike}. "
        "The sliders change only this picture and these delays."
    )


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _trace(workload: Workload, label: str) -> BurstTrace:
    return windows.schedules(workload).trace(label)


def _legend(trace: BurstTrace) -> str:
    tuples = counted(len(trace.arrivals_ns), "tuple")
    which = (
        f"The first {tuples} of the sample; the server is never idle again."
        if trace.goes_on
        else f"One busy period of the seeded sample: {tuples}, from an idle server to the next."
    )
    return (
        f"{which} A bar is the scan of a partial window, newest tuples first. Results leave as "
        "they are found, unless an older tuple has not completed that window: then they are held "
        "(◆). Below: tuples by the partial window they wait for."
    )


def _delays(predictions: SchedulePredictions, labels: tuple[str, ...]) -> None:
    """Bars for every window and policy."""
    model = predictions.model
    places = windows.ends(range(len(model.windows)))
    rows = [windows.row_name(model, place) for place in places]
    schedules = {label: schedule_of(model.group, label) for label in labels}
    by_policy = {label: predictions.typical(own) for label, own in schedules.items()}
    delays = {name: [1e3 * float(own[p]) for p in places] for name, own in by_policy.items()}
    alone: list[float | None] = [None] * len(places)
    if predictions.has_mean:
        alone = [1e3 * float(predictions.isolated[place]) for place in places]
    kind = "Mean delay" if predictions.has_mean else "Median delay"
    title = f"{kind} of results by query, predicted at {percent(predictions.clock.load)} load"
    charts.show(
        delay_figures.policies_figure(rows, delays, alone, title, kind),
        alt=delay_figures.policies_alternative(rows, delays, alone),
    )
    means = {label: predictions.over_queries(own) for label, own in schedules.items()}
    ordered = sorted(means, key=lambda name: (means[name], name))
    st.caption(
        "Over all queries: "
        + ", ".join(f"{plain(name)} {ms(means[name])}" for name in ordered)
        + f". {plain(on_pages(' '.join(ranking_notes.notes(predictions, labels))), 1200)}"
    )

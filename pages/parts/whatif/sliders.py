"""A rail of sliders beside the plan: what wins, by how much, and how it differs from before."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts.canvas import plan_canvas
from pages.parts.canvas.plan_canvas import CanvasPlan
from pages.parts.families.registry import view_of
from pages.parts.plans.short_list import WORST, short_list
from pages.parts.shared import charts, controls, links, planning, state
from pages.parts.shared.formatting import plain
from pages.parts.shared.planning import plan_title
from pages.parts.start.workload_picture import colours
from pages.parts.whatif import number_titles, ranges, scenarios, whatif_figures
from planner.families.protocol import Family, Ranking
from planner.numbers import amount
from planner.plan.plan import Plan
from planner.whatif.numbers.path import Path
from planner.workload.workload import Workload

_CANVAS = 320
# Width over height of the canvas alone, and of two beside each other.
_WIDE, _HALF = 2.8, 1.4
# So few plans are ranked while a slider moves: each of them is timed, which takes longest.
_MOST_RANKED = 12


@st.fragment
def show(family: Family, workload: Workload) -> None:
    """The rail and what follows from it. A moved slider draws this part of the page alone."""
    rail, result = st.columns([1, 2.6], gap="medium")
    with rail:
        _rail(family, workload)
    with result, controls.shown():
        changed = scenarios.applied(workload, scenarios.settings())
        _result(family, workload, changed)
        _scenarios(family, workload)
    links.keep()


def _rail(family: Family, workload: Workload) -> None:
    known = ranges.varied(workload, family)
    set_now = scenarios.settings()
    wanted = list(
        dict.fromkeys([*ranges.usual(workload, family), *(p for p in set_now if p in known)])
    )
    chosen = st.multiselect(
        "Numbers to vary",
        list(known),
        default=wanted,
        format_func=number_titles.title,
        key=f"whatif-numbers-{workload.digest}",
        persist_state="session",
    )
    for path in chosen:
        _slider(known[path], ranges.options(known[path], set_now.get(path)))
    with st.container(horizontal=True):
        st.button(
            "Undo",
            icon=":material/undo:",
            on_click=scenarios.undo,
            disabled=not scenarios.can_undo(),
        )
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=scenarios.take,
            args=({},),
            disabled=not set_now,
        )


def _slider(place: Path, options: list[float]) -> None:
    path, now = place.text, place.value or 0.0
    value = scenarios.settings().get(path, float(now))
    key = f"whatif-slider-{path}"
    # What is undone or restored shows on the slider too, which keeps the keyboard's focus.
    st.session_state[key] = value

    def moved() -> None:
        asked = st.session_state[key]
        scenarios.change(path, None if asked == now else asked)

    st.select_slider(
        number_titles.title(path),
        options,
        format_func=lambda v: number_titles.value(path, v) if v else place.absent or "0",
        key=key,
        on_change=moved,
    )


def _result(family: Family, before: Workload, after: Workload) -> None:
    answer, _ = planning.explained(family.name, after, _MOST_RANKED)
    st.markdown(f"###### {plain(answer, 800)}", anchors=False)
    old, new = (planning.best_plans(family, there, _MOST_RANKED) for there in (before, after))
    names = [
        planning.title(family.name, ranking.best, there)
        for ranking, there in ((old, before), (new, after))
    ]
    if before.digest != after.digest:
        _compared(old, new, names)
    view = view_of(family.name)
    found = short_list(new, view.shape, view.landmarks)
    # Beside the worst plan, the bars of all others would look alike.
    few = [c for c in found.plans if WORST not in found.names.get(c.label, ())]
    charts.show(
        whatif_figures.landscape(few, new, old if before.digest != after.digest else None),
        alt=whatif_figures.landscape_alternative(few, new),
        key="whatif-landscape",
    )
    if before.digest == after.digest:
        _canvas(family, after, new, "after", _WIDE)
        return
    left, right = st.columns(2)
    with left:
        st.markdown(f"Before: {plain(names[0])}")
        _canvas(family, before, old, "before")
    with right:
        st.markdown(f"After: {plain(names[1])}")
        _canvas(
            family, after, new, "after", beside=planning.priced(family.name, before, old.best)[0]
        )
    st.button(
        "Open as a workload",
        icon=":material/open_in_new:",
        on_click=_open,
        args=(after,),
        help="The workload with these numbers becomes the open one.",
    )


def _open(workload: Workload) -> None:
    state.edit(workload)
    scenarios.take({})


def _canvas(
    family: Family,
    workload: Workload,
    ranking: Ranking,
    key: str,
    aspect: float = _HALF,
    beside: Plan | None = None,
) -> None:
    plan, estimate = planning.priced(family.name, workload, ranking.best)
    drawn = CanvasPlan(plan, estimate, ranking.by, compared=beside, colours=colours(workload))
    plan_canvas.show(drawn, f"whatif-canvas-{key}", _CANVAS, aspect=aspect)


def _compared(old: Ranking, new: Ranking, names: list[str]) -> None:
    """The best plan before and after, and what the old one would cost now."""
    was, now = old.of(old.best).score, new.of(new.best).score
    change = f", {ranges.shown(now / was)}x" if was and now != was else ""
    st.markdown(
        f"Before: **{plain(names[0], 60)}**, {plain(old.by.said(was))}. "
        f"Now: **{plain(names[1], 60)}**, {plain(new.by.said(now))}{change}."
    )


def _scenarios(family: Family, workload: Workload) -> None:
    """Pin the numbers under a name, and compare what was pinned."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name of this scenario", "Today", max_chars=40, key="whatif-name", width=220
        )
        st.button(
            "Pin", icon=":material/push_pin:", on_click=scenarios.pin, args=(name or "Today",)
        )
    pinned = scenarios.pinned()
    if not pinned:
        return
    best = {}
    for known, chosen in pinned.items():
        there = scenarios.applied(workload, chosen)
        best[known] = (there, planning.ranking(family, there))
    rows = []
    for known, (there, ranking) in best.items():
        space = planning.space(family.name, there)
        labels = [space.lasting(other.best) for _, other in best.values()]
        scores = space.scores(labels, ranking.by)
        row: dict[str, object] = {
            "Scenario": known,
            "Best plan": plan_title(ranking.best),
            "Changed": ", ".join(
                f"{number_titles.title(path)}: {amount(value)}"
                for path, value in pinned[known].items()
            )
            or "nothing",
        }
        for other, score in zip(best, scores, strict=True):
            row[f"Plan of {other} ({ranking.by.unit})"] = ranges.shown(score)
        rows.append(row)
    controls.table(rows_as_columns(rows), "Pinned scenarios and what each one's plan costs in all")
    with st.container(horizontal=True):
        for known, chosen in pinned.items():
            st.button(
                f"Show {known}", on_click=scenarios.take, args=(chosen,), key=f"whatif-show-{known}"
            )
            st.button(
                f"Unpin {known}", on_click=scenarios.unpin, args=(known,), key=f"whatif-un-{known}"
            )


def rows_as_columns(rows: list[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame(rows)

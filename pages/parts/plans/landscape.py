"""All plans as one picture: a curve of their scores from best to worst, with the known ones marked.

A curve of many plans is thinned to about one plan per pixel, evenly along its logarithmic axis;
what is marked is always on it. The browser draws it (`landscape.js`); hovering shows a plan,
a click chooses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages.parts.canvas.plan_canvas import POINTING, joined_scripts
from pages.parts.families.protocol import PlanChoice
from pages.parts.plans.landscape_axes import rank_axis, score_axis
from pages.parts.plans.ranking_table import known_as, places
from pages.parts.plans.short_list import OTHER_SHAPE, RUNNER_UP, ShortList
from pages.parts.shared import planning, state
from pages.parts.shared.formatting import score_head
from planner.families.protocol import Candidate, Ranking
from planner.numbers import amount
from planner.plan.objective import Objective

HEIGHT = 190
MOST_POINTS = 600
_FOLDER = Path(__file__).parent


def pick(choice: PlanChoice, names: ShortList, measured: Mapping[str, float]) -> None:
    """Draw the landscape; a click chooses a plan before the page is drawn again."""
    key = f"landscape-{choice.ranking.by.name}"
    drawn = data(choice, names, measured)
    _component()(key=key, data=drawn, height=HEIGHT, on_picked_change=lambda: _choose(key))


def _choose(key: str) -> None:
    if picked := st.session_state[key].get("picked"):
        state.choose_plan(str(picked))


@cache
def _component() -> Any:
    style = (_FOLDER / "landscape.css").read_text(encoding="utf-8")
    scripts = joined_scripts(POINTING, _FOLDER / "landscape.js")
    return st.components.v2.component("sluice-landscape", js=scripts, css=style)


def data(choice: PlanChoice, names: ShortList, measured: Mapping[str, float]) -> dict[str, Any]:
    """What the browser draws: points, marks and ticks, placed between 0 and 1."""
    ranking, title = choice.ranking, planning.space(choice.family.name, choice.workload).title
    by, known = ranking.by, places(ranking)
    marks = _marks(names, choice.baseline.label, measured)
    kept = thinned(ranking, {*marks, choice.label}, known)
    highest = [measured[label] for label in marks if label in measured]
    across = rank_axis(len(ranking.candidates))
    up = score_axis([*(c.score for c in ranking.candidates), *highest])
    # A baseline behind the best ones of a longer list has no known rank: it is drawn last.
    last = len(ranking.candidates)
    points: list[dict[str, Any]] = [
        {
            "label": c.label,
            "name": title(c.label),
            "rank": known.get(c.label),
            "score": _score(by, c.score),
            "x": across.place(known.get(c.label, last)),
            "y": up.place(c.score),
        }
        for c in kept
    ]
    at = {point["label"]: point for point in points}
    for label, words in marks.items():
        at[label]["marks"] = words
    for label, figure in measured.items():
        if label in at:
            at[label]["measured"] = {
                "y": up.place(figure),
                "score": _score(by, figure),
            }
    return {
        "points": points,
        "chosen": choice.label,
        "ranks": across.ticks,
        "scores": up.ticks,
        "ranked_by": score_head(by),
        "alt": alternative(choice, names, measured),
    }


def _score(by: Objective, score: float) -> str:
    """A score where the mouse is: seconds of kernels are too short for their unit."""
    return by.said(score) if by.name == "seconds" else f"{amount(score)} {by.unit}"


def caption(ranking: Ranking) -> str:
    """How many plans the curve stands for, and how many of them can be clicked."""
    listed = planning.listed_plans(ranking)
    count = len(ranking.candidates)
    thin = f"; the curve shows about {MOST_POINTS} of them" if count > MOST_POINTS else ""
    return f"{listed}, from best to worst{thin}"


def alternative(choice: PlanChoice, names: ShortList, measured: Mapping[str, float]) -> str:
    """The picture in words: its ends, and every mark."""
    ranking = choice.ranking
    by, scores = ranking.by, {c.label: c.score for c in ranking.candidates}
    marks = "; ".join(
        f"{choice.title(label)} ({', '.join(words)}): {amount(scores[label])}"
        + (f", measured {amount(measured[label])}" if label in measured else "")
        for label, words in _marks(names, choice.baseline.label, measured).items()
        if label in scores
    )
    return f"{caption(ranking)}, by {score_head(by)}. {marks}."


def _marks(names: ShortList, baseline: str, measured: Mapping[str, float]) -> dict[str, list[str]]:
    """The plans that are marked, with their names on the picture."""
    hidden = (RUNNER_UP, OTHER_SHAPE)
    named = {label: known_as(label, names, baseline) for label in (*names.names, baseline)}
    marks = {label: [name for name in own if name not in hidden] for label, own in named.items()}
    marks = {label: own for label, own in marks.items() if own}
    listed = {c.label for c in names.plans}
    for label in measured:
        if label in listed:
            marks.setdefault(label, [])
    return marks


def thinned(ranking: Ranking, always: Iterable[str], known: Mapping[str, int]) -> list[Candidate]:
    """The plans on the curve, best first."""
    every = ranking.candidates
    if len(every) <= MOST_POINTS:
        return list(every)
    ranks = np.unique(np.geomspace(1, len(every), MOST_POINTS).round().astype(int))
    kept = {*(ranks - 1).tolist(), *(known.get(label, len(every)) - 1 for label in always)}
    return [every[place] for place in sorted(kept)]

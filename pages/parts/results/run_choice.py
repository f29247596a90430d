"""Runs to choose from: one to look at, or two to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import backend
from pages.parts.plans import difference
from pages.parts.results import comparison
from pages.parts.words import moment, plan_name

if TYPE_CHECKING:
    from runtime.records import Run
    from runtime.run_summary import RunSummary


def pick(shown: Sequence[RunSummary], label: str, key: str) -> str:
    """The id of one of these runs."""
    known = {run.id: run for run in shown}
    return st.selectbox(label, list(known), format_func=lambda name: _told(known[name]), key=key)


def _told(run: RunSummary) -> str:
    """A run on one line, with what makes it unlike others."""
    marks = [run.backend] if run.backend != "kernels" else []
    marks += [run.status] if run.status != "finished" else []
    marks += ["baseline"] if run.baseline else []
    marks += [run.note] if run.note else []
    return " · ".join(filter(None, [plan_name(run.label), run.way, moment(run.started), *marks]))


def two(shown: Sequence[RunSummary]) -> None:
    """The difference of two runs: beside the baseline, where one is pinned."""
    if len(shown) < 2:
        st.caption("Run another plan, or this one again: the difference of two runs stands here.")
        return
    left, right = st.columns(2)
    with left:
        first = pick(shown, "Run", "difference-first")
    others = sorted((run for run in shown if run.id != first), key=lambda run: not run.baseline)
    with right:
        second = pick(others, "Beside", "difference-second")
    runs = backend.records((first, second))
    if len(runs) == 2:
        one, other = runs[first], runs[second]
        difference.show(
            difference.of_run(one, _name(one, other)),
            difference.of_run(other, _name(other, one)),
            "runs-difference",
        )


def _name(run: Run, other: Run) -> str:
    """The plan; where both runs are of one plan, also when it was run."""
    name = comparison.run_name(run)
    return name if name != comparison.run_name(other) else f"{name}, {moment(run.started)}"

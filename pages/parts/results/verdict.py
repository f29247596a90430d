"""The head of Results: who won, whether answers agree, trust in the model, and Spark's share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.parts.results import comparison, run_views, trust_view
from pages.parts.shared.formatting import plain
from pages.parts.shared.planning import title_of
from pages.parts.shared.seconds import short
from planner.numbers import quoted
from planner.plan.objective import Objective
from runtime.diagnosis.trust import NEAR
from runtime.runs.answer_groups import subset_of
from runtime.runs.records import Run
from runtime.runs.run_groups import PlanRuns, is_timed, measured_scores, spark_share


def show(plans: Sequence[PlanRuns], runs: Mapping[str, Run], by: Objective) -> None:
    """A sentence on each, the answer first."""
    newest = run_views.newest_of(plans, runs)
    with st.container(border=True, gap="small"):
        st.markdown(
            f"#### {plain(run_views.answer(newest, by), 600)}",
            anchors=False,
            help=run_views.error_of_headline(newest, by) or None,
        )
        agreed = _same_answer([run for run in runs.values() if run.status == "finished"])
        timed = " ".join(filter(None, (by_the_clock(newest, by), overhead(newest))))
        # Both are short, and share a line.
        first = " · ".join(
            filter(None, (agreed, timed and f":material/timer: {plain(timed, 600)}"))
        )
        lines = filter(None, (first, trust_view.text(newest, by)))
        # Lines of one paragraph, so that the plan below them stays in sight.
        st.markdown("  \n".join(lines))


def _same_answer(runs: Sequence[Run]) -> str:
    """Whether all plans gave the same answer or which part of it; an error where they differ."""
    if not runs:
        return ""
    same, words = comparison.same_answer(runs)
    if not same:
        st.error(plain(words, 2000), icon=":material/report:")
        return ""
    if any(subset_of(run) is not None for run in runs):
        return f":material/filter_alt: {plain(words, 1200)}"
    return f":green[:material/verified:] {plain(words, 400)}"


def by_the_clock(runs: Sequence[Run], by: Objective) -> str:
    """That another plan took less time than the best one by this objective, if one did."""
    timed = [run for run in runs if _kernel(run) is not None and by.eligible(run.plan.label)]
    scored = measured_scores(timed, by)
    if is_timed(by) or len(scored) < 2:
        return ""
    best = by.top(scored, lambda entry: entry[2])[0]
    fastest = min((run for run, _, _ in scored), key=lambda run: _kernel(run) or 0.0)
    least, most = _kernel(fastest) or 0.0, _kernel(best) or 0.0
    if most <= NEAR * least:
        return ""
    return (
        f"By time, {quoted(title_of(fastest))} was faster: {short(least)} in kernels, "
        f"{quoted(title_of(best))} {short(most)}."
    )


def _kernel(run: Run) -> float | None:
    found = run.measurement
    return None if found is None or found.reached is not None else found.timings.kernel


def overhead(runs: Sequence[Run]) -> str:
    """Spark's part of the seconds in one sentence; empty where there are no kernels."""
    finished = [run for run in runs if run.status == "finished"]
    share = spark_share(finished)
    if share is None:
        return ""
    which = "this run" if len(finished) == 1 else "these runs"
    return f"Spark's own overhead is {_percent(share)} of {which}: compare plans by kernel seconds."


def _percent(share: float) -> str:
    # Not all of it, as there are kernels.
    return f"{min(100 * share, 99.9):.{0 if share < 0.99 else 1}f}%"

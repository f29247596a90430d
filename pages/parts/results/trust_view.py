"""Whether to trust the model, and which operators it is wrong about, with reasons."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.shared.formatting import plain
from pages.parts.shared.planning import title_of
from planner.plan.cost import q_error
from planner.plan.objective import Objective
from planner.seconds.units import NOT_CALIBRATED
from runtime.diagnosis.diagnose import Diagnosis, diagnosed, needs_tuples
from runtime.diagnosis.trust import Verdict, trust
from runtime.runs.records import Run
from runtime.runs.run_groups import is_timed, scores

_ICONS: dict[Verdict, str] = {
    "all": ":material/thumb_up:",
    "order": ":material/thumbs_up_down:",
    "figures": ":material/thumbs_up_down:",
    "nothing": ":material/thumb_down:",
    "unknown": ":material/help:",
}
_COLOURS: dict[Verdict, str] = {"all": "green", "unknown": "grey"}
# More reasons than these are not shown.
_MOST_REASONS = 3


def text(runs: Sequence[Run], by: Objective) -> str:
    """The verdict over all plans; if some are wrong, the first reason for the worst of them."""
    found = trust(runs, by, title_of)
    colour = _COLOURS.get(found.verdict, "orange")
    lines = [f":{colour}[{_ICONS[found.verdict]}] {plain(found.sentence, 1200)}"]
    if is_timed(by) and found.verdict in ("order", "nothing") and _by_defaults(runs):
        lines.append("Unit costs are of another machine: calibrate this one first.")
    judged = [run for run in runs if scores(run, by)[1] is not None]
    if judged and found.verdict != "all" and not is_timed(by):
        worst = max(judged, key=lambda run: q_error(*scores(run, by)) or float("inf"))
        lines += [_line(diagnosis) for diagnosis in diagnoses(worst)[:1]]
    return " ".join(lines)


def _by_defaults(runs: Sequence[Run]) -> bool:
    units = {run.predicted_kernel.units for run in runs if run.predicted_kernel}
    return NOT_CALIBRATED in units


def _line(diagnosis: Diagnosis) -> str:
    if not diagnosis.suspects:
        return plain(diagnosis.sentence, 800)
    first, *others = diagnosis.suspects
    more = f" (and {len(others)} more)" if others else ""
    return f"{plain(first.sentence, 300)}{more}: {plain(diagnosis.reason, 800)}."


def reasons(run: Run) -> None:
    """What the model is wrong about in this run, and why, or what differs from what was declared;
    nothing where it is right."""
    found = diagnoses(run)
    if not found:
        return
    wrong = any(diagnosis.suspects for diagnosis in found)
    title = "Where the model is wrong about this run" if wrong else "What differs from the workload"
    lines = [f"**{title}**", ""]
    lines += [f"- {_line(diagnosis)}" for diagnosis in found[:_MOST_REASONS]]
    st.markdown("\n".join(lines))


def diagnoses(run: Run) -> list[Diagnosis]:
    """The reasons, found in the run's tuples where these are few enough."""
    return _diagnoses(run.id, run.status, run)


@st.cache_resource(show_spinner="Finding the reason", max_entries=64)
def _diagnoses(run_id: str, status: str, _run: Run) -> list[Diagnosis]:  # noqa: ARG001 - the key
    from runtime.runs.run_tuples import few_tuples_of

    return diagnosed(_run, few_tuples_of(_run)) if needs_tuples(_run) else []

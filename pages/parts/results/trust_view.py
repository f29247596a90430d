"""Whether to trust the model, and which operators it is wrong about, with reasons."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.shared.formatting import plain, plan_name
from planner.plan.cost import q_error
from planner.plan.objective import Objective
from runtime.diagnosis.diagnose import Diagnosis, diagnosed
from runtime.diagnosis.suspects import suspects
from runtime.diagnosis.trust import Verdict, trust
from runtime.runs.records import Run
from runtime.runs.run_groups import scores

_ICONS: dict[Verdict, str] = {
    "all": ":material/thumb_up:",
    "order": ":material/thumbs_up_down:",
    "figures": ":material/thumbs_up_down:",
    "nothing": ":material/thumb_down:",
    "unknown": ":material/help:",
}
# More reasons than these are not shown.
_MOST_REASONS = 3


def show(runs: Sequence[Run], by: Objective) -> Run | None:
    """The verdict over all plans; if some are wrong, the reasons for the worst of them.

    Returns the run whose reasons were shown.
    """
    found = trust(runs, by)
    box = st.info if found.verdict in ("all", "figures") else st.warning
    box(plain(found.sentence, 1200), icon=_ICONS[found.verdict])
    judged = [run for run in runs if scores(run, by)[1] is not None]
    if not judged or found.verdict == "all":
        return None
    worst = max(judged, key=lambda run: q_error(*scores(run, by)) or float("inf"))
    reasons(worst, f"Where the model is wrong about {plan_name(worst.plan.label)}")
    return worst


def reasons(run: Run, title: str) -> None:
    """What the model is wrong about in this run, and why; nothing where it is right."""
    found = diagnoses(run)
    if not found:
        return
    lines = [f"**{plain(title)}**", ""]
    for diagnosis in found[:_MOST_REASONS]:
        first, *others = diagnosis.suspects
        more = f" (and {len(others)} more)" if others else ""
        lines.append(f"- {plain(first.sentence, 300)}{more}: {plain(diagnosis.reason, 800)}.")
    st.markdown("\n".join(lines))


def diagnoses(run: Run) -> list[Diagnosis]:
    """The reasons, found in the run's tuples where these are few enough."""
    return _diagnoses(run.id, run.status, run)


@st.cache_resource(show_spinner="Finding the reason", max_entries=64)
def _diagnoses(run_id: str, status: str, _run: Run) -> list[Diagnosis]:  # noqa: ARG001 - the key
    from runtime.runs.run_tuples import few_tuples_of

    # Without an error there is no need to read the tuples.
    return diagnosed(_run, few_tuples_of(_run)) if suspects(_run) else []

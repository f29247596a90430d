"""What a run that adapts did: its plans over time, its switches in a sentence each, and what it
cost and saved."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.parts.shared import charts
from pages.parts.shared.formatting import counted, plain
from pages.parts.time_lines import adaptive_figure, plans_figure
from planner.adapt.spans import plan_spans
from planner.families.registry import plan_title
from planner.numbers import figure, percent_more
from planner.workload.workload import Workload
from runtime.backends.kernels.hindsight import Graded, Hindsight, hindsight
from runtime.data.run_data import run_seconds
from runtime.runs.records import Progress, Run
from runtime.runs.run_json import switches_document

# Runs of so few tuples are compared with plans that stay without being asked: in some seconds.
_MOST_AT_ONCE = 100_000


def now(progress: Progress, workload: Workload, family: str, first: str) -> None:
    """Which plan a run that goes on has now, and its switches so far; nothing where it stays."""
    if workload.run.adapt is None or not progress.batches_done:
        return
    title = partial(plan_title, family, workload=workload)
    last = plan_spans(first, progress.switches, progress.reached)[-1]
    since = f"since {figure(last.begin)} s" if progress.switches else "from the beginning"
    st.markdown(f":material/alt_route: **Now: {plain(title(last.label), 200)}** ({since})")
    for switch in progress.switches:
        at = figure(switch.at / 1e6)
        st.markdown(f"- {plain(f'At {at} s to {title(switch.after)}: {switch.reason}.', 600)}")


def show(run: Run) -> None:
    """Nothing of a run that does not adapt."""
    adapt = run.workload.run.adapt
    if adapt is None:
        return
    title = partial(plan_title, run.plan.family, workload=run.workload)
    switches = switches_document(run)
    st.markdown(
        f":material/alt_route: **The plan was switched {counted(len(switches), 'time')}** "
        f"(policy: {adapt.policy})."
    )
    for switch in switches:
        moving = switch["moving"]
        measured = moving["measured"]
        cost = "" if measured is None else f" Moving took {figure(measured)} operations"
        cost += f", {figure(moving['predicted'])} predicted." if cost else ""
        text = f"At {figure(switch['at'])} s to {title(switch['to'])}: {switch['reason']}.{cost}"
        st.markdown(f"- {plain(text, 600)}")
    for beyond in run.out_of_reach:
        text = (
            f"From {figure(beyond.at / 1e6)} s {title(beyond.label)} would have been the best "
            f"plan, but the run could not be switched to it: {beyond.reason}."
        )
        st.caption(plain(text, 600))
    if switches:
        spans = plan_spans(run.plan.label, run.switches, _until(run))
        charts.show(
            plans_figure.plans(spans, title),
            plans_figure.alternative(spans, title),
            key=f"plans-{run.id}",
        )
    _beside_others(run)


def _until(run: Run) -> float:
    """How far the run came, in seconds."""
    found = run.measurement
    if found is not None and found.observed:
        return found.observed[-1].end
    return run_seconds(run.workload)


def _beside_others(run: Run) -> None:
    """The same tuples under plans that stay: at once where that is quick, else when asked for."""
    title = partial(plan_title, run.plan.family, workload=run.workload)
    key = f"hindsight-{run.id}"
    if not _is_small(run) and st.button(
        "Compare with plans that stay", key=key, icon=":material/compare_arrows:"
    ):
        st.session_state[f"{key}-asked"] = True
    if _is_small(run) or st.session_state.get(f"{key}-asked"):
        with st.spinner("Running every plan on the same tuples"):
            found = _found(run.id, run)
        st.markdown(plain(saving(found, title(found.best), title(found.worst)), 800))
        drawn = adaptive_figure.work(found, title)
        charts.show(drawn, adaptive_figure.alternative(found, title), key=f"{key}-figure")


def _is_small(run: Run) -> bool:
    found = run.measurement
    return (
        run.status == "finished" and found is not None and sum(found.rows.values()) <= _MOST_AT_ONCE
    )


def saving(found: Hindsight, best: str, worst: str) -> str:
    """What adapting cost and saved against plans that stay, and against the best of every batch."""
    if found.graded is not None:
        return _graded(found.graded, found, best, worst)
    mine, least = float(found.adaptive.sum()), found.oracle()
    static = {label: float(work.sum()) for label, work in found.static.items()}
    stays = static[found.best]
    ahead = (
        f"{percent_more(stays, mine)} more"
        if stays >= mine
        else f"less: this run did {percent_more(mine, stays)} more"
    )
    return (
        f"This run did {figure(mine)} operations, moving included. The best plan that stays "
        f"({best}) did {figure(stays)}, {ahead}. The worst plan that stays ({worst}) did "
        f"{figure(static[found.worst])}. The best plan of every batch would have done "
        f"{figure(least)}: this run did {percent_more(mine, least)} more."
    )


def _graded(graded: Graded, found: Hindsight, best: str, worst: str) -> str:
    """The same where plans are not ranked by work: by delays, or by the importance of results."""
    by = graded.by
    unit = "" if by.unit == by.title.lower() else f" {by.unit}"
    values = graded.adaptive, graded.static[found.best], graded.static[found.worst]
    mine, stays, least = (f"{figure(value)}{unit}" for value in values)
    return (
        f"{by.title}: {mine} in this run; {stays} under the best plan that stays ({best}), "
        f"{least} under the worst ({worst}). The work below is not what they are ranked by."
    )


@st.cache_resource(show_spinner=False, max_entries=8)
def _found(
    run_id: str,  # noqa: ARG001 - the key: a run does not change when it is over
    _run: Run,
) -> Hindsight:
    """The plans on the run's tuples, each from beginning to end."""
    return hindsight(_run.request)

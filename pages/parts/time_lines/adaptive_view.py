"""What a run that adapts did: its switches in a sentence each, and what adapting cost and saved."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.parts.shared import charts
from pages.parts.shared.formatting import counted, plain
from pages.parts.time_lines import adaptive_figure
from planner.families.registry import plan_title
from planner.numbers import figure, percent_more
from runtime.backends.kernels.hindsight import Hindsight, hindsight
from runtime.runs.records import Run
from runtime.runs.run_json import switches_document


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
    key = f"hindsight-{run.id}"
    if st.button("Compare with plans that stay", key=key, icon=":material/compare_arrows:"):
        st.session_state[f"{key}-asked"] = True
    if st.session_state.get(f"{key}-asked"):
        with st.spinner("Running every plan on the same tuples"):
            found = _found(run.id, run)
        st.markdown(plain(saving(found, title(found.best), title(found.worst)), 800))
        drawn = adaptive_figure.work(found, title)
        charts.show(drawn, adaptive_figure.alternative(found, title), key=f"{key}-figure")


def saving(found: Hindsight, best: str, worst: str) -> str:
    """What adapting cost and saved against plans that stay, and against the best of every batch."""
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


@st.cache_resource(show_spinner=False, max_entries=8)
def _found(
    run_id: str,  # noqa: ARG001 - the key: a run does not change when it is over
    _run: Run,
) -> Hindsight:
    """The plans on the run's tuples, each from beginning to end."""
    return hindsight(_run.request)

"""What a run has shed: how much of the answer is left, why tuples went, when, and which keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.families.load_shedding import aggregate_results, memory, shed_figures
from pages.parts.shared import charts, controls
from pages.parts.shared.formatting import plain
from planner.families.load_shedding.explain import percent
from planner.families.load_shedding.simulation.settings import (
    EXPIRED,
    NO_MATCH,
    NOT_ADMITTED,
    PROCESSOR_SHORT,
    RELATION_ENDED,
    REPLACED,
)
from planner.numbers import amount
from planner.plan.cost import Quality
from runtime.runs.records import Run

Shed = Mapping[str, Any]
# Why a tuple is not, or no longer, kept; the heads of a table.
REASONS = {
    NO_MATCH: "No partner row",
    NOT_ADMITTED: "Not let in",
    REPLACED: "Replaced",
    RELATION_ENDED: "Its row ended",
    EXPIRED: "Expired",
    PROCESSOR_SHORT: "Processor short",
}


def show(run: Run) -> None:
    """The section of one run; nothing where nothing was measured."""
    if run.measurement is None or not run.measurement.shed:
        return
    shed = run.measurement.shed
    st.markdown("### What was shed", anchors=False)
    controls.table(
        answer_table(run),
        f"The answer of {run.plan.label} beside the exact one",
        columns="shed-answer",
        placeholder="–",
    )
    if estimates := shed.get("estimates"):
        st.caption(_estimates(estimates, shed["exact"]))
    aggregate_results.show(run)
    st.markdown("**Why tuples were not kept, by stream**")
    controls.table(
        evictions_table(shed),
        f"Tuples that {run.plan.label} did not keep, by reason and stream",
        columns="shed-reasons",
        placeholder="no bound",
    )
    st.caption(
        "Shed: not let in, or replaced by a tuple that was worth more. The others went without a "
        "loss: no row of the relation can join them, or their window was over."
    )
    if processor := shed.get("processor"):
        st.caption(waiting_words(processor))
    if not any(map(any, shed["timeline"]["shed"].values())):
        st.caption("Nothing was shed: there was room for every tuple that could be joined.")
        return
    charts.show(
        shed_figures.timeline_figure(shed["timeline"]),
        alt=shed_figures.timeline_alternative(shed["timeline"]),
    )
    suffered = {alias: keys for alias, keys in shed["keys"].items() if keys}
    for column, (alias, keys) in zip(
        st.columns(max(len(suffered), 1), gap="medium"), suffered.items(), strict=False
    ):
        with column:
            charts.show(
                shed_figures.keys_figure(alias, keys),
                alt=shed_figures.keys_alternative(alias, keys),
                key=f"keys-{alias}",
            )
    if suffered:
        st.caption("The keys of which most tuples were shed. Grey: arrived; orange: shed of them.")


def tables(run: Run) -> dict[str, pd.DataFrame]:
    """The tables of a run by their titles; none where nothing was measured."""
    if run.measurement is None or not run.measurement.shed:
        return {}
    shed = run.measurement.shed
    found = {"The answer beside the exact one": answer_table(run)}
    if aggregates := shed.get("aggregates"):
        found["Aggregates over the windows at the last tuple"] = aggregate_results.answer_table(
            aggregates
        )
    return found | {"Why tuples were not kept": evictions_table(shed)}


def answer_table(run: Run) -> pd.DataFrame:
    """Importance and number of results: found, exact, the share, and which was predicted."""
    assert run.measurement is not None
    exact = run.measurement.shed["exact"]
    (query,) = run.measurement.results
    found, expected = (
        own.qualities.get(query, Quality()) for own in (run.measurement, run.estimate)
    )
    whole = memory.policies_of(run.workload).predictions.exact
    rows = [
        (
            "Importance",
            found.importance,
            exact["importance"],
            expected.importance,
            whole.importance,
        ),
        ("Results", run.measurement.results[query], exact["results"], expected.recall, 1.0),
    ]
    return pd.DataFrame(
        {
            "Answer": [name for name, *_ in rows],
            "Found": [own for _, own, *_ in rows],
            "Exact": [of for _, _, of, *_ in rows],
            "Share": [share(own, of) for _, own, of, *_ in rows],
            "Predicted share": [share(own, of) for *_, own, of in rows],
        }
    )


def share(part: float | None, whole: float) -> str:
    """A part of the exact answer in percent."""
    if part is None:
        return "–"
    return percent(part / whole) if whole else "all of nothing"


def evictions_table(shed: Shed) -> pd.DataFrame:
    """One row per stream: what it may keep, and why tuples went."""
    evictions: Mapping[str, Mapping[str, int]] = shed["evictions"]
    kept: Mapping[str, int | None] = shed["memory"]
    columns: dict[str, object] = {
        "Stream": list(evictions),
        "Memory": pd.array([kept.get(alias) for alias in evictions], dtype="Int64"),
    }
    for reason, head in REASONS.items():
        if reason != PROCESSOR_SHORT or "processor" in shed:
            columns[head] = [own.get(reason, 0) for own in evictions.values()]
    return pd.DataFrame(columns)


def waiting_words(processor: Mapping[str, Any]) -> str:
    """How long tuples waited for the processor, and what of it was predicted."""
    room = processor["buffer"]
    bound = "any number may wait" if room is None else f"at most {amount(room)} may wait"
    return (
        f"The processor was short: {amount(processor['served'])} tuples were served, "
        f"{processor['mean_wait']:.3g} s after they came on average and "
        f"{processor['longest_wait']:.3g} s at most, on the clock of work; {bound}. What it drops "
        "is not predicted: predicted shares are those of a processor that keeps up."
    )


def _estimates(estimates: Mapping[str, float], exact: Mapping[str, float]) -> str:
    return plain(
        "What was kept by chance says how large the exact answer should be: about "
        f"{amount(round(estimates['results']))} results of importance "
        f"{amount(round(estimates['importance']))} (in truth {amount(exact['results'])} and "
        f"{amount(round(exact['importance']))}).",
        600,
    )

"""The answers of a run: the groups of an aggregation, and the results of each query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.results import exports
from pages.parts.run import change_editor
from pages.parts.shared import controls
from pages.parts.shared.formatting import counted, error_text, plain, rounded_each
from planner.plan.cost import Cost
from runtime.runs.answer_groups import subset_of
from runtime.runs.records import Run

if TYPE_CHECKING:
    import pyarrow as pa

GROUPS, CHANGES = "Groups at the end", "Changes"
MOST_ROWS = 1_000


def show(run: Run) -> None:
    """The groups of an aggregation or their changes, as a table and as CSV."""
    if run.workload.queries[0].aggregates and view_of(run.plan.family).keeps_answers:
        st.markdown("### Answer", anchors=False)
        with controls.shown():
            _kept(run)


def _kept(run: Run) -> None:
    from runtime.runs.result_files import MOST_CHANGES, answer_of

    answer = answer_of(run)
    if answer is None:
        st.caption(
            "The answer of this run was not kept. Answers are kept for a week if you choose that "
            f"on the Run page and fewer than {MOST_CHANGES:,} changes are expected."
        )
        return
    view = controls.segments("Shown", [GROUPS, CHANGES], "answer-as", hidden_label=True)
    table = answer.groups if view == GROUPS else answer.changes
    controls.table(
        _few(table, newest_first=view == CHANGES),
        f"{view} of {run.plan.label}",
        columns="answer",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"sluice-{'groups' if view == GROUPS else 'changes'}.csv"
        controls.download("CSV", partial(exports.table_to_csv, table), name, key="answer-csv")
        st.caption(_how_many(table, view), width="content")


def _few(table: pa.Table, newest_first: bool) -> pa.Table:
    """The first rows, or the last rows newest first."""
    if not newest_first:
        return table.slice(0, MOST_ROWS)
    last = range(table.num_rows - 1, max(table.num_rows - MOST_ROWS, 0) - 1, -1)
    return table.take(list(last))


def _how_many(table: pa.Table, view: str) -> str:
    count = counted(table.num_rows, "group" if view == GROUPS else "change")
    if view == CHANGES:
        count += ", newest first"
    return count if table.num_rows <= MOST_ROWS else f"{count}; {MOST_ROWS:,} are shown"


def show_queries(run: Run, runs: Sequence[Run]) -> None:
    """The results of each query where there are several, and the stages of the run."""
    several = len(run.measurement.results) > 1 if run.measurement else False
    if not (several or (run.measurement and run.workload.run.changes)):
        return
    st.markdown("### By query", anchors=False)
    frame = table(run, runs)
    controls.table(
        frame,
        f"Queries of {run.plan.label} with their results",
        columns="query-results",
    )
    if note := view_of(run.plan.family).run_note(run):
        st.caption(plain(note, 400))
    _stages(run)


def table(run: Run, runs: Sequence[Run]) -> pd.DataFrame:
    """One row per query: results, predicted and measured rate, digest, and whether runs agree."""
    assert run.measurement is not None
    found = run.measurement
    names = list(found.results)
    expected, counted = _rates(run, run.estimate.costs), _rates(run, found.costs)
    rates = [(expected.get(name), counted.get(name)) for name in names]
    return pd.DataFrame(
        {
            "Query": names,
            "Results": [found.results[name] for name in names],
            "Predicted rows/s": rounded_each([p or 0.0 for p, _ in rates]),
            "Measured rows/s": [None if m is None else rounded_each([m])[0] for _, m in rates],
            "q-error": [error_text(p, m) for p, m in rates],
            "Answer": [found.answers[name] for name in names],
            "Same in all runs": [_agreed(name, runs) for name in names],
        }
    )


def _rates(run: Run, costs: Mapping[str, Cost]) -> dict[str, float]:
    """Rows per second by query; a query that was added again has several outputs."""
    rates: dict[str, float] = {}
    for root in run.plan.roots:
        if root.id in costs:
            name = str(root.param("query"))
            rates[name] = rates.get(name, 0.0) + costs[root.id].rows_out
    return rates


def _agreed(query: str, runs: Sequence[Run]) -> str:
    """How many plans gave this answer, or that they do not agree; a part of it proves nothing."""
    measured = [
        run
        for run in runs
        if run.measurement and query in run.measurement.answers and subset_of(run) is None
    ]
    digests = {run.measurement.answers[query] for run in measured if run.measurement}
    plans = len({run.plan.label for run in measured})
    if len(digests) > 1:
        return "✗ no"
    return f"✓ {plans} plans" if plans > 1 else "one plan only"


def _stages(run: Run) -> None:
    """The stages of a run whose queries or plan changed."""
    from runtime.data.run_data import run_seconds

    if not run.workload.run.changes:
        return
    with controls.shown():
        stages = change_editor.stages_of_run(run.plan.family, run.workload, run.request.label)
        if len(stages) > 1:
            st.markdown("### Stages", anchors=False)
            change_editor.show_stages(stages, run_seconds(run.workload))
            st.caption(
                "The figures of this run cover all its stages, each weighted by its duration. The "
                "answer of a query covers the time during which it was part of the run."
            )

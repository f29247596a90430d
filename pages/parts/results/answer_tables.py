"""The answer of an aggregation that was run: its groups at the end, and how they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.results import exports
from pages.parts.run import stage_table
from pages.parts.shared import messages
from pages.parts.shared.formatting import counted, error_text, plain, rounded_alike
from planner.families.sliced_chain import SlicedChain
from planner.numbers import amount
from planner.plan.cost import Cost

if TYPE_CHECKING:
    import pyarrow as pa

    from runtime.runs.records import Run

GROUPS, CHANGES = "Groups at the end", "Changes"
MOST_ROWS = 1_000


def show(run: Run) -> None:
    """The groups or their changes as a table, with all of it as CSV; of a join nothing."""
    if run.workload.queries[0].aggregates:
        st.markdown("### Answer", anchors=False)
        with messages.shown():
            _kept(run)


def _kept(run: Run) -> None:
    from runtime.runs.kept_answers import MOST_CHANGES, answer_of

    answer = answer_of(run)
    if answer is None:
        st.caption(
            "This run's answer is not kept: answers are kept for a week, where that is asked for "
            f"on the Run page and fewer than {MOST_CHANGES:,} changes are expected."
        )
        return
    view = st.segmented_control(
        "Shown",
        [GROUPS, CHANGES],
        default=GROUPS,
        required=True,
        key="answer-as",
        label_visibility="collapsed",
    )
    table = answer.groups if view == GROUPS else answer.changes
    st.dataframe(
        _few(table, newest_first=view == CHANGES),
        hide_index=True,
        column_config={
            "ts": st.column_config.NumberColumn("ts (s)", help="When the group changed"),
            "present": st.column_config.CheckboxColumn(help="No: the group has become empty"),
        },
        alt=f"{view} of {run.plan.label}",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "CSV",
            partial(exports.table_to_csv, table),
            f"sluice-{'groups' if view == GROUPS else 'changes'}.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="answer-csv",
        )
        st.caption(_how_many(table, view), width="content")


def _few(table: pa.Table, newest_first: bool) -> pa.Table:
    """The first rows, or the last ones backwards: what a page can show."""
    if not newest_first:
        return table.slice(0, MOST_ROWS)
    last = range(table.num_rows - 1, max(table.num_rows - MOST_ROWS, 0) - 1, -1)
    return table.take(list(last))


def _how_many(table: pa.Table, view: str) -> str:
    count = counted(table.num_rows, "group" if view == GROUPS else "change")
    if view == CHANGES:
        count += ", newest first"
    return count if table.num_rows <= MOST_ROWS else f"{count}; {MOST_ROWS:,} are shown"


if TYPE_CHECKING:
    from runtime.runs.records import Run

_NUMBER = st.column_config.NumberColumn(format="localized")
_HEIGHT = 458


def show_queries(run: Run, runs: Sequence[Run]) -> None:
    """Of a plan of shared joins: its queries, queues and stages; of others nothing."""
    if run.plan.family != SlicedChain.name or run.measurement is None:
        return
    st.markdown("### By query", anchors=False)
    frame = table(run, runs)
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "Results": st.column_config.NumberColumn(
                "Results", format="localized", help="In all of the run, its warm-up included"
            ),
            "Predicted rows/s": _NUMBER,
            "Measured rows/s": _NUMBER,
            "q-error": st.column_config.TextColumn(
                "q-error", help="max(p/m, m/p); ▲ over: more predicted than measured"
            ),
            "Answer": st.column_config.TextColumn("Answer", help="The digest of its results"),
        },
        height=min(38 + 35 * len(frame), _HEIGHT),
        alt=f"Queries of {run.plan.label} with their results",
    )
    if run.measurement.queues:
        st.caption(plain(queues_told(run.measurement.queues), 400))
    _stages(run)


def table(run: Run, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a query: results, rate predicted and measured, digest, and whether all runs agree."""
    assert run.measurement is not None
    found = run.measurement
    names = list(found.results)
    expected, counted = _rates(run, run.estimate.costs), _rates(run, found.costs)
    rates = [(expected.get(name), counted.get(name)) for name in names]
    return pd.DataFrame(
        {
            "Query": names,
            "Results": [found.results[name] for name in names],
            "Predicted rows/s": rounded_alike([p or 0.0 for p, _ in rates]),
            "Measured rows/s": [None if m is None else round(m, 3) for _, m in rates],
            "q-error": [error_text(p, m) for p, m in rates],
            "Answer": [found.answers[name] for name in names],
            "Same in all runs": [_agreed(name, runs) for name in names],
        }
    )


def _rates(run: Run, costs: Mapping[str, Cost]) -> dict[str, float]:
    """Rows per second by query; one that entered again has several outputs."""
    rates: dict[str, float] = {}
    for root in run.plan.roots:
        if root.id in costs:
            name = str(root.param("query"))
            rates[name] = rates.get(name, 0.0) + costs[root.id].rows_out
    return rates


def _agreed(query: str, runs: Sequence[Run]) -> str:
    """How many plans gave this answer, or that they do not agree."""
    measured = [run for run in runs if run.measurement and query in run.measurement.answers]
    digests = {run.measurement.answers[query] for run in measured if run.measurement}
    plans = len({run.plan.label for run in measured})
    if len(digests) > 1:
        return "✗ no"
    return f"✓ {plans} plans" if plans > 1 else "one plan alone"


def queues_told(queues: Mapping[str, int]) -> str:
    """What waited ahead of slices and in unions, which is no state of a window."""
    return (
        f"Beside the tuples held, in a micro-batch at most: "
        f"{amount(queues.get('queued_tuples_max', 0))} entries in the queue of a slice (a tuple to "
        f"be stored and to probe is two), {amount(queues.get('union_rows_max', 0))} rows merged by "
        "a union."
    )


def _stages(run: Run) -> None:
    """What a run went through whose queries or plan changed."""
    from runtime.data.run_data import run_seconds

    if not run.workload.run.changes:
        return
    with messages.shown():
        stages = stage_table.stages_of_run(run.plan.family, run.workload, run.request.label)
        if len(stages) > 1:
            st.markdown("### Stages", anchors=False)
            stage_table.show(stages, run_seconds(run.workload))
            st.caption(
                "Figures of this run are those of all its stages together, each for its share of "
                "the time; a query's answer is of the time that it was there."
            )

"""The early aggregation of each source: what Rules 1 and 2 make of it, and how large its set is."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts.shared.formatting import plain, rounded_alike
from planner.families.early_aggregation.space import AggregationPlans

_TUPLES, _EXPECTED, _BOUND = "Tuples in window", "Entries expected", "Entries at most (paper)"


def table(plans: AggregationPlans) -> pd.DataFrame:
    """One row a source: grouping attributes, functions, and sizes under both models."""
    rules, sizes = plans.rules(), plans.sizes()
    figures = rounded_alike(
        [value for s in sizes for value in (s.tuples, s.entries, s.entries_bound)]
    )
    return pd.DataFrame(
        {
            "Source": [rule.source for rule in rules],
            "Groups by": [rule.group_text for rule in rules],
            "Computes": [rule.functions_text for rule in rules],
            _TUPLES: figures[0::3],
            _EXPECTED: figures[1::3],
            _BOUND: figures[2::3],
        }
    )


def show(plans: AggregationPlans) -> None:
    """The table, and the rules in sentences."""
    st.dataframe(
        table(plans),
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(name, format="localized", help=help_text)
            for name, help_text in (
                (_TUPLES, "What other sources' tuples probe under LAP; of a relation, its rows"),
                (_EXPECTED, "Refined model: cells that are expected to be filled"),
                (_BOUND, "Equations 14 and 15: no more entries than tuples, nor than cells"),
            )
        },
        alt="The early aggregation of each source, and the size of its set",
    )
    for rule in plans.rules():
        st.markdown(f"- {plain(rule.why_group, 600)}.\n- {plain(rule.why_functions, 600)}.")

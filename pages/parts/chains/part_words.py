"""What the codes of parts mean that stand in the names of operators: `1/-`, `00/01`."""

from __future__ import annotations

import streamlit as st

from pages.parts.words import plain
from planner.operator_names import parts_of_plan
from planner.plan import Plan

# Of the parts that streams are split into, so many are told.
MOST_PARTS = 8


def show(*plans: Plan) -> None:
    """Which tuples each part of these plans holds; nothing where streams are not split."""
    if told := in_words(*plans):
        st.caption(f"Parts of the streams, a digit for each condition: {plain(told, 2000)}")


def in_words(*plans: Plan) -> str:
    """The same as a text."""
    parts = {code: words for plan in plans for code, words in parts_of_plan(plan).items()}
    told = [f"{code}: {words}" for code, words in list(parts.items())[:MOST_PARTS]]
    more = f"; and {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else ""
    return f"{'; '.join(told)}{more}." if told else ""

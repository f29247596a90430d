"""Which plans What-if compares: those of one family, or all that give the whole answer."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import planning
from pages.parts.whatif import scenarios
from planner.families.across import AcrossFamilies
from planner.families.protocol import Family


def chosen(family: Family) -> Family:
    """The family, or all together where several give the whole answer and that is asked for."""
    if sum(known.objective.is_lowest for known in planning.families()) < 2:
        return family
    asked = st.toggle(
        "All kinds of plans",
        key=scenarios.choice("whatif-across", (True, False), False),
        persist_state="session",
        help="Compares all kinds of plans that give the whole answer, by time or memory: what they "
        "have in common.",
    )
    return AcrossFamilies() if asked else family

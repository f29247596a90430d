"""What a card of the start page holds: a sample workload, a file to open, the tour."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.parts import opening, pictures, state
from pages.parts.samples import Sample
from pages.parts.words import plain


def sample(shown: Sample, primary: bool = False) -> None:
    """Picture, name and one sentence; the button opens the workload and leads to its plans."""
    workload = shown.workload
    names = ", ".join(stream.name for stream in workload.streams)
    into = "aggregation" if workload.queries[0].aggregates else "join"
    if len(workload.queries) > 1:
        into = f"{into} for {len(workload.queries)} queries"
    st.image(pictures.card(workload), width="stretch", alt=f"Streams {names} and their {into}")
    st.markdown(f"**{plain(workload.name)}**")
    with st.container(height="stretch"):
        st.caption(plain(workload.description, 300))
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    if st.button("Open", key=f"open-{shown.id}", type=kind, width="stretch"):
        state.open_workload(workload, shown.data)
        st.switch_page("pages/plans.py")


def open_file() -> None:
    """A workload file of the user's own."""
    st.markdown("**Your own workload**")
    st.caption("Streams, windows and queries in one file; the Workload page writes it for you.")
    opening.open_workload_file()


def tour() -> None:
    """What to do, in one minute."""
    st.markdown("**One minute with Sluice**")
    st.markdown(
        "1. **Open** a sample.\n"
        "2. **Plans** names the cheapest plan, draws it, and says why it wins.\n"
        "3. **Run** two of them on Spark: every comparison is counted.\n"
        "4. **Results** lays measured over predicted, and proves that all plans gave one answer.\n"
        "5. **Workload** changes rates, windows, queries or data: all costs follow at once."
    )

"""The cards of the start page: a sample workload, a file to open, the tour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from pages.parts.shared import state, views
from pages.parts.shared.formatting import plain
from pages.parts.shared.samples import Sample
from pages.parts.start import workload_picture

# Cards side by side.
A_ROW = 3


def row(subjects: Sequence[tuple[str, Sequence[Sample]]], primary: bool = False) -> None:
    """Cards side by side under their subjects; a subject without samples opens a file."""
    columns = iter(st.columns(A_ROW))
    for subject, shown in subjects:
        for place, card in enumerate(shown or [None]):
            with next(columns):
                if subject:
                    # Cards of a subject begin at the same height.
                    st.markdown(f"##### {subject if place == 0 else '&nbsp;'}", anchors=False)
                with st.container(border=True, height="stretch"):
                    if card is None:
                        open_file()
                    else:
                        sample(card, primary and place == 0)


def sample(shown: Sample, primary: bool = False) -> None:
    """Picture, name and description; the button opens the workload and its plans."""
    workload = shown.workload
    names = ", ".join(stream.name for stream in workload.streams)
    into = "aggregation" if workload.queries[0].aggregates else "join"
    if len(workload.queries) > 1:
        into = f"{into} for {len(workload.queries)} queries"
    st.image(
        workload_picture.card(workload), width="stretch", alt=f"Streams {names} and their {into}"
    )
    st.markdown(f"**{plain(workload.name)}**")
    with st.container(height="stretch"):
        st.caption(plain(workload.description, 300))
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    if st.button("Open", key=f"open-{shown.id}", type=kind, width="stretch"):
        state.open_workload(workload, shown.data)
        st.switch_page("pages/plans.py")


def open_file() -> None:
    """A workload file of the user's own."""
    st.caption("Streams, windows and queries in one file. The Workload page can write it for you.")
    views.open_workload_file()


def tour() -> None:
    """What to do, in one minute."""
    steps = (
        ("Open", "a sample, or a workload of your own."),
        ("Plans", "shows the cheapest plan and why it wins."),
        ("Run", "two of them on Spark, with every comparison counted."),
        (
            "Results",
            "compares measured with predicted, and checks that all plans gave the same answer.",
        ),
        ("Workload", "lets you change rates, windows, queries or data; all costs follow at once."),
    )
    st.markdown("**One minute with Sluice**")
    for number, (column, (page, text)) in enumerate(zip(st.columns(5), steps, strict=True), 1):
        column.markdown(f"{number}. **{page}** {text}")

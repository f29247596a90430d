"""What a card of the start page holds: a sample workload, a file to open, the tour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from pages.parts.shared import state
from pages.parts.shared.formatting import plain
from pages.parts.shared.samples import Sample
from pages.parts.start import file_opener, workload_picture

# Cards side by side.
A_ROW = 3


def row(subjects: Sequence[tuple[str, Sequence[Sample]]], primary: bool = False) -> None:
    """Cards side by side, each subject over its own; one without samples opens a file."""
    columns = iter(st.columns(A_ROW))
    for subject, shown in subjects:
        for place, card in enumerate(shown or [None]):
            with next(columns):
                if subject:
                    # The cards of a subject begin at one height.
                    st.markdown(f"##### {subject if place == 0 else '&nbsp;'}", anchors=False)
                with st.container(border=True, height="stretch"):
                    if card is None:
                        open_file()
                    else:
                        sample(card, primary and place == 0)


def sample(shown: Sample, primary: bool = False) -> None:
    """Picture, name and one sentence; the button opens the workload and leads to its plans."""
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
    st.caption("Streams, windows and queries in one file; the Workload page writes it for you.")
    file_opener.open_workload_file()


def tour() -> None:
    """What to do, in one minute."""
    steps = (
        ("Open", "a sample, or a workload of your own."),
        ("Plans", "names the cheapest plan, draws it, and says why it wins."),
        ("Run", "two of them on Spark: every comparison is counted."),
        ("Results", "lays measured over predicted, and proves that all plans gave one answer."),
        ("Workload", "changes rates, windows, queries or data: all costs follow at once."),
    )
    st.markdown("**One minute with Sluice**")
    for number, (column, (page, told)) in enumerate(zip(st.columns(5), steps, strict=True), 1):
        column.markdown(f"{number}. **{page}** {told}")

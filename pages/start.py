"""Start: a new workload, files to drop, samples as cards, recent runs and a one-minute tour."""

import streamlit as st

from pages.parts.shared import routing, samples
from pages.parts.start import cards

routing.ensure()

st.markdown("## Which plan is cheapest? See it, then measure it on Spark.", anchors=False)
files = cards.begin()
if files:
    cards.show_files(files)
else:
    cards.show()
    for place, subjects in enumerate(samples.rows()):
        cards.row(subjects, primary=place == 0)
    # Their pictures are drawn only where they are seen.
    more = st.expander("More samples", key="more-samples", on_change="rerun")
    if more.open:
        others = samples.more()
        with more:
            for first in range(0, len(others), cards.A_ROW):
                cards.row({"": others[first : first + cards.A_ROW]})
    with st.container(border=True):
        cards.tour()

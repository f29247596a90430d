"""Start: sample workloads as cards, a file to open, a one-minute tour, and recent runs."""

import streamlit as st

from pages.parts.shared import routing, samples
from pages.parts.start import cards

routing.ensure()

st.markdown(
    "# See what every plan of a stream query costs. Then measure it on Spark.", anchors=False
)
st.markdown(
    "Sluice predicts the cost of every plan for a sliding-window query: every join order, every "
    "way to aggregate before the join, every way for many queries to share one join. It runs the "
    "plans you choose, and compares measured with predicted costs."
)
cards.show()
with st.container(border=True):
    cards.tour()
for place, subjects in enumerate(samples.rows()):
    cards.row(subjects, primary=place == 0)
with st.expander("More samples", key="more-samples"):
    others = samples.more()
    for first in range(0, len(others), cards.A_ROW):
        cards.row({"": others[first : first + cards.A_ROW]})

"""Start: sample workloads as cards, a file of one's own, a one-minute tour, and the last runs."""

import streamlit as st

from pages.parts.shared import routing, samples
from pages.parts.start import cards, recent_runs

routing.ensure()

st.markdown(
    "# See what every plan of a stream query costs. Then measure it on Spark.", anchors=False
)
st.markdown(
    "Sluice prices all join orders of a sliding-window query, all ways to aggregate before its "
    "join, or all ways in which many queries can share one, runs the plans you choose, and lays "
    "what was measured over what was predicted."
)
recent_runs.show()
with st.container(border=True):
    cards.tour()
subjects = samples.by_subject()
cards.row([(samples.JOINS, subjects[samples.JOINS])], primary=True)
cards.row([(name, subjects[name]) for name in (samples.AGGREGATIONS, samples.OWN)])
cards.row([(samples.CHAINS, subjects[samples.CHAINS]), ("A workload of your own", [])])
with st.expander("More samples", key="more-samples"):
    others = samples.more()
    for first in range(0, len(others), cards.A_ROW):
        cards.row([("", others[first : first + cards.A_ROW])])

"""Start: sample workloads as cards, a file of one's own, and a one-minute tour."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.parts import cards, routing, samples

routing.ensure()

st.markdown(
    "# See what every plan of a stream query costs. Then measure it on Spark.", anchors=False
)
st.markdown(
    "Sluice prices all join orders of a sliding-window query, all ways to aggregate before its "
    "join, or all ways in which many queries can share one, runs the plans you choose, and lays "
    "what was measured over what was predicted."
)
every = samples.every()
shown: list[Callable[[], None]] = [
    partial(cards.sample, sample, primary=sample is every[0]) for sample in every
]
shown += [cards.open_file, cards.tour]
for first in range(0, len(shown), 3):
    for column, card in zip(st.columns(3), shown[first : first + 3], strict=False):
        with column, st.container(border=True, height="stretch"):
            card()

"""Papers: their figures, tables and worked examples; claims, predictions and measurements."""

import streamlit as st

from pages.parts.papers import (
    figure_page,
    figure_sweep,
    figure_tables,
    overview,
    worked_examples,
)
from pages.parts.shared import routing
from pages.parts.shared.formatting import plain

routing.ensure()
st.markdown("## Papers", anchors=False)
chosen = figure_page.pick()
worked_examples.links(chosen.paper)
overview.show(chosen.paper)
held = figure_page.shown(chosen)
with st.container(border=True):
    st.markdown(f"#### {plain(figure_page.answer(held), 400)}", anchors=False)
    st.markdown(plain(chosen.about, 400))
    figure_page.buttons(held)
figure_page.chart(held, figure_page.models(chosen))
figure_page.where(held)
figure_sweep.offer(chosen)
figure_tables.claims(chosen, held.figure)
if held.figure is not None and held.figure.points:
    st.markdown("### Every point", anchors=False)
    st.caption("Select a row, or click a point of the chart, to open its workload.")
    picked = figure_tables.points(chosen, held.figure)
    if picked is not None:
        figure_page.offer(picked)

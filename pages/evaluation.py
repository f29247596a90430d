"""Paper figures: a paper's evaluation as predicted curves, measured points, claims and ratios."""

import streamlit as st

from pages.parts import routing
from pages.parts.papers import evaluation, evaluation_tables
from pages.parts.words import plain

routing.ensure()
st.markdown("## Paper figures", anchors=False)
chosen = evaluation.pick()
held = evaluation.shown(chosen)
with st.container(border=True):
    st.markdown(f"#### {plain(evaluation.answer(held), 400)}", anchors=False)
    st.markdown(plain(chosen.about, 400))
    evaluation.controls(held)
evaluation.chart(held, evaluation.models(chosen))
evaluation.where(held)
evaluation_tables.claims(chosen, held.figure)
if held.figure is not None and held.figure.points:
    st.markdown("### Every point", anchors=False)
    st.caption("Select a row, or click a point of the chart, to open its workload.")
    picked = evaluation_tables.points(chosen, held.figure)
    if picked is not None:
        evaluation.offer(picked)

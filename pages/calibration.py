"""Calibration: what each kind of work takes on this machine, and how well that fits."""

import streamlit as st

from pages.parts import calibrating, clock, routing
from pages.parts.words import plain

routing.ensure()
st.markdown("## Calibration", anchors=False)
found = clock.calibration()
with st.container(border=True):
    st.markdown(f"#### {plain(calibrating.answer(found), 400)}", anchors=False)
    st.markdown(calibrating.ABOUT)
    calibrating.controls(found)
if found is not None:
    calibrating.units(found)
    calibrating.overhead(found)

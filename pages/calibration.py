"""Calibration: the time of each kind of work on this machine, and how well that fits."""

import streamlit as st

from pages.parts import calibration
from pages.parts.shared import routing, seconds
from pages.parts.shared.formatting import plain

routing.ensure()
st.markdown("## Calibration", anchors=False)
found = seconds.calibration()
with st.container(border=True):
    st.markdown(f"#### {plain(calibration.answer(found), 400)}", anchors=False)
    st.markdown(calibration.ABOUT)
    calibration.buttons(found)
if found is not None:
    calibration.units(found)
    calibration.overhead(found)

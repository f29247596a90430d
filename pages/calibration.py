"""Calibration: the time of each kind of work on this machine, and how well that fits."""

import streamlit as st

from pages.parts import calibration
from pages.parts.shared import routing
from pages.parts.shared.formatting import plain
from planner.seconds.calibration import kept_calibration

routing.ensure()
st.markdown("## Calibration", anchors=False)
found = kept_calibration()
with st.container(border=True):
    st.markdown(f"#### {plain(calibration.answer(found), 400)}", anchors=False)
    st.markdown(calibration.ABOUT)
    calibration.buttons(found)
if found is not None:
    calibration.units(found)
    calibration.overhead(found)

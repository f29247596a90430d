"""The router: the pages of Sluice, and nothing else."""

import streamlit as st

from pages.parts import links, messages, routing, warming

st.set_page_config("Sluice", ":material/water_lock:", layout="wide")
page = routing.navigation()
with messages.shown():
    links.restore()
with messages.shown():
    page.run()
links.keep()
warming.begin()

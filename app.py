"""The router: the pages of Sluice, and nothing else."""

import streamlit as st

from pages.parts import links, messages, routing, warming

st.set_page_config("Sluice", ":material/water_lock:", layout="wide")
page = st.navigation(
    [
        st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
        st.Page("pages/workload.py", title="Workload", icon=":material/edit_note:"),
        st.Page("pages/plans.py", title="Plans", icon=":material/account_tree:"),
        st.Page("pages/run.py", title="Run", icon=":material/play_circle:"),
        st.Page("pages/results.py", title="Results", icon=":material/monitoring:"),
    ],
    position="top",
)
routing.begin()
warming.begin()
with messages.shown():
    links.restore()
with messages.shown():
    page.run()
links.keep()

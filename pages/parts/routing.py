"""Every page must be run by the router, also the first one that a new process is asked for."""

import streamlit as st


def begin() -> None:
    """Called by the router."""
    st.session_state["routed"] = True


def ensure() -> None:
    """Called by pages: Streamlit runs what lies in `pages/` by itself until it meets a router."""
    if not st.session_state.get("routed"):
        st.rerun()

"""Share: the link to what is on the page, and the same as a file."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from pages.parts import charts, links, routing, state, views


def show(title: str) -> None:
    """The button, and behind it the link and the files."""
    with st.popover("Share", icon=":material/share:", type="tertiary"):
        link = links.query()
        if link is None:
            st.caption("This workload is too long for a link: take the file.")
        else:
            st.caption("A link to this page, with the workload and what is chosen in it.")
            st.code(f"{st.context.url or ''}?{urlencode(link)}", language=None, wrap_lines=True)
        name = charts.file_name(state.workload().name)
        # It is made by another thread, which knows no session: all that it needs is given to it.
        made = partial(
            views.to_file, routing.name_of(title), state.workload(), state.data(), views.chosen()
        )
        st.download_button(
            "View as a file",
            made,
            f"{name}-view.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            help="Open it again on the start page, here or elsewhere.",
        )

"""Share: the link to what is on the page, and the same as a file."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from pages.parts import charts, links, routing, state, views

_PLACE = "place of share"
# A link that holds a whole workload is long: it is scrolled.
_LONG, _TALL = 400, 160


def reserve(title: str) -> None:
    """Keep the button's place in the head of this page."""
    st.session_state[_PLACE] = (st.empty(), title)


def show() -> None:
    """The button, and behind it the link and the file. To be called by the router, after the page:
    what is chosen on it in this very run belongs to its link."""
    if _PLACE not in st.session_state:
        return
    place, title = st.session_state.pop(_PLACE)
    with place.popover("Share", icon=":material/share:", type="tertiary"):
        link = links.query()
        if link is None:
            st.caption("This workload is too long for a link: take the file.")
        else:
            st.caption("A link to this page, with the workload and what is chosen in it.")
            url = f"{st.context.url or ''}?{urlencode(link)}"
            tall: int | Literal["content"] = _TALL if len(url) > _LONG else "content"
            st.code(url, language=None, wrap_lines=True, height=tall)
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

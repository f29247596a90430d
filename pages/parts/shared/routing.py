"""The pages, and that the router runs every one of them."""

from __future__ import annotations

import gc
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st

_settling = Lock()
_settled: set[str] = set()

# Our own file: browsers would fetch a named icon from the internet.
_ICON = Path(__file__).with_name("icon.svg")
_STYLE = Path(__file__).with_name("page.css")

_PAGES = (
    ("start", "Start", ":material/home:"),
    ("workload", "Workload", ":material/edit_note:"),
    ("plans", "Plans", ":material/account_tree:"),
    ("whatif", "What-if", ":material/tune:"),
    ("run", "Run", ":material/play_circle:"),
    ("results", "Results", ":material/monitoring:"),
    ("calibration", "Calibration", ":material/speed:"),
    ("papers", "Papers", ":material/menu_book:"),
    ("teach", "Teach", ":material/school:"),
)


def navigation() -> st.Page:
    """The requested page. Called by the router."""
    st.session_state["routed"] = True
    st.set_page_config("Sluice", _ICON, layout="wide")
    st.html(_STYLE)
    return st.navigation(
        [
            st.Page(f"pages/{name}.py", title=title, icon=icon, default=name == "start")
            for name, title, icon in _PAGES
        ],
        position="top",
    )


def names() -> list[str]:
    """The names of all pages, which are the names of their files."""
    return [name for name, _, _ in _PAGES]


def name_of(title: str) -> str:
    """The name of the page with this title."""
    return next(name for name, known, _ in _PAGES if known == title)


def ensure() -> None:
    """Every page calls this first.

    Before the first `st.navigation` of a process, Streamlit runs the files in `pages/` directly:
    then start again through the router.
    """
    if not st.session_state.pop("routed", False):
        navigation()
        st.rerun()


_SCRIPT = Path(__file__).with_name("redraw.js")


@cache
def _redraw() -> Any:
    return st.components.v2.component("sluice-redraw", js=_SCRIPT.read_text())


def watch() -> None:
    """Have the browser check that the page is drawn. Called by the router."""
    _redraw()(key="sluice-redraw", height=0)


def settle(page: str) -> None:
    """Keep full garbage collections short, so that no click waits for one.

    Such a collection looks at everything that is loaded. With all modules of a page that takes
    about 200 ms, whenever much has been made: every fifth time or so that a slider moves. What
    is loaded once a page has been drawn stays until the process ends, and is not looked at again.
    """
    with _settling:
        if page in _settled:
            return
        _settled.add(page)
        gc.collect()
        gc.freeze()

"""The pages and their places, and the care that the router runs every one of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

# A file of ours: browsers would fetch a named icon, the pages' own included, from the internet.
_ICON = Path(__file__).with_name("icon.svg")

_PAGES = (
    ("start", "Start", ":material/home:"),
    ("workload", "Workload", ":material/edit_note:"),
    ("plans", "Plans", ":material/account_tree:"),
    ("run", "Run", ":material/play_circle:"),
    ("results", "Results", ":material/monitoring:"),
    ("calibration", "Calibration", ":material/speed:"),
    ("papers", "Paper figures", ":material/menu_book:"),
)


def navigation() -> st.Page:
    """The page that is asked for. To be called by the router."""
    st.session_state["routed"] = True
    st.set_page_config("Sluice", _ICON, layout="wide")
    return st.navigation(
        [
            st.Page(f"pages/{name}.py", title=title, icon=icon, default=name == "start")
            for name, title, icon in _PAGES
        ],
        position="top",
    )


def names() -> list[str]:
    """The names of all pages, which are those of their files."""
    return [name for name, _, _ in _PAGES]


def name_of(title: str) -> str:
    """The name of the page with this title."""
    return next(name for name, known, _ in _PAGES if known == title)


def ensure() -> None:
    """To be called by every page, first of all.

    Until a process has met `st.navigation`, Streamlit runs the files in `pages/` by itself when
    their address is asked for: then begin again, through the router.
    """
    if not st.session_state.pop("routed", False):
        navigation()
        st.rerun()


_SCRIPT = Path(__file__).with_name("redraw.js")


@cache
def _redraw() -> Any:
    return st.components.v2.component("sluice-redraw", js=_SCRIPT.read_text())


def watch() -> None:
    """Have the browser look whether the page is there. To be called by the router."""
    _redraw()(key="sluice-redraw", height=0)

"""A page that Streamlit has cleared by mistake is drawn again, by the browser itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_SCRIPT = Path(__file__).with_name("redraw.js")


@cache
def _redraw() -> Any:
    return st.components.v2.component("sluice-redraw", js=_SCRIPT.read_text())


def watch() -> None:
    """Have the browser look whether the page is there. To be called by the router."""
    _redraw()(key="sluice-redraw", height=0)

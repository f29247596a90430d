"""All charts are drawn here, with the same look and a file name to save each under.

The camera in a chart's corner saves a PNG; `saving.js` puts a button for an SVG beside it, and both
on the pictures of plans, which Streamlit draws without any.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st

from pages.parts.shared import figures

_SCRIPT = Path(__file__).with_name("saving.js")
# Longer names are cut by some systems.
_LONGEST = 80
# A saved PNG has twice the resolution of the screen, for paper and slides.
_SCALE = 2


def show(figure: go.Figure, alt: str, key: str | None = None) -> None:
    """Draw the chart; `alt` is its text alternative."""
    st.plotly_chart(figure, alt=alt, key=key, config=settings(figure))


def show_work(bars: figures.WorkBars, kinds: Sequence[str], field: str) -> None:
    """Draw a bar for each plan or operator, cut into kinds of work."""
    show(figures.stacked_work(bars, kinds, field), alt=figures.work_alternative(bars, field))


def pick(figure: go.Figure, alt: str, key: str) -> list[Any]:
    """Draw a chart whose points can be clicked; returns the clicked ones."""
    event: Any = st.plotly_chart(
        figure,
        alt=alt,
        key=key,
        on_select="rerun",
        selection_mode="points",
        config=settings(figure),
    )
    return list(event["selection"]["points"])


def _title(figure: go.Figure) -> str:
    return figure.layout.title.text or "figure"


def settings(figure: go.Figure) -> dict[str, Any]:
    """How a chart behaves, and the name of the file it is saved in."""
    name = file_name(_title(figure))
    return {"displaylogo": False, "toImageButtonOptions": {"filename": name, "scale": _SCALE}}


def picture(
    dot: str,
    alt: str,
    width: Literal["content", "stretch"] = "content",
    height: int | Literal["content"] = "content",
) -> None:
    """Draw a plan given as DOT."""
    st.graphviz_chart(dot, width=width, height=height, alt=alt)


def file_name(title: str) -> str:
    """A name for the file that a figure is saved in, without its ending.

    >>> file_name("Comparisons/s of S1,S2: predicted <b>beside</b> measured")
    'sluice-comparisons-s-of-s1-s2-predicted-beside-measured'
    """
    words = re.findall(r"[^\W_]+", re.sub(r"<[^>]*>", " ", title.lower()))
    return "-".join(["sluice", *words])[:_LONGEST].rstrip("-")


@cache
def _saving() -> Any:
    return st.components.v2.component("sluice-saving", js=_SCRIPT.read_text())


def offer_files() -> None:
    """Give all figures of the page buttons to save them. Called by the router."""
    _saving()(key="sluice-saving", height=0)

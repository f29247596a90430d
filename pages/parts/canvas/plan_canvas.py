"""A plan on the canvas: its operators, what each should cost, and what was measured.

The canvas is a component: `scene.py` says what it draws, Graphviz where, and the scripts beside
this file draw it. Clicks on operators are answered in the browser; folding comes back here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.canvas.graph_layout import Room
from pages.parts.canvas.scene import CanvasPlan, opened_at_first, scene
from pages.parts.shared import charts
from planner.plan.branches import branches

__all__ = ["CanvasPlan", "show"]

_FOLDER = Path(__file__).parent
_SCRIPTS = ("pointing.js", "icons.js", "formula.js", "panel.js", "drawing.js", "canvas.js")
# Of more branches, "Unfold all" gives a picture that cannot be read.
_MOST_UNFOLDED = 40
# Pixels: the lines below the picture, and what is free around it.
_FOOT, _MARGIN = 49, 16


@st.fragment
def show(drawn: CanvasPlan, key: str, height: int = 460, *, aspect: float = 1.4) -> None:
    """Draw the plan. A fragment: to fold a branch draws nothing else of the page.

    `aspect` is about the width of the place over its height.
    """
    key = f"canvas-{key}"
    room = Room(aspect * (height - _FOOT) - _MARGIN, height - _FOOT - _MARGIN)
    opened = _opened(drawn, room, (st.session_state.get(key) or {}).get("opened"))
    every = [branch.id for outer in branches(drawn.plan) for branch in outer.every()]
    data = scene(drawn, opened, room) | {
        "height": height,
        "foldable": bool(every),
        "every": every[: _MOST_UNFOLDED + 1],
        "most": _MOST_UNFOLDED,
        "file": charts.file_name(f"operators of {drawn.plan.label}"),
    }
    _component()(key=key, data=data, height=height, on_opened_change=lambda: None)


def _opened(drawn: CanvasPlan, room: Room, asked: Any) -> frozenset[str]:
    """The branches that the user has opened of this plan; what comes from a browser is checked."""
    if not isinstance(asked, dict) or asked.get("plan") != drawn.plan.id:
        return opened_at_first(drawn, room)
    known = {branch.id for outer in branches(drawn.plan) for branch in outer.every()}
    return frozenset(known & {str(name) for name in asked.get("branches") or ()})


@cache
def _component() -> Any:
    style = (_FOLDER / "canvas.css").read_text(encoding="utf-8")
    scripts = joined_scripts(*(_FOLDER / name for name in _SCRIPTS))
    return st.components.v2.component("sluice-canvas", js=scripts, css=style)


def joined_scripts(*paths: Path) -> str:
    """The scripts of a component, as one: components cannot import."""
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


# What parts of a page show of what the mouse points at in another one.
POINTING = _FOLDER / "pointing.js"

"""A plan on the canvas: its operators, what each should cost, and what was measured.

The canvas is a component: `scene.py` says what it draws, Graphviz where, and the scripts beside
this file draw it. Clicks on operators are answered in the browser; folding comes back here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.canvas.scene import CanvasPlan, opened_at_first, scene
from pages.parts.shared import charts
from planner.plan.branches import branches

__all__ = ["CanvasPlan", "show"]

_FOLDER = Path(__file__).parent
_SCRIPTS = ("icons.js", "formula.js", "panel.js", "drawing.js", "canvas.js")
# Of more branches, "Unfold all" gives a picture that cannot be read.
_MOST_UNFOLDED = 40


def show(
    drawn: CanvasPlan, key: str, height: int = 460, *, follow: bool = False, aspect: float = 1.4
) -> str | None:
    """Draw the plan; where `follow`, the page is drawn again after a click on an operator, and the
    operator's id is returned.

    `aspect` is about the width of the place over its height.
    """
    _canvas(drawn, f"canvas-{key}", height, follow, aspect)
    if not follow:
        return None
    clicked = _state(f"canvas-{key}").get("clicked")
    known = {operator.id for operator in drawn.plan.operators()}
    return clicked if isinstance(clicked, str) and clicked in known else None


@st.fragment
def _canvas(drawn: CanvasPlan, key: str, height: int, follow: bool, aspect: float) -> None:
    """A fragment: to fold a branch draws nothing else of the page."""
    before = _state(key).get("clicked")
    opened = _opened(drawn, _state(key).get("opened"))
    every = [branch.id for outer in branches(drawn.plan) for branch in outer.every()]
    data = scene(drawn, opened, aspect) | {
        "height": height,
        "follow": follow,
        "foldable": bool(every),
        "every": every[: _MOST_UNFOLDED + 1],
        "most": _MOST_UNFOLDED,
        "file": charts.file_name(f"operators of {drawn.plan.label}"),
    }
    found = _component()(
        key=key,
        data=data,
        height=height,
        on_opened_change=lambda: None,
        on_clicked_change=lambda: None,
    )
    told = st.session_state.setdefault(f"{key}-told", before)
    if follow and found.clicked != told:
        st.session_state[f"{key}-told"] = found.clicked
        st.rerun()


def _state(key: str) -> dict[str, Any]:
    found = st.session_state.get(key)
    return dict(found) if found else {}


def _opened(drawn: CanvasPlan, asked: Any) -> frozenset[str]:
    """The branches that the user has opened of this plan; what comes from a browser is checked."""
    if not isinstance(asked, dict) or asked.get("plan") != drawn.plan.id:
        return opened_at_first(drawn.plan)
    known = {branch.id for outer in branches(drawn.plan) for branch in outer.every()}
    return frozenset(known & {str(name) for name in asked.get("branches") or ()})


@cache
def _component() -> Any:
    scripts = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    styles = (_FOLDER / "canvas.css").read_text(encoding="utf-8")
    return st.components.v2.component("sluice-canvas", js=scripts, css=styles)

"""A join order as nested loops; a loop that the mouse points at is shown in other parts, too."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.canvas.plan_canvas import POINTING, joined_scripts
from pages.parts.families.protocol import PlanChoice
from planner.numbers import duration, figure
from planner.plan.by_operator import CPU
from planner.plan.objective import STATE
from planner.plan.plan_text import loop_nests

_SCRIPT = Path(__file__).with_name("loops.js")
_STYLE = """
pre { margin: 0; padding: 12px; overflow: auto; height: 100%; box-sizing: border-box;
  font: 12.5px var(--st-code-font, monospace); color: var(--st-text-color); border-radius: 8px;
  background: var(--st-secondary-background-color); }
.loop { cursor: default; }
.pointed { background: color-mix(in srgb, var(--st-primary-color) 25%, transparent); }
"""


def show(choice: PlanChoice, height: int, key: str) -> None:
    """The chosen plan as loops, with what each costs."""
    what, costs = _judged(choice)
    nests = loop_nests(*choice.priced, costs)
    data = {"nests": [[list(line) for line in nest] for nest in nests]}
    _component()(key=f"loops-{key}", data=data, height=height)
    st.caption(f"In brackets: {what} of each loop, and the rows per second it returns.")


def _judged(choice: PlanChoice) -> tuple[str, dict[str, str]]:
    """What loops are judged by, in words and for the probe of each; memory is in the window that a
    loop reads."""
    plan, _ = choice.priced
    found = choice.by_operator(choice.field)
    probes = [operator for operator in plan.operators() if operator.kind == "probe"]
    if choice.field == CPU:
        said = {probe.id: duration(found[probe.id] / 1e6) for probe in probes}
        return "CPU per second of stream", said
    if choice.field == STATE.part:
        windows = dict.fromkeys((str(probe.param("source")) for probe in probes), 0.0)
        for operator in plan.operators():
            if (name := dict(operator.params).get("source")) in windows:
                windows[str(name)] += found.get(operator.id, 0.0)
        return "tuples in the window", {
            probe.id: f"{figure(windows[str(probe.param('source'))])} held" for probe in probes
        }
    return "comparisons per second", {probe.id: f"{figure(found[probe.id])}/s" for probe in probes}


@cache
def _component() -> Any:
    return st.components.v2.component(
        "sluice-loops", js=joined_scripts(POINTING, _SCRIPT), css=_STYLE
    )

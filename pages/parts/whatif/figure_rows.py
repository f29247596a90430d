"""Curves of papers that vary more than one number: What-if follows their workloads one by one."""

from __future__ import annotations

import streamlit as st

from planner.errors import PlanError
from planner.experiments.registry import experiment
from planner.families.registry import family as family_named
from planner.time_limit import planning_limit
from planner.whatif.along import sweep_along
from planner.whatif.cells import MOST_SECONDS
from planner.whatif.sweeps import Sweep

_FIGURE = "figure:"


def text_of(name: str, curve: int) -> str:
    """How a link names a curve."""
    return f"{_FIGURE}{name}:{curve}"


def is_named(text: str) -> bool:
    """Whether this names a curve, and not an axis."""
    return text.startswith(_FIGURE)


@st.cache_resource(show_spinner="Pricing the plans along the curve", max_entries=16)
@planning_limit(MOST_SECONDS)
def swept(text: str) -> tuple[Sweep, str, tuple[str, ...]]:
    """The sweep, what varies, and what its places are called; a PlanError where none is named."""
    name, _, number = text.removeprefix(_FIGURE).rpartition(":")
    found = experiment(name)
    if not number.isdigit() or int(number) >= len(found.curves):
        raise PlanError(f"no curve {number!r}; there are {len(found.curves)}", name)
    points = found.curves[int(number)].points
    family = family_named(points[0].family)
    along = sweep_along(found.x.title, [point.workload for point in points], family)
    return along, found.x.title, tuple(str(point.x) for point in points)

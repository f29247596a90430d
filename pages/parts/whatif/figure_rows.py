"""Curves of papers that vary more than one number: What-if follows their workloads one by one."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import planning
from planner.errors import PlanError
from planner.experiments.experiment import Curve, Experiment
from planner.experiments.registry import experiment
from planner.families.registry import family as family_named
from planner.seconds.calibration import calibrated_units, calibration_stamp
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


Along = tuple[Sweep, str, tuple[str, ...]]


def swept(text: str) -> Along:
    """The sweep, what varies, and what its places are called; a PlanError where none is named.

    Plans are ranked by what the page has chosen, in the seconds of this machine.
    """
    found, curve = _named(text)
    first = curve.points[0]
    by = planning.objective(first.family, first.workload).name
    places = tuple(str(point.x) for point in curve.points)
    return _swept(text, by, calibration_stamp()), found.x.title, places


def _named(text: str) -> tuple[Experiment, Curve]:
    name, _, number = text.removeprefix(_FIGURE).rpartition(":")
    found = experiment(name)
    if not number.isdigit() or int(number) >= len(found.curves):
        raise PlanError(f"no curve {number!r}; there are {len(found.curves)}", name)
    return found, found.curves[int(number)]


@st.cache_resource(show_spinner="Pricing the plans along the curve", max_entries=16)
@planning_limit(MOST_SECONDS)
def _swept(
    text: str,
    by: str,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> Sweep:
    found, curve = _named(text)
    family = family_named(curve.points[0].family)
    row = [point.workload for point in curve.points]
    return sweep_along(found.x.title, row, family, by, calibrated_units())

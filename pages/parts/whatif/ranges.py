"""Which numbers a workload has to vary, what they are called, and the values they may take."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared.state import BY_DIGEST
from pages.parts.whatif.number_titles import is_rate
from planner.errors import PlanError
from planner.families.across import family_or_all
from planner.families.capabilities import Sketched
from planner.families.protocol import Family, PlanSpace
from planner.numbers import amount
from planner.seconds.calibration import calibrated_units
from planner.whatif.axes import Axis, spaced_axis
from planner.whatif.numbers.path import Path
from planner.whatif.sweep_paths import path_in, paths
from planner.workload.workload import Workload

# A slider goes so many times up and down from where it is now, in so many steps.
SPAN, STEPS = 10.0, 20
# What is less than so many times the best is called as good.
_ALIKE = 1.005
MOST_RAIL = 5


def varied(workload: Workload, family: Family) -> dict[str, Path]:
    """The numbers that can be varied here, by path: those that have a value now, and those that
    the family's plans depend on once they are declared."""
    found = {text: path_in(workload, text) for text in paths(workload)}
    declared = {text: path for text, path in found.items() if path.value}
    others = {text: path for text, path in found.items() if not path.value and path.usual}
    known = set(_effective(workload, family.name, tuple(others)))
    return {text: path for text, path in found.items() if text in declared or text in known}


@st.cache_data(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def _effective(workload: Workload, name: str, texts: tuple[str, ...]) -> list[str]:
    """Those of the numbers that are not declared which change what the plans cost."""
    family = family_or_all(name)
    found = []
    before = _best_score(family, workload)
    for text in texts:
        path = path_in(workload, text)
        try:
            after = _best_score(family, path.change(path.usual or 1.0))
        except PlanError:
            continue
        if after != before:
            found.append(text)
    return found


def _best_score(family: Family, workload: Workload) -> float:
    ranking = _space(family, workload).rank(top=1)
    return ranking.of(ranking.best).score


def _space(family: Family, workload: Workload) -> PlanSpace:
    make = family.sketch if isinstance(family, Sketched) else family.space
    return make(workload, calibrated_units())


def usual(workload: Workload, family: Family) -> list[str]:
    """The numbers that the rail shows at first: rates, and what the execution declares."""
    known = varied(workload, family)
    rates = [path for path in known if is_rate(path)]
    settings = [
        path for path, place in known.items() if path.startswith("execution.") and place.value
    ]
    return [*rates[:MOST_RAIL], *settings][: MOST_RAIL + 1]


def usual_number(workload: Workload) -> str:
    """The number to vary at first: what the execution declares of load or memory, else a rate."""
    known = [text for text in paths(workload) if path_in(workload, text).value]
    preferred = (f"execution.{name}" for name in ("utilisation", "memory"))
    rates = (text for text in known if is_rate(text))
    return next((text for text in preferred if text in known), None) or next(rates, known[0])


def options(path: Path, chosen: float | None) -> list[float]:
    """The values of a slider, the present one and the chosen one among them; 0 stands for what is
    not declared."""
    now = path.value or path.usual or 1.0
    if path.most == 1.0:
        values = [step / STEPS for step in range(1, STEPS + 1)]
    else:
        scale = [SPAN ** (2 * step / STEPS - 1) for step in range(STEPS + 1)]
        values = [min(float(f"{now * factor:.3g}"), path.most) for factor in scale]
    if path.integer:
        values = [float(max(1, round(value))) for value in values]
    declared = (float(now),) if path.value else (0.0, float(now))
    return sorted({*values, *declared, *(() if chosen is None else (chosen,))})


def shown(value: float) -> str:
    """A number with three digits, as people say it: 16,100."""
    return amount(float(f"{value:.3g}"))


def beside_best(times: float) -> str:
    """What a plan costs where another may be the best: `as good as the best`, `1.2x the best`."""
    return f"{shown(times)}x the best" if times >= _ALIKE else "as good as the best"


def usual_axis(workload: Workload, path: str, steps: int) -> Axis:
    """From a tenth to ten times of what it is now."""
    place = path_in(workload, path)
    now = place.value or place.usual or 1.0
    low, high = now / SPAN, min(now * SPAN, place.most)
    if place.integer:
        low = max(low, 1.0)
    return spaced_axis(path, float(f"{low:.4g}"), float(f"{high:.4g}"), steps, is_log=True)


def axis_text(axis: Axis) -> str:
    """The axis as the command line writes it."""
    first, last = axis.values[0], axis.values[-1]
    return f"{axis.path}={first:g}:{last:g}:{len(axis.values)}{':log' if axis.is_log else ''}"

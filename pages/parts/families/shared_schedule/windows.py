"""The windows of a shared join in words and colours: the same in every figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from plotly.colors import sample_colorscale

from pages.parts.shared import planning
from pages.parts.shared.figures import PALETTE
from pages.parts.shared.formatting import safe
from planner.families.shared_schedule import SharedSchedule
from planner.families.shared_schedule.model import ScheduleModel
from planner.families.shared_schedule.space import Schedules
from planner.numbers import shortened
from planner.workload.validation import listed
from planner.workload.workload import Workload

T = TypeVar("T")

# With more windows, colours run along a scale, and only some are named in a legend.
FEW = 7
# Of more windows the largest and the smallest are shown as bars.
MOST_BARS = 12


def schedules(workload: Workload) -> Schedules:
    """The schedules of a workload."""
    return planning.capable(SharedSchedule.name, workload, Schedules)


def unit_of(model: ScheduleModel) -> str:
    """What windows are measured in."""
    return "rows" if model.group.unit == "rows" else "s"


def part_name(model: ScheduleModel, place: int) -> str:
    """A partial window: `[5, 15) s`."""
    bounds = (0, *model.windows)
    start, end = (model.group.text_of(bounds[at]) for at in (place, place + 1))
    return f"[{start}, {end}) {unit_of(model)}"


def colours(count: int) -> list[str]:
    """A colour for every partial window, smallest first."""
    if count <= FEW:
        return list(PALETTE[:count])
    return list(sample_colorscale("Cividis", [n / (count - 1) for n in range(count)]))


def is_named(place: int, count: int) -> bool:
    """Whether a legend names a partial window: all, or some along the scale."""
    return count <= FEW or place % -(-count // FEW) == 0 or place == count - 1


def row_name(model: ScheduleModel, place: int) -> str:
    """The queries of a window, and the window: `Q1, Q4 · 5 s`."""
    queries = listed((shortened(member.query, 16) for member in model.members[place]), 2)
    return safe(f"{queries} · {model.group.text_of(model.windows[place])} {unit_of(model)}")


def ends(places: Sequence[T]) -> tuple[T, ...]:
    """All places, or the first and the last where there are too many to be read."""
    half = MOST_BARS // 2
    return tuple(places) if len(places) <= MOST_BARS else (*places[:half], *places[-half:])

"""Which unit costs turn a workload's estimates into seconds: declared, calibrated, or defaults."""

from __future__ import annotations

from planner.cost import UnitCosts, Units
from planner.default_units import DEFAULT_UNITS
from planner.workload import Workload

# Ranked by seconds are so many plans at most, those cheapest by their score, where the seconds of a
# plan are added up over its operators.
MOST_TIMED = 256


def declared_units(workload: Workload) -> UnitCosts | None:
    """The clock of work that a workload declares, if it does; what it leaves out takes no time."""
    given = workload.execution.unit_costs
    return None if given is None else UnitCosts(Units(**given), "declared by the workload")


def units_of(workload: Workload, calibrated: UnitCosts | None = None) -> UnitCosts:
    """The declared unit costs; else this machine's, if it was calibrated; else defaults."""
    return declared_units(workload) or calibrated or DEFAULT_UNITS

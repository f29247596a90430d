"""Which unit costs turn a workload's estimates into seconds: declared, calibrated, or defaults."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from planner.plan.cost import UnitCosts, Units
from planner.workload.workload import Workload

# Those of another machine, by kind of operator. `python -m bench.default_units` writes it.
DEFAULTS = Path(__file__).with_name("default_units.json")
# Where the unit costs of another machine come from.
NOT_CALIBRATED = "not calibrated"


@cache
def default_units() -> UnitCosts:
    """The unit costs where none are declared and none are calibrated."""
    found = json.loads(DEFAULTS.read_text())
    kinds = {kind: Units(**seconds) for kind, seconds in found.items()}
    return UnitCosts(Units(), NOT_CALIBRATED, kinds)


def declared_units(workload: Workload) -> UnitCosts | None:
    """The clock of work that a workload declares, if it does; what it leaves out takes no time."""
    given = workload.execution.unit_costs
    return None if given is None else UnitCosts(Units(**given), "declared by the workload")


def units_of(workload: Workload, calibrated: UnitCosts | None = None) -> UnitCosts:
    """The declared unit costs; else this machine's, if it was calibrated; else defaults."""
    return declared_units(workload) or calibrated or default_units()

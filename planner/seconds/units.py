"""Which unit costs turn a workload's estimates into seconds: declared, calibrated, or defaults."""

from __future__ import annotations

from planner.plan.cost import UnitCosts, Units
from planner.workload.workload import Workload

DEFAULT_UNITS = UnitCosts(
    Units(),
    "not calibrated",
    {
        "multiway insert": Units(insert=1.07e-07),
        "multiway table": Units(insert=1.07e-07),
        "multiway expire": Units(),
        "multiway batch": Units(given=9.38e-08),
        "multiway probe scan": Units(compare=8.58e-11, given=1.96e-08),
        "multiway probe hash": Units(given=2.63e-08),
        "multiway output": Units(output=4.93e-09),
        "loops insert": Units(insert=1.62e-07),
        "loops table": Units(insert=1.62e-07, expire=1.64e-07, output=3.84e-08),
        "loops expire": Units(expire=1.64e-07),
        "loops batch": Units(given=4.89e-07),
        "loops arrive": Units(output=3.84e-08),
        "loops filter": Units(compare=9.12e-10),
        "loops output": Units(output=4.34e-08, given=1.24e-08),
        "loops probe each": Units(compare=2.73e-08, given=3.74e-08),
        "loops probe scan": Units(compare=2.35e-10, given=3.74e-08),
        "loops probe hash": Units(given=3.74e-08),
        "loops probe scan checked": Units(compare=1.25e-09, given=3.74e-08),
        "loops probe hash checked": Units(compare=3.38e-08, given=3.74e-08),
        "relations insert": Units(insert=4.99e-07),
        "relations table": Units(insert=4.99e-07, expire=9.16e-08, output=2.08e-07),
        "relations expire": Units(expire=9.16e-08),
        "relations batch": Units(given=9.49e-08),
        "relations arrive": Units(output=2.08e-07),
        "relations filter": Units(compare=1.13e-07),
        "relations output": Units(given=1.72e-07),
        "relations probe each": Units(compare=2.73e-08, given=5.73e-08),
        "relations probe scan": Units(compare=1.52e-10, given=5.73e-08),
        "relations probe hash": Units(compare=1.41e-08, given=5.73e-08),
        "relations probe scan checked": Units(compare=1.25e-09, given=5.73e-08),
        "relations probe hash checked": Units(compare=3.38e-08, given=5.73e-08),
        "aggregation insert": Units(insert=2.2e-07),
        "aggregation table": Units(insert=2.2e-07, expire=1.62e-08),
        "aggregation expire": Units(expire=1.62e-08),
        "aggregation batch": Units(given=3.2e-07),
        "aggregation filter": Units(),
        "aggregation probe each": Units(compare=1.32e-09, given=7.36e-08),
        "aggregation probe scan": Units(compare=1.32e-09, given=7.36e-08),
        "aggregation probe hash": Units(compare=1.32e-09, given=7.36e-08),
        "aggregation probe scan checked": Units(compare=5.54e-09, given=7.36e-08),
        "aggregation probe hash checked": Units(compare=5.54e-09, given=7.36e-08),
        "aggregation aggregate": Units(compare=5.28e-09, group_update=9.99e-09),
        "aggregation update": Units(compare=5.28e-09, group_update=9.59e-09),
        "aggregation output": Units(output=3.91e-09),
        "slices arrive": Units(output=1.55e-07),
        "slices filter": Units(),
        "slices slice": Units(compare=4.87e-09, insert=2.72e-08, given=5.24e-08),
        "slices probe scan": Units(compare=1.24e-10, output=2.43e-08),
        "slices probe hash": Units(compare=7.21e-09, output=2.43e-08),
        "slices probe each": Units(output=2.43e-08),
        "slices probe scan checked": Units(output=2.43e-08),
        "slices probe hash checked": Units(output=2.43e-08),
        "slices route": Units(compare=4.98e-10),
        "slices select": Units(compare=4.03e-08),
        "slices union": Units(compare=5.09e-09),
        "slices output": Units(),
        "slices batch": Units(output=0.000401, given=5.34e-08),
        # Scans as those of slices, which have the same inner loops.
        "schedule arrive": Units(output=1.55e-07),
        "schedule scan": Units(compare=1.24e-10, insert=2.72e-08, output=2.43e-08),
        "schedule hash": Units(compare=7.21e-09, insert=2.72e-08, output=2.43e-08),
        "schedule serve": Units(),
        "schedule route": Units(compare=4.98e-10),
        "schedule filter": Units(compare=4.03e-08),
        "schedule output": Units(),
        "schedule batch": Units(given=5.34e-08),
    },
)


def declared_units(workload: Workload) -> UnitCosts | None:
    """The clock of work that a workload declares, if it does; what it leaves out takes no time."""
    given = workload.execution.unit_costs
    return None if given is None else UnitCosts(Units(**given), "declared by the workload")


def units_of(workload: Workload, calibrated: UnitCosts | None = None) -> UnitCosts:
    """The declared unit costs; else this machine's, if it was calibrated; else defaults."""
    return declared_units(workload) or calibrated or DEFAULT_UNITS

"""Scheduling a shared join: in which order the tuples of one join are served for many queries."""

from __future__ import annotations

from planner.families.protocol import PlanSpace
from planner.families.shared_schedule.objectives import DELAY
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective
from planner.workload.workload import Workload

NAME = "shared_schedule"


class SharedSchedule:
    """One shared join under LWO, SWF, MQT, and policies for weights, deadlines and fairness."""

    name: str = NAME
    objective: Objective = DELAY
    symbols: str = (
        "λ: rate of a stream; W: the largest window, w: another; β: the share of a window in one "
        "bucket; S: the share of pairs that join; R: matches per second younger than a window; "
        "σ: the share that passes; D: how long a tuple waits until its scan is complete, H: how "
        "long a match is held. After Hammad et al. 2003."
    )
    cites: tuple[str, ...] = (
        "M. Hammad, M. Franklin, W. Aref, A. Elmagarmid. Scheduling for Shared Window Joins over "
        "Data Streams. VLDB 2003.",
    )

    sketch_note: str = "delays are simulated on samples a fiftieth as large"

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why no one join can be scheduled here; None when it can."""
        from planner.families.shared_schedule.model import why_not

        return why_not(workload)

    def is_asked_for(self, workload: Workload) -> bool:
        """Whether a load is stated, or how long queries may wait: only delays depend on these.

        With a bound on memory, a load is that of a server that sheds.
        """
        execution = workload.execution
        loaded = execution.utilisation is not None and execution.memory is None
        return loaded or any(
            query.deadline is not None or query.weight != 1 for query in workload.queries
        )

    def title(self, label: str, workload: Workload | None = None) -> str:  # noqa: ARG002
        from planner.families.shared_schedule.titles import title

        return title(label)

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The plans of a workload: one for each policy."""
        from planner.families.shared_schedule.space import Schedules

        return Schedules(workload, units)

    def sketch(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The policies without slices, simulated on small samples."""
        from planner.families.shared_schedule.space import Schedules

        return Schedules(workload, units, sketched=True)

"""Shedding: which tuples to keep where memory is too small for the windows of a star join."""

from __future__ import annotations

from planner.families.load_shedding.objectives import SUM_OF_IMPORTANCE
from planner.families.protocol import PlanSpace
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective
from planner.workload.workload import Workload

NAME = "load_shedding"


class LoadShedding:
    """A star join under a memory bound: each policy keeps other tuples, and so loses others."""

    name: str = NAME
    objective: Objective = SUM_OF_IMPORTANCE
    symbols: str = (
        "λ: rate of a stream after its conditions; T: its window; R: rows of the relation; p: the "
        "share of tuples with an active row; n: rows found per tuple; k: tuples that may be kept; "
        "α: the share of tuples that are admitted; χ: the share at whose arrival one must go; "
        "ε: the share that expires; H: tuples held; ρ: exact results per second; φ: the share of "
        "them that is found. After Towne et al. 2007."
    )
    cites: tuple[str, ...] = (
        "K. Towne, Q. Zhu, C. Zuzarte, W.-C. Hou. Window Query Processing for Joining Data Streams "
        "with Relations. CASCON 2007.",
    )

    sketch_note: str = "policies are simulated on samples a tenth as large"

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why nothing can be shed here; None when it can."""
        from planner.families.load_shedding.coverage import refusal

        return refusal(workload)

    def is_asked_for(self, workload: Workload) -> bool:
        """Whether a memory bound is stated: only this family reads it."""
        return workload.execution.memory is not None

    def title(self, label: str, workload: Workload | None = None) -> str:  # noqa: ARG002
        from planner.families.load_shedding.titles import title

        return title(label)

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The plans of a workload: one for each policy."""
        from planner.families.load_shedding.space import Policies

        return Policies(workload, units)

    def sketch(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The same, simulated on small samples."""
        from planner.families.load_shedding.space import Policies

        return Policies(workload, units, effort=0.1)

"""What only some families can do. A caller asks a plan space for it, and may get None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from planner.families.protocol import PlanSpace
from planner.plan.cost import Cost, UnitCosts
from planner.plan.index_advice import Advice
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.workload.workload import Workload


@runtime_checkable
class IndexAdvice(Protocol):
    """Says which windows to index."""

    def advise(self, buckets: int, upkeep: bool = False, units: UnitCosts | None = None) -> Advice:
        """Which windows to index within a budget of buckets; with upkeep, that counts too."""


@runtime_checkable
class FluctuatingOnTop(Protocol):
    """Knows the plan that is made for streams whose rates fluctuate."""

    def fluctuating_on_top(self, streams: Sequence[str]) -> str | None:
        """The best plan of those with these streams on top; None where none is listed."""


@runtime_checkable
class Clocked(Protocol):
    """Serves tuples on a clock of work, which a utilisation that is stated scales."""

    def real_load(self) -> float:
        """Seconds of work that arrive per second, before they are scaled."""


@runtime_checkable
class Preferred(Protocol):
    """A family that knows by what a workload states that its plans are wanted."""

    def is_asked_for(self, workload: Workload) -> bool:
        """Whether the workload states something that only this family reads."""


@runtime_checkable
class Sketched(Protocol):
    """A family whose plans take long to price, and that can do it roughly: for many cells.

    `sketch_note` says in half a sentence how.
    """

    sketch_note: str

    def sketch(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The plans of a workload, priced roughly."""


@runtime_checkable
class SampledScores(Protocol):
    """A space in which some scores are simulated on samples."""

    def standard_error(self, label: str, by: Objective) -> float:
        """About the standard error of a plan's score, as a share of it; 0 where it is exact."""

    @property
    def simulated_steps(self) -> int:
        """How many steps it takes to simulate all listed plans: the same on every machine, on which
        each takes one to two microseconds."""

    def score_model(self, label: str, by: Objective) -> str | None:
        """How a plan's score is predicted; None where it is added up from operators."""


@runtime_checkable
class Titled(Protocol):
    """A family whose plans have names for people, by their labels alone."""

    def title(self, label: str, workload: Workload | None = None) -> str:
        """What people call the plan with this label; a workload says what its sources are."""


@runtime_checkable
class Changes(Protocol):
    """Queries may enter and leave while a plan runs, and the plan may be switched.

    `strategies` are labels that stand for the best plan in some sense, whatever the queries are.
    """

    strategies: tuple[str, ...]

    def label_after_change(self, plan: Plan, asked: str) -> str:
        """What to ask for when the queries change, where `asked` gave this plan."""

    def cost_of_entered(self, plan: Plan, entered: Mapping[str, int]) -> Mapping[str, Cost]:
        """By operator id what a plan costs more because these queries entered at these times."""


@runtime_checkable
class Switching(Protocol):
    """The plan may be switched while it runs: what is stored stays, and serves the new plan."""

    def moved(self, before: Plan, after: Plan) -> Cost:
        """The work of a switch, in all: what the new plan needs beside what is stored."""

    def why_not_switched(self, before: Plan, after: Plan) -> str | None:
        """Why what one plan stores cannot serve the other; None where it can."""

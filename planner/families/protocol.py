"""The Family and PlanSpace protocols: a way to answer workloads, and the plans of one workload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload

T = TypeVar("T")

MOST_CANDIDATES = 50_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in a ranking: its label and what it should cost, without its operators."""

    label: str
    cost: Cost
    score: float
    tags: tuple[str, ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates best first (ties by label). `considered` counts the plans that were compared.

    `truncated` says that plans exist beyond those that could be listed.
    """

    candidates: tuple[Candidate, ...]
    best: str
    baseline: str
    considered: int
    truncated: bool
    by: Objective
    excluded: tuple[tuple[str, str], ...] = ()

    def of(self, label: str) -> Candidate:
        return next(found for found in self.candidates if found.label == label)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A ranking in words: which plan wins and because of what, and what the list leaves out.

    `why` are the steps of the search, one sentence each; they are worked out when asked for.
    """

    answer: str
    notes: tuple[str, ...]
    steps: Callable[[], tuple[str, ...]] = field(compare=False, repr=False)

    @property
    def why(self) -> tuple[str, ...]:
        """The search as steps that a person can follow."""
        return self.steps()


class PlanSpace(Protocol):
    """The plans of one workload. Its model is built once.

    The first of `objectives` is what plans are ranked by unless another is asked for.
    """

    workload: Workload
    units: UnitCosts
    objectives: tuple[Objective, ...]

    def objective(self, name: str | None) -> Objective:
        """The objective with this name, None for the default; a PlanError names those there are."""

    def candidates(self) -> Iterator[Plan]:
        """Yield plans lazily, the baseline first. Search bounds the count."""

    def best(self, by: Objective | None = None) -> Plan:
        """The best plan, found without enumerating where the space is large."""

    def plan(self, label: str) -> Plan:
        """The plan with this label; a PlanError that says what labels look like otherwise."""

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans with these labels, in turn."""

    def rank(self, by: Objective | None = None, top: int | None = None) -> Ranking:
        """The `top` best and the baseline, without building operators; None lists all it may."""

    def scores(self, labels: Sequence[str], by: Objective | None = None) -> tuple[float, ...]:
        """The scores by which the plans with these labels rank; a PlanError names a wrong one."""

    def title(self, label: str) -> str:
        """What people call the plan with this label: short, and unlike those beside it."""

    def lasting(self, label: str) -> str:
        """What a plan is called where windows or queries vary, if its label names them."""

    def estimate(self, plan: Plan) -> Estimate:
        """Price every operator of the plan; none may be missing."""

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        """The plan's work as what takes a kernel's time, of costs predicted or measured."""

    def explanation(self, ranking: Ranking) -> Explanation:
        """Which plan wins, by how much and because of what, in words."""

    def facts(self, label: str) -> tuple[str, ...]:
        """What about the inputs speaks for the plan with this label, a sentence each."""

    def capability(self, kind: type[T]) -> T | None:
        """What only some families can do (`capabilities`); None where this one cannot."""


class Family(Protocol):
    """A way to answer workloads. `symbols` says what the letters in its formulas mean.

    `objective` is what its plans are ranked by, and its runs summed up by, unless another is asked
    for. A space may weigh it by what its workload declares.
    """

    name: str
    objective: Objective
    symbols: str
    cites: tuple[str, ...]

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why this family does not apply; None when it does."""

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The plans of a workload; a PlanError with the reason where it refuses.

        Unit costs that the workload declares come first, then those given, then defaults.
        """

"""The Family protocol: a way to answer a workload, and what is asked of every such way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planner.plan.cost import Cost, Estimate, Quality, UnitCosts
from planner.plan.plan import Plan
from planner.workload.workload import Workload

MOST_CANDIDATES = 50_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in a ranking: its label and what it should cost, without its operators."""

    label: str
    cost: Cost
    score: float
    tags: tuple[str, ...] = ()
    qualities: Mapping[str, Quality] | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates best first (ties by label). `considered` counts the plans that were compared.

    `truncated` says that plans exist beyond those that could be listed. `notes` are sentences that
    belong to the list.
    """

    candidates: tuple[Candidate, ...]
    best: str
    baseline: str
    considered: int
    truncated: bool
    rank_by: str
    excluded: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Family(Protocol):
    """A way to answer a workload: which plans exist, and what each should cost.

    `ranked_by` is the part of a `Cost` that plans are ranked by; `symbols` says what the letters
    in the formulas stand for.
    """

    name: str
    ranked_by: str
    symbols: str
    cites: tuple[str, ...]

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why this family does not apply; None when it does."""

    def candidates(self, workload: Workload) -> Iterator[Plan]:
        """Yield plans lazily, the naive one first. Search bounds the count."""

    def best(self, workload: Workload) -> Plan:
        """The cheapest plan, found without enumerating where the space is large."""

    def plan(self, workload: Workload, label: str) -> Plan:
        """The plan with this label; a PlanError that says what labels look like otherwise."""

    def plans(self, workload: Workload, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans with these labels, in turn; for many it is faster than asking for each."""

    def rank(
        self,
        workload: Workload,
        top: int | None,
        units: UnitCosts | None = None,
        by_seconds: bool = False,
    ) -> Ranking:
        """The `top` best and the baseline, without building operators; None lists all it may.

        Unit costs fill in the candidates' seconds; `by_seconds` ranks by them. Those that a
        workload declares come first; without any there are defaults.
        """

    def scores(self, workload: Workload, labels: Sequence[str]) -> tuple[float, ...]:
        """The scores by which the plans with these labels rank; a PlanError names a wrong one."""

    def lasting(self, label: str) -> str:
        """What a plan is called where windows or queries vary, if its label names them."""

    def estimate(self, plan: Plan, workload: Workload) -> Estimate:
        """Price every operator of the plan; none may be missing."""

    def why(self, workload: Workload) -> tuple[str, ...]:
        """The search told as steps a person can follow, one sentence each."""

    def answer(self, workload: Workload, ranking: Ranking) -> str:
        """One sentence: which plan wins, by how much, and because of what."""

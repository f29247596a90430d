"""The policies of one star join: listed, priced, ranked and explained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from planner.errors import PlanError
from planner.families.base import ListedSpace
from planner.families.load_shedding import NAME, explain, frontier, switching, titles
from planner.families.load_shedding.frontier import MemoryPoint, SplitPoint
from planner.families.load_shedding.labels import EXACT, LABELS, OFFLINE
from planner.families.load_shedding.model import model_of
from planner.families.load_shedding.objectives import RECALL, SUM_OF_IMPORTANCE, bounded
from planner.families.load_shedding.plans import BuiltShedding, built
from planner.families.load_shedding.prediction.predictions import SheddingPredictions
from planner.families.load_shedding.pricing import estimated, shedding_work
from planner.families.protocol import Explanation, Ranking
from planner.numbers import figure
from planner.plan.cost import Cost, Estimate, UnitCosts, total
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload


class Policies(ListedSpace):
    """A star join under every policy. The exact plan is listed first, and never the best."""

    baseline = EXACT

    def __init__(
        self, workload: Workload, units: UnitCosts | None = None, effort: float = 1.0
    ) -> None:
        self.model = model_of(workload)
        self.predictions = SheddingPredictions(self.model, effort)
        super().__init__(workload, units, SUM_OF_IMPORTANCE)
        default, *others = self.objectives
        self.objectives = (default, RECALL, *map(bounded, others))
        self._estimates: dict[str, Estimate] = {}

    @cached_property
    def labels(self) -> Sequence[str]:
        """The plans that are listed: all that can be predicted."""
        left_out = {label for label, _ in self.predictions.unpredicted}
        return [label for label in LABELS if label not in left_out]

    @property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Policies that are left out, and why."""
        return self.predictions.unpredicted

    def built(self, label: str) -> BuiltShedding:
        """A plan, and what its operators are about."""
        return built(self.model.query, self.model.star, self.checked(label))

    def checked(self, label: str) -> str:
        """The label, if there is such a plan; else a PlanError that says why there is not."""
        if label not in LABELS:
            raise PlanError(f"no plan {label!r}; there are {', '.join(LABELS)}", NAME)
        if label in OFFLINE and (reason := self.model.without_optimum) is not None:
            raise PlanError(f"{label} is not there: {reason}", NAME)
        return label

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels: `SIMP-S`, `OSSJ`."""
        return (self.built(label).plan for label in labels)

    def estimate(self, plan: Plan) -> Estimate:
        """Price every operator, and predict importance and recall."""
        return self._estimate(plan.label)

    def _estimate(self, label: str) -> Estimate:
        if label not in self._estimates:
            self._estimates[label] = estimated(self.built(label), self.predictions)
        return self._estimates[label]

    def cost(self, label: str) -> Cost:
        """What a plan costs in all."""
        roots = (root.id for root in self.built(label).plan.roots)
        return total(self._estimate(label).costs, roots)

    def score(self, label: str) -> float:
        """The sum of the importance of results over a run."""
        return self.predictions.of(label).importance

    def standard_error(self, label: str, by: Objective) -> float:
        """Of the results that are found, as if each tuple found its own by chance."""
        is_found = by.name in (self.objectives[0].name, RECALL.name)
        return self.predictions.standard_error(label) if is_found else 0.0

    @property
    def simulated_steps(self) -> int:
        return self.predictions.simulated_steps(len(self.labels))

    def score_model(self, label: str, by: Objective) -> str | None:
        is_found = by.name in (self.objectives[0].name, RECALL.name)
        return self.predictions.of(label).model if is_found else None

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        """The work of a join that sheds."""
        return shedding_work(plan, costs)

    def title(self, label: str) -> str:
        return titles.title(label)

    def facts(self, label: str) -> tuple[str, ...]:
        """Why a policy keeps what it keeps, and how much of the windows there is room for."""
        own = explain.REASONS.get(label, "it keeps all that the windows hold")
        return (f"{own[0].upper()}{own[1:]}.", *self._room())

    def _room(self) -> Iterator[str]:
        arms = self.model.star.arms
        for place, arm in enumerate(arms if len(arms) > 1 else ()):
            held = self.predictions.given(place) * self.model.lifetimes[place]
            yield (
                f"The window of {arm.source.alias} would hold {figure(held)} tuples; there is "
                f"room for {arm.share:,}."
            )

    def explanation(self, ranking: Ranking) -> Explanation:
        """Which policy wins and why, and which figures are simulated."""
        answer = explain.answer(self.predictions, self.labels, ranking)
        notes = explain.notes(self.predictions, self.labels)
        return Explanation(answer, notes, lambda: explain.why(self.predictions, self.labels))

    # --- switched while it runs ------------------------------------------------------------------

    def moved(self, before: Plan, after: Plan) -> Cost:
        return switching.moved(self.predictions, before.label, after.label)

    def why_not_switched(self, before: Plan, after: Plan) -> str | None:
        return switching.why_not_switched(self.model, before.label, after.label)

    # --- by memory -------------------------------------------------------------------------------

    def frontier(
        self, memories: Sequence[int] = (), labels: Sequence[str] = ()
    ) -> tuple[MemoryPoint, ...]:
        """Importance and recall of policies for each memory."""
        return tuple(
            frontier.point(self.workload, label, memory)
            for memory in memories or frontier.usual_memories(self.model)
            for label in labels or self.labels
        )

    def split_costs(
        self, label: str, partitions: Sequence[int] = (1, 2, 4, 8)
    ) -> tuple[SplitPoint, ...]:
        """What is left of the answer where memory is split into partitions by key."""
        return tuple(frontier.split_points(self.predictions, self.checked(label), partitions))

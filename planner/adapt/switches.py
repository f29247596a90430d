"""The switches of a run: decided between two micro-batches from those before, and from no others.

The same batches give the same switches: a run that is killed and resumed decides as it did before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.adapt.causes import largest_change
from planner.adapt.observed import Observed, believed, recent_rates
from planner.adapt.policies import POLICIES, Situation, moved_beyond
from planner.families.capabilities import Switching
from planner.families.protocol import Family, PlanSpace
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.statistics.observed_workload import observed_workload
from planner.workload.adapt import Adapt
from planner.workload.workload import Workload

# Among so many of the best plans one is looked for that the running plan can be switched to.
_MOST_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Switch:
    """From the time `at`, in microseconds of the run, `after` runs in place of `before`.

    `saving` is what the new plan should save per second of stream time, in the unit of the
    objective; `moving` is the work that the switch should take, in all.
    """

    at: int
    batch: int
    before: str
    after: str
    reason: str
    saving: float
    moving: float


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """A plan that was the best one at a time, and why the run could not be switched to it."""

    at: int
    label: str
    reason: str


class Adaptation:
    """Follows the batches of a run from its first one, under its workload's policy.

    `why_not` says of a plan why it does not go with the way in which its tuples are laid out.
    """

    def __init__(
        self,
        chosen: Family,
        workload: Workload,
        label: str,
        units: UnitCosts | None = None,
        why_not: Callable[[Plan], str | None] = lambda _: None,
    ) -> None:
        assert workload.run.adapt is not None, "only a run that adapts is followed"
        self._settings: Adapt = workload.run.adapt
        self._family, self._workload, self._units = chosen, workload, units
        self._label, self._why_not = label, why_not
        used = {source.name for query in workload.queries for source in query.sources}
        # Those that are believed, and those when plans were last compared.
        self._rates = {s.name: s.rate or 0.0 for s in workload.streams if s.name in used}
        self._planned = self._rates
        self._bursts = {
            s.name: s.arrivals.burst for s in workload.streams if s.arrivals.kind == "pareto"
        }
        # What values are believed to be like; what was believed when the plan was last chosen, and
        # when plans were last compared.
        self._known = self._chosen_by = workload
        self._compared: tuple[Workload, str] | None = None
        self._seen: list[Observed] = []
        self.switches: list[Switch] = []
        self.out_of_reach: dict[str, OutOfReach] = {}

    @property
    def label(self) -> str:
        """The plan that runs now."""
        return self._label

    def see(self, batch: Observed) -> None:
        """Take in a batch that is done."""
        self._seen.append(batch)

    def decide(self, at: int, batch: int) -> Switch | None:
        """Whether the plan is switched before this batch, which begins at that time."""
        if self._settings.policy == "never" or not self._seen:
            return None
        horizon = self._settings.horizon
        self._rates = recent_rates(self._seen, self._rates, horizon, self._bursts)
        self._known = observed_workload(self._known, self._seen[-1].values)
        now = believed(self._known, self._rates)
        if self._compared == (now, self._label):
            # Nothing is known that was not known then.
            return None
        self._compared = now, self._label
        if self._family.refuses(now) is not None:
            # No plan has a price then: the one that runs goes on.
            return None
        space = self._family.space(now, self._units)
        by = space.objectives[0]
        best = self._best_within_reach(space, by, at)
        if best is None:
            return None
        reason, saving, moving = self._weighed(space, by, best)
        if reason is None or best.label == self._label:
            return None
        made = Switch(at, batch, self._label, best.label, reason, saving, moving)
        self._label, self._chosen_by = best.label, now
        self.switches.append(made)
        return made

    def _weighed(
        self, space: PlanSpace, by: Objective, best: Plan
    ) -> tuple[str | None, float, float]:
        """Why the policy switches to this plan, if it does; what that saves, and what it takes."""
        switching = space.capability(Switching)
        assert switching is not None, "a plan is within reach"
        current, least = space.scores([self._label, best.label], by)
        moving = switching.moved(space.plan(self._label), best).operations
        cause = largest_change(self._chosen_by, space.workload)
        situation = Situation(self._rates, self._planned, current, least, moving, by, cause)
        reason = POLICIES[self._settings.policy](situation, self._settings)
        if moved_beyond(situation, self._settings.threshold) is not None:
            self._planned = self._rates
        return reason, situation.saving, moving

    def _best_within_reach(self, space: PlanSpace, by: Objective, at: int) -> Plan | None:
        """The best plan that the running one can be switched to; a better one is noted."""
        best = space.best(by)
        reason = self._unreachable(space, best)
        if reason is None:
            return best
        self.out_of_reach.setdefault(best.label, OutOfReach(at, best.label, reason))
        ranked = (c.label for c in space.rank(by, _MOST_LOOKED_AT).candidates)
        plans = space.plans(label for label in ranked if by.eligible(label))
        return next((plan for plan in plans if self._unreachable(space, plan) is None), None)

    def _unreachable(self, space: PlanSpace, plan: Plan) -> str | None:
        """Why the running plan is not switched to this one; None where it can be."""
        if plan.label == self._label:
            return None
        switching = space.capability(Switching)
        if switching is None:
            return "plans of this family are not switched while they run"
        reason = switching.why_not_switched(space.plan(self._label), plan)
        return reason or self._why_not(plan)

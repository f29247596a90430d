"""The switches of a run: decided between two micro-batches from those before, and from no others.

The same batches give the same switches: a run that is killed and resumed decides as it did before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.adapt.observed import Observed, believed, recent_rates
from planner.adapt.policies import POLICIES, Situation, moved_beyond
from planner.families.capabilities import Switching
from planner.families.protocol import Family
from planner.plan.cost import UnitCosts
from planner.plan.plan import Plan
from planner.workload.adapt import Adapt
from planner.workload.workload import Workload


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


class Adaptation:
    """Follows the batches of a run from its first one, under its workload's policy.

    Plans that do not `fit` the way its tuples are laid out already are left out.
    """

    def __init__(
        self,
        chosen: Family,
        workload: Workload,
        label: str,
        units: UnitCosts | None = None,
        fits: Callable[[Plan], bool] = lambda _: True,
    ) -> None:
        assert workload.run.adapt is not None, "only a run that adapts is followed"
        self._settings: Adapt = workload.run.adapt
        self._family, self._workload, self._units = chosen, workload, units
        self._label, self._fits = label, fits
        used = {source.name for query in workload.queries for source in query.sources}
        # Those that are believed, and those when plans were last compared.
        self._rates = {s.name: s.rate or 0.0 for s in workload.streams if s.name in used}
        self._planned = self._rates
        self._seen: list[Observed] = []
        self.switches: list[Switch] = []

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
        rates = recent_rates(self._seen, self._rates, self._settings.horizon)
        if not all(rates.values()):
            # Where nothing arrives many plans cost nothing: nothing is learned of them.
            return None
        self._rates = rates
        space = self._family.space(believed(self._workload, rates), self._units)
        by = space.objectives[0]
        best = space.best(by)
        current, least = space.scores([self._label, best.label], by)
        switching, before = space.capability(Switching), space.plan(self._label)
        if switching is None or switching.why_not_switched(before, best) or not self._fits(best):
            return None
        moving = switching.moved(before, best).operations
        situation = Situation(rates, self._planned, current, least, moving, by)
        reason = POLICIES[self._settings.policy](situation, self._settings)
        if moved_beyond(situation, self._settings.threshold) is not None:
            self._planned = rates
        if reason is None or best.label == self._label:
            return None
        made = Switch(at, batch, self._label, best.label, reason, situation.saving, moving)
        self._label = best.label
        self.switches.append(made)
        return made

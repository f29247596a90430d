"""The cells of a sweep: the workload with other numbers, planned when it is asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

from planner.errors import PlanError
from planner.families.capabilities import SampledScores, Sketched
from planner.families.protocol import Family, PlanSpace
from planner.numbers import shortened
from planner.plan.cost import UnitCosts, models_behind
from planner.plan.objective import Objective
from planner.whatif.axes import Axis
from planner.whatif.sweep_paths import path_in
from planner.workload.workload import Workload

MOST_SECONDS = 120.0
# Spaces hold models and tables, those of samples many: the last ones are asked again and again.
_KEPT_SPACES, _KEPT_SAMPLED = 512, 32
# In more cells a family that takes long prices its plans roughly.
_MOST_EXACT = 10
# The corners of so many axes are looked at.
_MOST_CORNERED = 6
# Plans whose costs differ by less are the same plan in two words.
TIE = 1e-9
# So many standard errors hold 95 of 100 samples.
SURE = 1.96
# Seeds of workloads have 63 bits.
_SEEDS = 2**63

Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class About:
    """What a sweep is of, and how it was priced. `units` says where seconds come from, and `note`
    where plans were priced roughly."""

    workload: str
    family: str
    models: tuple[str, ...]
    units: str
    note: str = ""


class Cells:
    """Winners and scores of one family's plans as numbers of the workload vary.

    What was worked out for a cell is kept. `by` names the objective that plans are ranked by, and
    `units` turn work into seconds. With many `planned` cells a family that takes long prices its
    plans roughly.
    """

    def __init__(
        self,
        workload: Workload,
        axes: Sequence[Axis],
        family: Family,
        by: str | None,
        planned: int = 1,
        units: UnitCosts | None = None,
    ) -> None:
        self.workload, self.axes, self.family = workload, tuple(axes), family
        self._units = units
        self._space_of, self._note = family.space, ""
        if planned > _MOST_EXACT and isinstance(family, Sketched):
            self._space_of, self._note = family.sketch, family.sketch_note
        self._by = by
        self._deadline = time.monotonic() + MOST_SECONDS
        # Labels may name windows: such plans get a name that every cell knows.
        self._is_lasting = any(axis.path.startswith("queries.") for axis in axes)
        self._winners: dict[Values, str] = {}
        self._scores: dict[Values, dict[str, float]] = {}
        self._errors: dict[Values, dict[str, float]] = {}
        most = _KEPT_SAMPLED if isinstance(family, Sketched) else _KEPT_SPACES
        self.space = lru_cache(maxsize=most)(self._space)

    @property
    def planned(self) -> int:
        """In how many cells all plans were compared."""
        return len(self._winners)

    @cached_property
    def about(self) -> About:
        """What these are cells of; models are those behind the best plan of the first cell."""
        first = tuple(axis.values[0] for axis in self.axes)
        space = self.space(first)
        by = self.objective(first)
        best = space.best(by)
        sampled = space.capability(SampledScores)
        model = None if sampled is None else sampled.score_model(best.label, by)
        models = models_behind(space.estimate(best)) if model is None else (model,)
        units = space.units.source if self.by.name == "seconds" else ""
        name, family = self.workload.name, self.family.name
        return About(name, family, models, units, self._note)

    def axis_is_whole(self, axis: Axis) -> bool:
        """Whether an axis takes whole numbers only."""
        return path_in(self.workload, axis.path).integer

    def workload_at(self, values: Values) -> Workload:
        """The workload of a cell, or an error that says which value is out of range."""
        workload = self.workload
        for axis, value in zip(self.axes, values, strict=True):
            try:
                workload = path_in(workload, axis.path).change(value)
            except PlanError as error:
                said = f"{value:g} is out of range: {shortened(str(error), 300)}"
                raise PlanError(said, shortened(axis.path, 200)) from None
        return workload

    def _space(self, values: Values) -> PlanSpace:
        return self._planned(self.workload_at(values))

    def resampled(self, values: Values, number: int) -> PlanSpace:
        """The plans of a cell, simulated on the sample with this number; 0 is its own."""
        if not number:
            return self.space(values)
        workload = self.workload_at(values)
        seed = (workload.run.seed + number) % _SEEDS
        return self._planned(replace(workload, run=replace(workload.run, seed=seed)))

    def _planned(self, workload: Workload) -> PlanSpace:
        if time.monotonic() > self._deadline:
            raise PlanError(f"took over {MOST_SECONDS:g} s; take fewer steps or streams", "--vary")
        try:
            return self._space_of(workload, self._units)
        except PlanError as error:
            raise PlanError(f"cannot be swept: {error.message}", self.family.name) from None

    @cached_property
    def by(self) -> Objective:
        """What plans are compared by in all cells: an objective that all corners have."""
        every, found = self._objectives()
        if not found:
            names = " and ".join(by.title.lower() for by in every)
            raise PlanError(
                f"plans are compared by {names} in different cells, and none has both; vary less, "
                "or choose another objective",
                "--rank",
            )
        return found[-1]

    @cached_property
    def _has_own(self) -> bool:
        """Whether every cell compares by its own objective: families weigh by what workloads
        declare. Not where a figure is missing in some cells, such as the mean of delays that have
        none: then all compare by another."""
        every, found = self._objectives()
        return len(every) == len(found)

    def _objectives(self) -> tuple[tuple[Objective, ...], tuple[Objective, ...]]:
        """The objectives of the corners, and those that can be read in all of them."""
        corners = [self.space(place) for place in self._corners()]
        every = tuple(dict.fromkeys(space.objective(self._by) for space in corners))
        if len(every) == 1:
            return every, every
        return every, tuple(by for by in every if all(_has(space, by) for space in corners))

    def _corners(self) -> Iterable[Values]:
        """The cells at the ends of the axes; of many axes two that are opposite."""
        ends = [tuple(dict.fromkeys((a.values[0], a.values[-1]))) for a in self.axes]
        return product(*ends) if len(ends) <= _MOST_CORNERED else zip(*ends, strict=False)

    def objective(self, values: Values) -> Objective:
        """What plans are compared by in a cell."""
        return self.space(values).objective(self._by) if self._has_own else self.by

    def winner(self, values: Values) -> str:
        """The best plan of a cell, under a name that every cell knows."""
        if values not in self._winners:
            space = self.space(values)
            self._winners[values] = self.named(space.best(self.objective(values)).label, values)
        return self._winners[values]

    def named(self, label: str, values: Values) -> str:
        """What a plan of one cell is called in all of them."""
        return self.space(values).lasting(label) if self._is_lasting else label

    def scores(self, values: Values, labels: Sequence[str]) -> tuple[float, ...]:
        """The scores of these plans in a cell."""
        known = self._scores.setdefault(values, {})
        missing = [label for label in dict.fromkeys(labels) if label not in known]
        if missing:
            space, by = self.space(values), self.objective(values)
            found = space.scores(missing, by)
            known.update(zip(missing, found, strict=True))
            if (sampled := space.capability(SampledScores)) is not None:
                # Now, while the samples are at hand.
                shares = (sampled.standard_error(label, by) for label in missing)
                self._errors.setdefault(values, {}).update(zip(missing, shares, strict=True))
        return tuple(known[label] for label in labels)

    def ties(self, values: Values, one: str, other: str) -> bool:
        """Whether two plans cost the same in a cell: they count as one there."""
        first, second = self.scores(values, (one, other))
        return math.isclose(first, second, rel_tol=TIE)

    # --- how sure ---------------------------------------------------------------------------------

    @cached_property
    def is_simulated(self) -> bool:
        """Whether scores come from samples, such that chance decides between close plans."""
        first = self.space(tuple(axis.values[0] for axis in self.axes))
        return first.capability(SampledScores) is not None

    def errors(self, values: Values, labels: Sequence[str]) -> tuple[float, ...]:
        """The standard errors of scores; 0 where they are exact."""
        scores = self.scores(values, labels)
        shares = self._errors.get(values, {})
        pairs = zip(labels, scores, strict=True)
        return tuple(abs(score) * shares.get(label, 0.0) for label, score in pairs)

    def within_chance(self, values: Values, one: str, other: str) -> bool:
        """Whether two plans are closer in a cell than samples of this size can tell."""
        first, second = self.scores(values, (one, other))
        error = math.hypot(*self.errors(values, (one, other)))
        return abs(first - second) <= SURE * error


def _has(space: PlanSpace, by: Objective) -> bool:
    """Whether the plans of a space have this figure."""
    plan = next(iter(space.candidates()))
    return by.of(plan, space.estimate(plan)) is not None

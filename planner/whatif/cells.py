"""The cells of a sweep: the workload with other numbers, planned when it is asked for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache

from planner.errors import PlanError
from planner.families.capabilities import Sketched
from planner.families.protocol import Family, PlanSpace
from planner.plan.objective import Objective
from planner.whatif.axes import Axis
from planner.whatif.sweep_paths import path_in
from planner.workload.workload import Workload

MOST_SECONDS = 120.0
# Spaces hold models and tables: a crossover asks the last few again and again.
_KEPT_SPACES = 64
# In more cells a family that takes long prices its plans roughly.
_MOST_EXACT = 10

Values = tuple[float, ...]


class Cells:
    """Winners and scores of one family's plans as numbers of the workload vary.

    What was worked out for a cell is kept. `by` names the objective that plans are ranked by. With
    many `planned` cells a family that takes long prices its plans roughly; `note` says how.
    """

    def __init__(
        self,
        workload: Workload,
        axes: Sequence[Axis],
        family: Family,
        by: str | None,
        planned: int = 1,
    ) -> None:
        self.workload, self.axes, self.family = workload, tuple(axes), family
        self._space_of, self.note = family.space, ""
        if planned > _MOST_EXACT and isinstance(family, Sketched):
            self._space_of, self.note = family.sketch, family.sketch_note
        self._by = by
        self._deadline = time.monotonic() + MOST_SECONDS
        # Labels may name windows: such plans get a name that every cell knows.
        self._is_lasting = any(axis.path.startswith("queries.") for axis in axes)
        self._winners: dict[Values, str] = {}
        self._scores: dict[Values, dict[str, float]] = {}
        self.space = lru_cache(maxsize=_KEPT_SPACES)(self._space)

    @property
    def planned(self) -> int:
        """In how many cells all plans were compared."""
        return len(self._winners)

    def workload_at(self, values: Values) -> Workload:
        """The workload of a cell, or an error that says which value is out of range."""
        workload = self.workload
        for axis, value in zip(self.axes, values, strict=True):
            try:
                workload = path_in(workload, axis.path).change(value)
            except PlanError as error:
                raise PlanError(f"{value:g} is out of range: {error}", axis.path) from None
        return workload

    def _space(self, values: Values) -> PlanSpace:
        if time.monotonic() > self._deadline:
            raise PlanError(f"took over {MOST_SECONDS:g} s; take fewer steps or streams", "--vary")
        workload = self.workload_at(values)
        try:
            return self._space_of(workload)
        except PlanError as error:
            raise PlanError(f"cannot be swept: {error.message}", self.family.name) from None

    def objective(self, values: Values) -> Objective:
        return self.space(values).objective(self._by)

    def winner(self, values: Values) -> str:
        """The best plan of a cell, under a name that every cell knows."""
        if values not in self._winners:
            space = self.space(values)
            self._winners[values] = self.named(space.best(space.objective(self._by)).label, values)
        return self._winners[values]

    def named(self, label: str, values: Values) -> str:
        """What a plan of one cell is called in all of them."""
        return self.space(values).lasting(label) if self._is_lasting else label

    def scores(self, values: Values, labels: Sequence[str]) -> tuple[float, ...]:
        """The scores of these plans in a cell."""
        known = self._scores.setdefault(values, {})
        missing = [label for label in dict.fromkeys(labels) if label not in known]
        if missing:
            space = self.space(values)
            found = space.scores(missing, space.objective(self._by))
            known.update(zip(missing, found, strict=True))
        return tuple(known[label] for label in labels)

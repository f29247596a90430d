"""The plans of all families that give the same whole answer, as one space: by seconds or memory.

Families count work in units of their own, so it is not compared. Families whose objective is to be
high, such as the share of an answer that is found, do not give the whole answer and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from planner.errors import PlanError
from planner.families.base import BaseSpace, plain_answer
from planner.families.capabilities import SampledScores, Sketched, Switching
from planner.families.grid_pricing import GridPrices, GridPricing, PriceParts, merged
from planner.families.protocol import Explanation, Family, PlanSpace, Ranking
from planner.families.registry import FAMILIES, family
from planner.joins.arrays import Floats
from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.objective import STATE, Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload

NAME = "across"
# Between the name of a family and the label of its plan.
_OF = ": "


def comparable(workload: Workload) -> tuple[Family, ...]:
    """The families that give the whole answer to this workload."""
    return tuple(
        known for known in FAMILIES if known.objective.is_lowest and known.refuses(workload) is None
    )


def family_or_all(name: str) -> Family:
    """The family with this name; `across` names all that give the whole answer."""
    return AcrossFamilies() if name == NAME else family(name)


def is_of_all(label: str) -> bool:
    """Whether this is what a plan is called where all kinds of plans are compared."""
    name, of, _ = label.partition(_OF)
    return bool(of) and any(known.name == name for known in FAMILIES)


def own_name(family_name: str, label: str) -> tuple[str, str]:
    """The family of a plan and its own label, also where all kinds of plans are compared."""
    if family_name != NAME:
        return family_name, label
    name, _, own = label.partition(_OF)
    return name, own


def name_in(family_name: str, plan: Plan) -> Plan:
    """A plan of one family, under the label it has where this kind of plans is compared."""
    own = family_name != NAME or is_of_all(plan.label)
    return plan if own else replace(plan, label=f"{plan.family}{_OF}{plan.label}")


class AcrossFamilies:
    """All kinds of plans that answer a workload, ranked by what they have in common."""

    name: str = NAME
    objective: Objective = STATE
    symbols: str = ""
    cites: tuple[str, ...] = ()
    sketch_note: str = "where plans are simulated, it is on small samples"

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why there is nothing to compare; None where there is."""
        return _too_few(comparable(workload))

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The plans of all families that give the whole answer."""
        return AcrossSpace(workload, units, self._known(workload))

    def sketch(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """The same plans, priced roughly by those families that take long."""
        return AcrossSpace(workload, units, self._known(workload), roughly=True)

    def _known(self, workload: Workload) -> tuple[Family, ...]:
        found = comparable(workload)
        if (reason := _too_few(found)) is not None:
            raise PlanError(f"{reason}; two are needed to compare", NAME)
        return found


def _too_few(known: Sequence[Family]) -> str | None:
    count = len(known)
    return None if count > 1 else f"{count or 'no'} kind of plans gives its whole answer"


class AcrossSpace(BaseSpace):
    """The plans of several families; a label begins with the name of its family."""

    def __init__(
        self,
        workload: Workload,
        units: UnitCosts | None,
        families: Sequence[Family],
        roughly: bool = False,
    ) -> None:
        super().__init__(workload, units, STATE)
        self.objectives = (self.seconds, STATE)
        self._widths: dict[str, int] = {}
        self._spaces = {
            known.name: (
                known.sketch(workload, units)
                if roughly and isinstance(known, Sketched)
                else known.space(workload, units)
            )
            for known in families
        }

    def _inner(self, label: str) -> tuple[PlanSpace, str, str]:
        name, _, own = label.partition(_OF)
        if name not in self._spaces:
            raise PlanError(f"no family {name!r}; labels are FAMILY{_OF}LABEL", label)
        return self._spaces[name], own, f"{name}{_OF}"

    def candidates(self) -> Iterator[Plan]:
        for name, space in self._spaces.items():
            for plan in space.candidates():
                yield replace(plan, label=f"{name}{_OF}{plan.label}")

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        for label in labels:
            space, own, head = self._inner(label)
            (plan,) = space.plans([own])
            yield replace(plan, label=head + plan.label)

    def best_label(self, by: Objective) -> str:
        best = {
            f"{name}{_OF}{label}": space.scores([label], space.objective(by.name))[0]
            for name, space in self._spaces.items()
            for label in (space.best(space.objective(by.name)).label,)
        }
        return by.top(best, best.__getitem__)

    def rank(self, by: Objective | None = None, top: int | None = None) -> Ranking:
        """All families' best plans together; the baseline is that of the first family."""
        by = by or self.objectives[0]
        ranked = {
            name: space.rank(space.objective(by.name), top) for name, space in self._spaces.items()
        }
        every = [
            replace(own, label=f"{name}{_OF}{own.label}")
            for name, ranking in ranked.items()
            for own in ranking.candidates
        ]
        scores = {own.label: own.score for own in every}
        order = {label: place for place, label in enumerate(by.ordered(scores))}
        every.sort(key=lambda own: order[own.label])
        first, ranking = next(iter(ranked.items()))
        return Ranking(
            tuple(every),
            every[0].label,
            f"{first}{_OF}{ranking.baseline}",
            sum(own.considered for own in ranked.values()),
            any(own.truncated for own in ranked.values()),
            by,
        )

    def scores(self, labels: Sequence[str], by: Objective | None = None) -> tuple[float, ...]:
        return tuple(self._score(label, by or self.objectives[0]) for label in labels)

    def _score(self, label: str, by: Objective) -> float:
        space, own, _ = self._inner(label)
        return space.scores([own], space.objective(by.name))[0]

    def price_parts(self, by: Objective) -> PriceParts | None:
        """The parts of all families; None where one has none, as where plans are simulated."""
        found = []
        for name, space in self._spaces.items():
            pricing, own = space.capability(GridPricing), space.objective(by.name)
            is_exact = by == self.seconds or space.capability(SampledScores) is None
            parts = pricing.price_parts(own) if pricing is not None and is_exact else None
            if parts is None:
                return None
            found.append((name, parts))
        self._widths = {name: len(parts.values) for name, parts in found}
        structure = tuple((name, len(parts.values), parts.structure) for name, parts in found)
        return PriceParts(structure, np.concatenate([parts.values for _, parts in found]))

    def combined(self, parts: Floats, by: Objective) -> GridPrices:
        kinds, at = {}, 0
        for name, width in self._widths.items():
            space = self._spaces[name]
            pricing = space.capability(GridPricing)
            assert pricing is not None, "its parts were priced"
            own = parts[:, at : at + width]
            kinds[f"{name}{_OF}"] = pricing.combined(own, space.objective(by.name))
            at += width
        return merged(kinds, by)

    def lasting(self, label: str) -> str:
        space, own, head = self._inner(label)
        return head + space.lasting(own)

    def title(self, label: str) -> str:
        space, own, head = self._inner(label)
        return f"{space.title(own)} ({head.removesuffix(_OF).replace('_', ' ')})"

    def estimate(self, plan: Plan) -> Estimate:
        space, own, _ = self._inner(plan.label)
        (inner,) = space.plans([own])
        return space.estimate(inner)

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        space, own, _ = self._inner(plan.label)
        (inner,) = space.plans([own])
        return space.kernel_work(inner, costs)

    def why_not_switched(self, before: Plan, after: Plan) -> str | None:
        """A run keeps the kind of its plans; within it, as its family says."""
        (space, one, head), (_, other, head_after) = map(self._inner, (before.label, after.label))
        switching = space.capability(Switching)
        if head != head_after or switching is None:
            return "a run keeps the kind of its plans" if switching else "plans are not switched"
        return switching.why_not_switched(space.plan(one), space.plan(other))

    def moved(self, before: Plan, after: Plan) -> Cost:
        """The work of a switch within one family."""
        (space, one, _), (_, other, _) = map(self._inner, (before.label, after.label))
        switching = space.capability(Switching)
        assert switching is not None, "what cannot be switched has no price"
        return switching.moved(space.plan(one), space.plan(other))

    def explanation(self, ranking: Ranking) -> Explanation:
        return Explanation(plain_answer(ranking, self.title), (), tuple)

"""The work of all plans: every choice of sets, each with its best orders, priced in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from planner.families.early_aggregation.extrema import recomputing
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.pricing import set_formulas
from planner.families.early_aggregation.search import final_states, orders, pipelines
from planner.families.early_aggregation.states import state_arrays
from planner.joins.probes import indexes_used, probes_along
from planner.joins.upkeep import upkeep
from planner.plan.cost import Cost, cost_of, rounded

# A plan's work by kind of operator.
Work = tuple[tuple[str, Cost], ...]


class PlanCosts:
    """The work of every plan of one aggregation, each with its best orders."""

    def __init__(self, model: AggregationModel) -> None:
        self._model = model
        self._places = {mask: at for at, mask in enumerate(model.masks)}
        size = len(model.masks)
        self._comparisons, self._rows, self._reaching = np.zeros((3, size))
        for found in pipelines(model):
            final = final_states(model, found.origin)
            self._comparisons += found.comparisons[final]
            self._rows += found.rows[final]
            self._reaching += state_arrays(model).passed(found.origin)[final]
        self._recomputing = recomputing(model)
        self._sets = [cost_of(set_formulas(model, place)) for place in range(model.count)]
        self._kept: dict[int, Work] = {}

    @cached_property
    def scores(self) -> dict[int, float]:
        """Operations per second of every plan, by mask."""
        masks = np.array(self._model.masks)
        found = self._comparisons + self._reaching
        # Filters and inserts are the same under every plan, whatever its indexes are.
        found += sum((cost for _, cost in self._keeping(0)), Cost()).operations
        for place, cost in enumerate(self._sets):
            found += (masks >> place & 1) * cost.operations
        found += self._recomputing
        return dict(zip(self._model.masks, map(rounded, found.tolist()), strict=True))

    def work(self, mask: int) -> Work:
        """The costs of a plan's operators by kind, those of one kind together."""
        at, model = self._places[mask], self._model
        sets = [self._sets[place] for place in range(model.count) if mask >> place & 1]
        update = Cost(
            comparisons=float(self._recomputing[at]),
            group_updates=float(self._reaching[at]),
            state_tuples=groups_of(model).expected,
        )
        return (
            *self._keeping(mask),
            ("probe", Cost(float(self._comparisons[at]), rows_out=float(self._rows[at]))),
            ("aggregate", sum(sets, Cost())),
            ("update", update),
            ("output", Cost(rows_out=groups_of(model).changes)),
        )

    def _keeping(self, mask: int) -> Work:
        """What feeds and holds the windows: it differs by the indexes that probes use."""
        graph = self._model.join.graph
        hashed = any(window.access == "hash" for window in self._model.join.windows)
        # On one attribute, or without an index, all plans keep the same.
        key = mask if hashed and len(graph.classes) > 1 else 0
        if key not in self._kept:
            probes = probes_along((order[0], order) for order in orders(self._model, mask))
            indexes = indexes_used(self._model.join, probes)
            self._kept[key] = tuple(upkeep(self._model.join, indexes))
        return self._kept[key]


@lru_cache(maxsize=4)
def plan_costs(model: AggregationModel) -> PlanCosts:
    """The work of every plan of one aggregation."""
    return PlanCosts(model)


def total(work: Work) -> Cost:
    """A plan's cost: the sum over its operators, with the rows that leave its output."""
    return replace(sum((cost for _, cost in work), Cost()), rows_out=work[-1][1].rows_out)


def scores(model: AggregationModel, masks: Sequence[int]) -> tuple[float, ...]:
    """Operations per second of these plans."""
    found = plan_costs(model).scores
    return tuple(found[mask] for mask in masks)


def best_mask(model: AggregationModel) -> int:
    """The plan with the fewest operations; of equals, the first by label."""
    found = plan_costs(model).scores
    return min(model.masks, key=lambda mask: (found[mask], model.label(mask)))


FILTERS = "Filters"
INSERTS = "Inserts"
PROBES = "Probes"
EXTREMA = "Extrema found anew"
EARLY = "Updates of sets"
LATE = "Updates of the answer"
KINDS = (PROBES, EXTREMA, EARLY, LATE, INSERTS, FILTERS)

_COMPARING = {"probe": PROBES, "filter": FILTERS}


def parts(kind: str, cost: Cost) -> Iterator[tuple[str, float]]:
    """What an operator of this kind adds to its plan's operations, by kind of work."""
    if cost.comparisons:
        # Aggregations compare only to find the next MIN or MAX when one has left.
        yield _COMPARING.get(kind, EXTREMA), cost.comparisons
    if cost.inserts:
        yield INSERTS, cost.inserts
    if cost.group_updates:
        yield (EARLY if kind == "aggregate" else LATE), cost.group_updates


def by_kind(work: Iterable[tuple[str, Cost]]) -> dict[str, float]:
    """Operations per second of a plan, in the order of KINDS; kinds that it has none of are out."""
    found: dict[str, float] = {}
    for operator_kind, cost in work:
        for kind, value in parts(operator_kind, cost):
            found[kind] = found.get(kind, 0.0) + value
    return {kind: found[kind] for kind in KINDS if kind in found}

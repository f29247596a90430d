"""What index advice makes small: comparisons, or these with the upkeep of windows and indexes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from planner.cost import Cost, UnitCosts
from planner.families.join_order.loops import Loops
from planner.families.join_order.perorigin import best_general, is_ranked
from planner.families.join_order.pricing import indexes_of, results
from planner.families.join_order.ranking import best_plan
from planner.families.join_order.space import score_weights
from planner.families.join_order.table import Weights
from planner.families.join_order.walking import Walker
from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.joins.upkeep import upkeep


@dataclass(frozen=True, slots=True)
class Objective:
    """How plans are priced: by their probes, and with `upkeep` by all their operators.

    With declared unit costs seconds are added up, else comparisons, inserts and expirations.
    """

    weights: Weights
    unit: str
    upkeep: bool = False
    units: UnitCosts | None = None

    def plan(self, model: JoinModel) -> Loops:
        """The plan whose probes are cheapest."""
        return best_plan(model, self.weights).loops(model)

    def probing(self, model: JoinModel) -> float:
        """What the probes of that plan cost, without building it."""
        if is_ranked(model):
            return best_general(model, self.weights)[1]
        return best_plan(model, self.weights).score

    def price(self, model: JoinModel, loops: Loops) -> float:
        """What a plan costs."""
        return Walker(model, self.weights).score(loops) + self.kept(model, loops)

    def kept(self, model: JoinModel, loops: Loops) -> float:
        """What a plan costs beside its probes, as far as that counts."""
        if not self.upkeep:
            return 0.0
        found = upkeep(model, indexes_of(model, loops))
        if self.units is None:
            return sum(cost.inserts + cost.expirations for _, cost in found)
        seconds = sum(self.units.default.seconds(cost) for _, cost in found)
        return seconds + self.units.default.seconds(Cost(rows_out=results(model)))

    def expiring(self, model: JoinModel, place: int, indexes: Collection[Key]) -> float:
        """What it costs to expire tuples of one window with these indexes, as far as it counts."""
        if not self.upkeep or model.windows[place].is_relation:
            return 0.0
        visits = model.expirations(place, indexes)
        if self.units is None:
            return visits
        return self.units.default.seconds(Cost(expirations=visits))


def objective_of(model: JoinModel, upkeep: bool, units: UnitCosts | None) -> Objective:
    """Comparisons as plans are ranked; with upkeep all operations, or seconds where known."""
    if upkeep and units is not None:
        declared = Weights(units.default.compare, units.default.output, filter=0.0)
        return Objective(declared, "s of work per s", upkeep, units)
    weights = score_weights(model)
    weighted = "weighted " if weights.worths else ""
    return Objective(weights, f"{weighted}{'operations' if upkeep else 'comparisons'}/s", upkeep)

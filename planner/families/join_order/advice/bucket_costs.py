"""The choices of index advice: how many buckets a window may have, and what each number costs.

The cost of a loop is linear in the part of the window that is looked through, and that part depends
on the buckets of this window alone. So one table a window says what every number of buckets costs
after every set of sources.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from planner.families.join_order.order_pricer import Walker, Weights, loop_costs, multiway_costs
from planner.families.join_order.plan_space import best_plan, score_weights
from planner.families.join_order.plans import LoopOrders
from planner.families.join_order.pricing import indexes_of, results
from planner.families.join_order.search import best_general, is_ranked
from planner.joins.arrays import Floats, Ints
from planner.joins.graph import Key, KeyClass
from planner.joins.keys import Spread, skewed_bucket_fraction
from planner.joins.model import JoinModel
from planner.joins.probes import probes_along
from planner.joins.sets import SetArrays
from planner.joins.upkeep import expirations, upkeep
from planner.plan.cost import Cost, UnitCosts


@dataclass(frozen=True, slots=True)
class BucketPricing:
    """How plans are priced: by their probes, and with `upkeep` by all their operators.

    With declared unit costs seconds are added up, else comparisons, inserts and expirations.
    """

    weights: Weights
    unit: str
    upkeep: bool = False
    units: UnitCosts | None = None

    def plan(self, model: JoinModel) -> LoopOrders:
        """The plan whose probes are cheapest."""
        return best_plan(model, self.weights).loops(model)

    def probing(self, model: JoinModel) -> float:
        """What the probes of that plan cost, without building it."""
        if is_ranked(model):
            return best_general(model, self.weights)[1]
        return best_plan(model, self.weights).score

    def price(self, model: JoinModel, loops: LoopOrders) -> float:
        return Walker(model, self.weights).score(loops) + self.kept(model, loops)

    def kept(self, model: JoinModel, loops: LoopOrders) -> float:
        """What a plan costs beside its probes, as far as that counts."""
        if not self.upkeep:
            return 0.0
        found = upkeep(model, indexes_of(model, loops), keeps_alone=False)
        if self.units is None:
            return sum(cost.inserts + cost.expirations for _, cost in found)
        seconds = sum(self.units.default.seconds(cost) for _, cost in found)
        return seconds + self.units.default.seconds(Cost(rows_out=results(model)))

    def expiring(self, model: JoinModel, place: int, indexes: Collection[Key]) -> float:
        """What it costs to expire tuples of one window with these indexes, as far as it counts."""
        if not self.upkeep or model.windows[place].is_relation:
            return 0.0
        visits = expirations(model, place, indexes).value
        if self.units is None:
            return visits
        return self.units.default.seconds(Cost(expirations=visits))


def pricing_of(model: JoinModel, upkeep: bool, units: UnitCosts | None) -> BucketPricing:
    """Comparisons as plans are ranked; with upkeep all operations, or seconds where known."""
    if upkeep and units is not None:
        declared = Weights(units.default.compare, units.default.output, filter=0.0)
        return BucketPricing(declared, "s of work per s", upkeep, units)
    weights = score_weights(model)
    counted = "operations/s" if upkeep else "comparisons/s"
    return BucketPricing(weights, f"{'weighted ' if weights.worths else ''}{counted}", upkeep)


# What every set of sources pays for a loop of which composites look through these parts.
Price = Callable[[Floats], Floats]


class Choices:
    """For every window the numbers of buckets 1, 2, 3 ...: choice c is c + 1 buckets; 0 scans."""

    def __init__(self, model: JoinModel, pricing: BucketPricing, budget: int) -> None:
        count = len(model.windows)
        # How the workload probes its windows now is no matter: all are scanned to begin with.
        self.model = model.with_buckets([1] * count)
        self.pricing = pricing
        self.keys = [_keys(model, place) for place in range(count)]
        self.most = [_most_useful(model, place) for place in range(count)]
        needed = sum(len(k) * m for k, m in zip(self.keys, self.most, strict=True) if m > 1)
        self.budget = min(budget, needed)
        self._looked_through: dict[tuple[int, Spread, Spread], Floats] = {}
        self.memory = [self._memory(place) for place in range(count)]
        self.indexable = [place for place in range(count) if len(self.memory[place]) > 1]
        self.keeping = [self._keeping(place) for place in range(count)]

    def _memory(self, place: int) -> Ints:
        """The buckets that each choice takes: as many again for each further join attribute."""
        indexes = max(len(self.keys[place]), 1)
        most = max(min(self.most[place], self.budget // indexes), 1)
        taken = np.arange(1, most + 1, dtype=np.int64) * indexes
        taken[0] = 0
        return taken

    def _keeping(self, place: int) -> Floats:
        """What each choice adds to the cost of expiring this window's tuples."""
        found = np.zeros(len(self.memory[place]))
        if self.pricing.upkeep:
            scanned = self.pricing.expiring(self.model, place, ())
            counts = [1] * len(self.keys)
            for choice in range(1, len(found)):
                counts[place] = choice + 1
                model = self.model.with_buckets(counts)
                found[choice] = self.pricing.expiring(model, place, self.keys[place]) - scanned
        return found

    @property
    def is_settled(self) -> bool:
        """Whether what an index costs is known before the plan is.

        It is where a window has one join attribute: an index that no loop uses is never chosen.
        On several attributes the plan decides how many indexes a window keeps up.
        """
        return not self.pricing.upkeep or all(len(keys) <= 1 for keys in self.keys)

    def equal(self, budget: int) -> tuple[int, ...]:
        """The buckets of each window where those that can be indexed share the budget equally."""
        each = budget // max(len(self.indexable), 1)
        fitting = (int(np.searchsorted(taken, each, side="right")) for taken in self.memory)
        return tuple(fitting)

    def multiway(self) -> list[Floats]:
        """`[j][P, c]`: appending source j after the set P in a global order, with choice c."""
        sets = SetArrays(self.model)
        price = partial(multiway_costs, sets, weights=self.pricing.weights)
        return [self._by_choice(sets, j, partial(price, j)) for j in range(sets.count)]

    def naive(self) -> list[Floats]:
        """The same for one loop order for all origins."""
        every = self.of_origins()
        return [np.sum(rows, axis=0) for rows in zip(*every, strict=True)]

    def of_origins(self) -> list[list[Floats]]:
        """`[i][j][P, c]`: the loop over source j below the set P, for each origin in turn."""
        sets = SetArrays(self.model)
        price = partial(loop_costs, sets, weights=self.pricing.weights)
        return [
            [self._by_choice(sets, j, partial(price, origin, j)) for j in range(sets.count)]
            for origin in self.model.origins
        ]

    def of_plan(self, loops: LoopOrders) -> list[Floats]:
        """`[j][c]`: all loops of one plan over source j, with choice c."""
        model, weights = self.model, self.pricing.weights
        found = [np.zeros(len(memory)) for memory in self.memory]
        for probe in probes_along(zip(model.origins, loops.orders, strict=True)):
            origin, above, target = probe.origin, probe.joined, probe.target
            worth = model.graph.worth(above, target) if weights.worths else 1.0
            composites = model.matches(origin, above) * weights.comparison * worth
            least, most = (model.scanned(origin, above, target, part) for part in (0.0, 1.0))
            parts = self._parts(model.graph.linking(above, target), above, target)
            found[target] += composites * (least + (most - least) * parts)
            if weights.row:
                found[target] += weights.row * model.matches(origin, probe.reached)
        return found

    def _by_choice(self, sets: SetArrays, place: int, price: Price) -> Floats:
        """What each choice costs after every set: prices are linear in the part looked through."""
        way, ways = sets.ways(place)
        nothing = price(np.zeros(len(way)))
        possible = np.isfinite(nothing)
        costs = np.repeat(nothing[:, None], len(self.memory[place]), axis=1)
        for number, (known, example) in enumerate([(None, []), *ways]):
            whole = price((way == number).astype(np.float64))
            rise = np.subtract(whole, nothing, out=np.zeros(len(way)), where=possible)
            costs += rise[:, None] * self._parts(known, example, place)
        return costs

    def _parts(self, known: KeyClass | None, joined: Sequence[int], place: int) -> Floats:
        """The part of the window that such a composite looks through, with each choice."""
        key = known.key(place) if known is not None else None
        if known is None or key is None:
            return np.ones(len(self.memory[place]))
        spreads = known.spread(joined), key.spread
        if (place, *spreads) not in self._looked_through:
            parts = [
                skewed_bucket_fraction(*spreads, choice + 1) if choice else 1.0
                for choice in range(len(self.memory[place]))
            ]
            self._looked_through[place, *spreads] = np.array(parts)
        return self._looked_through[place, *spreads]


def _keys(model: JoinModel, place: int) -> tuple[Key, ...]:
    """The attributes by which a window can be looked up: none where only its own tuples arrive."""
    if model.origins == (place,):
        return ()
    return tuple(key for known in model.graph.classes if (key := known.key(place)) is not None)


def _most_useful(model: JoinModel, place: int) -> int:
    """The number of buckets beyond which nothing is gained: no two values share one.

    A key that the window does not hold still costs a look into the bucket of another, so that the
    values of all sources of the class count.
    """
    if not _keys(model, place):
        return 1
    classes = [known for known in model.graph.classes if known.key(place) is not None]
    return max(key.spread[1] for known in classes for key in known.keys)

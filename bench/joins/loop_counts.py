"""The work of every loop of every plan of a join, counted by the kernels on the same tuples.

What a loop examines depends on whose loops it is in, on the set joined above it and on what it goes
over; on nothing else of the plan. So some general plans that have all these loops among them are
run, and the count of any plan is the sum of its loops' counts. That this is so is checked whenever
two runs have a loop in common, and with every plan that is run whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from planner.families.join_order.model import model_of
from planner.families.join_order.plans import JoinPlanBuilder, LoopOrders, Order, general, loops_of
from planner.joins.model import JoinModel
from planner.joins.probes import probes_of
from planner.plan.cost import Cost, total
from planner.plan.plan import Plan
from planner.statistics.generate import generate
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Feed, Span, Split
from runtime.engines.protocol import PlanInput
from runtime.engines.registry import engine

# Seconds that the loop kernel takes, about: they only decide how long a join is run.
TUPLE, COMPARISON, COMPOSITE = 2e-6, 1e-9, 5e-8

# Whose loops, what is joined above, and what is gone over.
Loop = tuple[int, frozenset[int], int]


def covering(model: JoinModel) -> list[LoopOrders]:
    """General plans that have every loop among them that some plan can have."""
    by_origin = [_orders(model, origin) for origin in model.origins]
    most = max(map(len, by_origin))
    return [
        general(model, [orders[min(turn, len(orders) - 1)] for orders in by_origin])
        for turn in range(most)
    ]


def _orders(model: JoinModel, origin: int) -> list[Order]:
    """Orders of one origin's loops, each with as many loops not seen before as can be."""
    seen: set[Loop] = set()
    orders: list[Order] = []
    while True:
        fresh, order = _freshest(model, origin, seen)
        if not fresh:
            return orders
        orders.append(order)
        seen |= set(loops_in(origin, order))


def _freshest(model: JoinModel, origin: int, seen: set[Loop]) -> tuple[int, Order]:
    """By how many new loops, then by what the loops cost."""
    places = range(len(model.windows))
    best: dict[frozenset[int], tuple[int, float, Order]] = {
        frozenset([place]): (0, 0.0, (place,)) for place in places
    }
    for _ in places[1:]:
        longer: dict[frozenset[int], tuple[int, float, Order]] = {}
        for joined, (fresh, cost, order) in best.items():
            for target in places:
                if target in joined or not model.graph.connected(joined, target):
                    continue
                found = (
                    fresh + ((origin, joined, target) not in seen),
                    cost - model.comparisons(origin, order, target),
                    (*order, target),
                )
                reached = joined | {target}
                longer[reached] = max(longer.get(reached, found), found)
        best = longer
    ((fresh, _, order),) = best.values()
    return fresh, order


def loops_in(origin: int, order: Order) -> list[Loop]:
    """The loops of an order but the outermost, which compares nothing."""
    return [(origin, frozenset(order[:level]), order[level]) for level in range(1, len(order))]


def seconds_per_second(model: JoinModel) -> float:
    """About how long running all of `covering` takes per second of stream time."""
    spent = 0.0
    for loops in covering(model):
        spent += TUPLE * sum(window.arrivals for window in model.windows)
        for origin, order in zip(model.origins, loops.orders, strict=True):
            for level in range(1, len(order)):
                above = order[:level]
                spent += COMPARISON * model.comparisons(origin, above, order[level])
                spent += COMPOSITE * model.matches(origin, above)
    return spent


class LoopCounts:
    """A join run on the tuples of one seed, and what was counted of its loops per second."""

    def __init__(self, workload: Workload, seed: int) -> None:
        self.workload, self.model = workload, model_of(workload)
        self.builder = JoinPlanBuilder(self.model)
        seconds = workload.warmup + workload.run.duration
        self._span = Span(microseconds(workload.warmup), microseconds(seconds))
        self._tables = generate(workload, seconds, seed)
        self._feeds: dict[object, Feed] = {}

    @cached_property
    def comparisons(self) -> Mapping[Loop, float]:
        """Tuples examined in each loop."""
        found: dict[Loop, float] = {}
        for loops in covering(self.model):
            plan = self.builder.plan(loops)
            costs = self._costs(plan)
            for operator, probe in probes_of(plan.operators(), self.model).items():
                loop = (probe.origin, frozenset(probe.joined), probe.target)
                count = costs[operator].comparisons
                if found.setdefault(loop, count) != count:
                    raise AssertionError(f"{self.workload.name}: two counts of the loop {loop}")
        return found

    def of_loops(self, label: str) -> float:
        """Comparisons of a plan's loops, filters left out."""
        pairs = zip(self.model.origins, loops_of(self.model, label).orders, strict=True)
        return sum(
            self.comparisons[loop] for origin, order in pairs for loop in loops_in(origin, order)
        )

    def whole(self, label: str) -> tuple[Cost, float]:
        """The cost of a plan that is run as it is, and the part of its comparisons by filters."""
        plan = self.builder.plan(loops_of(self.model, label))
        costs = self._costs(plan)
        filters = sum(costs[op.id].comparisons for op in plan.operators() if op.kind == "filter")
        return total(costs, [root.id for root in plan.roots]), filters

    def _costs(self, plan: Plan) -> Mapping[str, Cost]:
        runs = engine(plan.family)
        merge = runs.feed(plan, self.workload)
        if merge not in self._feeds:
            self._feeds[merge] = merge(self.workload, self._tables)
        feed = self._feeds[merge]
        given = PlanInput(plan, self.workload, feed.schema, self._span, Split(1, None))
        program = runs.compile(given)
        batch = Batch(feed.tuples, int(feed.tuples.ts[-1]), last=True).pack()
        return program.tally([program.step(None, batch, 0, most_rows=0).totals], plan).costs

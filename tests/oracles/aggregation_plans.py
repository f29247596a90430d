"""Aggregations simulated on tuples that are drawn at random: what model and kernels are held to."""

from __future__ import annotations

import random
from collections.abc import Iterator

from planner.plan.cost import Cost
from planner.plan.plan import Plan
from planner.workload.streams import Attribute
from planner.workload.workload import Workload
from runtime.engines.early_aggregation.simulation import AggregationSimulation, Tuple


class Simulation(AggregationSimulation):
    """One plan over one workload, on random tuples; costs are per second after the warm-up."""

    def __init__(self, workload: Workload, plan: Plan, seed: int) -> None:
        super().__init__(workload, plan)
        self.random = random.Random(seed)

    def _draw(self, attributes: dict[str, Attribute]) -> dict[str, int]:
        found = {}
        for name, attribute in attributes.items():
            ranks = range(1, (attribute.distinct or 100) + 1)
            if attribute.zipf:
                weights = [rank**-attribute.zipf for rank in ranks]
                found[name] = self.random.choices(ranks, weights)[0]
            else:
                found[name] = self.random.randint(1, len(ranks))
        return found

    def _arrivals(self, name: str, until: float) -> Iterator[tuple[float, int, str, Tuple]]:
        """The tuples of a stream: one for each alias, in FROM order."""
        stream = self.workload.stream(name)
        ts = 0.0
        while True:
            ts += self.random.expovariate(stream.rate or 0.0)
            if ts >= until:
                return
            values = self._draw(dict(stream.attributes))
            for place, source in enumerate(self.query.sources):
                if source.name == name:
                    yield ts, place, source.alias, Tuple(ts, values)

    def run(self, warmup: float, duration: float) -> dict[str, Cost]:
        """The costs of every operator between the warm-up and the end."""
        self.warmup, end = warmup, warmup + duration
        for source in self.query.sources:
            relation = next((r for r in self.workload.relations if r.name == source.name), None)
            for _ in range(relation.rows or 0 if relation else 0):
                row = Tuple(0.0, self._draw(dict(relation.attributes)))
                self.arrive(source.alias, row)
        arriving = sorted(
            (
                a
                for name in dict.fromkeys(s.name for s in self.streams)
                for a in self._arrivals(name, end)
            ),
            key=lambda found: found[:2],
        )
        for _, _, alias, one in arriving:
            self.arrive(alias, one)
        samples = sum(found[0] >= warmup for found in arriving)
        return self._costs(duration, samples)

"""The paper's own cost model: Equations 5 to 22, its slips corrected, for any number of sources.

Sizes of sets, and what probes find in them, are upper bounds there; the refined model takes the
expected numbers. Corrected: the tables' bucket counts in Equation 6, and that a group that is found
costs at least one access. A probe after others has the fan-out of those before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.search import orders
from planner.joins.probes import Probe


class PrintedModel:
    """The figures that the paper's equations give for one aggregation."""

    def __init__(self, model: AggregationModel) -> None:
        self._model = model

    def tuples(self, place: int) -> float:
        """w: the tuples of a window."""
        return self._model.contents[place].mean(is_set=False)

    def groups(self, place: int) -> float:
        """g: the most groups that a source's own attributes make."""
        return self._model.contents[place].group_cells.number

    def entries(self, place: int) -> float:
        """Equations 14 and 15: the entries of a set are at most its tuples, and its cells."""
        return min(self.tuples(place), self._model.contents[place].cells.number)

    @property
    def output_groups(self) -> float:
        """Equation 13: the groups of the output."""
        places = range(self._model.count)
        return math.prod(min(self.tuples(p), self.groups(p)) for p in places)

    def selectivity(self, joined: Sequence[int], target: int) -> float:
        """Sigma: the share of the target's tuples that match what is joined."""
        graph = self._model.join.graph
        before = graph.share(joined)
        return graph.share([*joined, target]) / before if before else 0.0

    def found(self, mask: int, joined: Sequence[int], target: int) -> float:
        """Equations 16 to 19: matching tuples of a window, m, or matching entries of a set, n."""
        matching = self.tuples(target) * self.selectivity(joined, target)
        return min(matching, self.groups(target)) if mask >> target & 1 else matching

    def examined(self, mask: int, joined: Sequence[int], target: int) -> float:
        """What one probe examines: all of a window or set, or a bucket of it."""
        held = self.entries(target) if mask >> target & 1 else self.tuples(target)
        window = self._model.join.windows[target]
        if window.access == "scan" or self._model.join.graph.linking(joined, target) is None:
            return held
        return held / self.buckets(joined, target)

    def buckets(self, joined: Sequence[int], target: int) -> float:
        """Equations 20 and 21: as many as the join attribute has values, or as there may be."""
        buckets = self._model.join.windows[target].buckets
        selectivity = self.selectivity(joined, target)
        values = 1 / selectivity if selectivity else math.inf
        return values if buckets == "per-value" else min(values, buckets)

    def passing(self, mask: int, order: Sequence[int], level: int) -> float:
        """Composites that a tuple of the origin has when `level` sources are joined."""
        steps = range(1, level)
        return math.prod(self.found(mask, order[:step], order[step]) for step in steps)

    def set_access(self, place: int) -> float:
        """Accesses to find the group of a tuple in its set: its entries over their buckets."""
        keys = self._model.contents[place].keys
        values = float(math.prod(last - first + 1 for first, last, _ in keys))
        buckets = self._model.join.windows[place].buckets
        scanned = self._model.join.windows[place].access == "scan"
        most = values if scanned or buckets == "per-value" else min(values, buckets)
        return max(1.0, self.entries(place) / most)

    @property
    def group_access(self) -> float:
        """Accesses to find a group of the output: alpha / B_g, with B_g of Equation 22."""
        grouped = [p for p, rule in enumerate(self._model.rules) if rule.grouped]
        first = self.groups(grouped[0]) if grouped else 1.0
        return max(1.0, self.output_groups / max(first, 1.0))

    def probing(self, mask: int, probe: Probe) -> float:
        """Entries examined per second by one probe."""
        order = (*probe.joined, probe.target)
        events = self._model.contents[probe.origin].events
        passing = self.passing(mask, order, len(probe.joined))
        return events * passing * self.examined(mask, probe.joined, probe.target)

    def updating(self, mask: int, all_orders: Iterable[Sequence[int]]) -> float:
        """Accesses per second to the groups of the output."""
        return self.group_access * sum(
            self._model.contents[order[0]].events * self.passing(mask, order, len(order))
            for order in all_orders
        )

    def score(self, mask: int) -> float:
        """Equations 5 to 12 with unit costs, all operations per second."""
        total, model = 0.0, self._model
        found = orders(model, mask)
        for order in found:
            total += model.contents[order[0]].events
            for level in range(1, len(order)):
                total += self.probing(mask, Probe(order[0], order[:level], order[level]))
        for place in range(model.count):
            if mask >> place & 1:
                total += model.contents[place].events * self.set_access(place)
        return total + self.updating(mask, found)

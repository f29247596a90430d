"""The paper's own cost model: Equations 5 to 22, its slips corrected, for any number of sources.

Sizes of sets, and what probes find in them, are upper bounds there; the refined model takes the
expected numbers. Corrected: the tables' bucket counts in Equation 6, and that a group that is found
costs at least one access. A probe after others has the fan-out of those before it. Groups are
hashed under nested loops too, so that B bounds their tables there as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.search import orders
from planner.joins.probes import Probe, probes_along
from planner.joins.upkeep import rate
from planner.plan.expression import Expression, greatest, least, number, product, subscript, symbol

# B: the most buckets of a hash table, in the paper's figures; also of windows without one.
MOST_BUCKETS = 1021


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

    def entries(self, place: int) -> Expression:
        """Equations 14 and 15: the entries of a set are at most its tuples, and its cells."""
        cells = symbol(f"G_{{{self._name(place)}}}", self._model.contents[place].cells.number)
        return least(symbol(f"w_{{{self._name(place)}}}", self.tuples(place)), cells)

    @property
    def output_groups(self) -> Expression:
        """Equation 13: the groups of the output."""
        bounds = (
            least(number(self.tuples(p)), number(self.groups(p))) for p in range(self._model.count)
        )
        return product(bounds).short(r"\prod_i \min(w_i, g_i)")

    def selectivity(self, joined: Sequence[int], target: int) -> float:
        """Sigma: the share of the target's tuples that match what is joined."""
        graph = self._model.join.graph
        before = graph.share(joined)
        return graph.share([*joined, target]) / before if before else 0.0

    def found(self, mask: int, joined: Sequence[int], target: int) -> float:
        """Equations 16 to 19: matching tuples of a window, m, or matching entries of a set, n."""
        matching = self.tuples(target) * self.selectivity(joined, target)
        return min(matching, self.groups(target)) if mask >> target & 1 else matching

    def examined(self, mask: int, joined: Sequence[int], target: int) -> Expression:
        """What one probe examines: all of a window or set, or a bucket of it."""
        name = self._name(target)
        held = symbol(f"w_{{{name}}}", self.tuples(target))
        if mask >> target & 1:
            held = self.entries(target).named(rf"\alpha_{{{name}}}")
        window = self._model.join.windows[target]
        if window.access == "scan" or self._model.join.graph.linking(joined, target) is None:
            return held
        return held / symbol(f"B_{{{name}}}", self.buckets(joined, target))

    def buckets(self, joined: Sequence[int], target: int) -> float:
        """Equations 20 and 21: as many as the join attribute has values, or as there may be."""
        buckets = self._model.join.windows[target].buckets
        selectivity = self.selectivity(joined, target)
        values = 1 / selectivity if selectivity else math.inf
        return values if buckets == "per-value" else min(values, buckets)

    def most_buckets(self, place: int) -> float:
        """B: the buckets declared for a hashed window, or those of the paper's tables."""
        window = self._model.join.windows[place]
        if window.access == "hash":
            return math.inf if window.buckets == "per-value" else float(window.buckets)
        return float(MOST_BUCKETS)

    @property
    def output_buckets(self) -> float:
        """Equation 22: B_g = min(g_1, B), of the first source that is grouped by.

        It has g_1 alone, also where both streams have groups: the output's table then has far more
        groups than buckets.
        """
        grouped = [place for place, rule in enumerate(self._model.rules) if rule.grouped]
        if not grouped:
            return 1.0
        return max(min(self.groups(grouped[0]), self.most_buckets(grouped[0])), 1.0)

    def passing(self, mask: int, order: Sequence[int], level: int) -> float:
        """Composites that a tuple of the origin has when `level` sources are joined."""
        steps = range(1, level)
        return math.prod(self.found(mask, order[:step], order[step]) for step in steps)

    def set_updates(self, place: int) -> Expression:
        """Accesses per second to find the groups of tuples in a set: its entries by buckets."""
        keys = self._model.contents[place].keys
        values = float(math.prod(last - first + 1 for first, last, _ in keys))
        most = min(values, self.most_buckets(place))
        entries = self.entries(place).named(rf"\alpha_{{{self._name(place)}}}")
        buckets = symbol(f"B_{{{self._name(place)}}}", most)
        return events_of(self._model, place) * greatest(number(1.0), entries / buckets)

    def probing(self, mask: int, probe: Probe) -> Expression:
        """Entries examined per second by one probe."""
        given = events_of(self._model, probe.origin)
        if len(probe.joined) > 1:
            passing = self.passing(mask, probe.reached, len(probe.joined))
            given *= symbol(r"\prod_j n_j", passing)
        return given * self.examined(mask, probe.joined, probe.target)

    def updating(self, mask: int, all_orders: Iterable[Sequence[int]]) -> Expression:
        """Accesses per second to the groups of the output: alpha / B_g."""
        access = symbol(r"\alpha", self.output_groups.value) / symbol("B_g", self.output_buckets)
        reaching = sum(
            self._model.contents[order[0]].events * self.passing(mask, order, len(order))
            for order in all_orders
        )
        composites = symbol(r"\sum_k 2 \lambda_k \prod_j n_j", reaching)
        return greatest(number(1.0), access) * composites

    def score(self, mask: int) -> float:
        """Equations 5 to 12 with unit costs, all operations per second."""
        total, model = 0.0, self._model
        found = orders(model, mask)
        for order in found:
            total += model.contents[order[0]].events
            for probe in probes_along([(order[0], order)]):
                total += self.probing(mask, probe).value
        for place in range(model.count):
            if mask >> place & 1:
                total += self.set_updates(place).value
        return total + self.updating(mask, found).value

    def _name(self, place: int) -> str:
        return subscript(self._model.join.aliases[place])


def events_of(model: AggregationModel, place: int) -> Expression:
    """Arrivals and departures per second; of tuples that leave unseen, arrivals alone."""
    window = model.contents[place].window
    return number(2) * rate(window) if window.ends == "each" else rate(window)

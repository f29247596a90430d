"""Which plans there are and what each costs: three strategies, and chains of mergings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product

import numpy as np

from planner.errors import PlanError
from planner.families.sliced_chain import layout
from planner.families.sliced_chain.chain_search.chains import GroupChains, Places
from planner.families.sliced_chain.labels import (
    CPU_OPT,
    MEM_OPT,
    PUSH_DOWN,
    STRATEGIES,
    Ends,
    ends_of,
    label_of,
)
from planner.families.sliced_chain.layout import SlicedJoin
from planner.families.sliced_chain.model import ChainModel
from planner.families.sliced_chain.plans import Built
from planner.families.sliced_chain.pricing import priced
from planner.joins.condition_cells import TooManyError
from planner.plan.cost import Cost, total

# Up to so many mergings are listed, all of them; of more, those that say something.
MOST_MERGINGS = 4_096
# With more windows the trade-off takes seconds: it is worked out where it is asked for.
MOST_TRADED = 300
MOST_JOINS = 64


@dataclass(frozen=True)
class Strategy:
    """A plan that is no chain, with its price."""

    built: Built
    costs: dict[str, Cost]
    score: float


class Plans:
    """All plans of one workload, each priced when it is asked for."""

    def __init__(self, model: ChainModel) -> None:
        self.model = model
        self.chains = tuple(GroupChains(group, model.c_sys) for group in model.groups)
        self._groups = [group.group for group in model.groups]
        self._strategies: dict[str, Strategy] = {}

    # --- labels ----------------------------------------------------------------------------------

    def named(self, label: str) -> str:
        """The label that is meant: `mem-opt` and `cpu-opt` stand for chains."""
        if label == MEM_OPT:
            return self.label(tuple(chains.every for chains in self.chains))
        if label == CPU_OPT:
            return self.label(tuple(chains.cheapest for chains in self.chains))
        for excluded, why in self.excluded:
            if label == excluded:
                raise PlanError(f"is left out: {why}", label)
        if label not in STRATEGIES:
            ends_of(self._groups, label)
        return label

    def label(self, places: Sequence[Places]) -> str:
        """The label of chains."""
        pairs = zip(self._groups, places, strict=True)
        ends: Ends = tuple(tuple(group.boundaries[at] for at in own) for group, own in pairs)
        return label_of(self._groups, ends)

    def places(self, label: str) -> tuple[Places, ...]:
        """The chains that a label names."""
        pairs = zip(self._groups, ends_of(self._groups, label), strict=True)
        return tuple(tuple(np.searchsorted(group.boundaries, own).tolist()) for group, own in pairs)

    @cached_property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Strategies that are left out, and why."""
        if not any(group.has_conditions for group in self._groups):
            return ((PUSH_DOWN, "no query has a filter, so it would be the same as pull-up"),)
        try:
            joins = sum(1 for group in self._groups for _ in layout.pushed_down(group))
        except TooManyError as error:
            return ((PUSH_DOWN, error.message),)
        if joins > MOST_JOINS:
            why = f"the parts of the streams need {joins:,} joins; at most {MOST_JOINS} are planned"
            return ((PUSH_DOWN, why),)
        return ()

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """The strategies that are planned, unshared first."""
        left_out = {label for label, _ in self.excluded}
        return tuple(label for label in STRATEGIES if label not in left_out)

    # --- prices ----------------------------------------------------------------------------------

    def score(self, label: str) -> float:
        """By what a plan is ranked."""
        if label in STRATEGIES:
            return self._strategy(label).score
        pairs = zip(self.chains, self.places(label), strict=True)
        return sum(chains.score(places) for chains, places in pairs)

    def cost(self, label: str) -> Cost:
        """What a plan costs in all."""
        if label in STRATEGIES:
            strategy = self._strategy(label)
            roots = (root.id for root in strategy.built.plan.roots)
            return total(strategy.costs, roots)
        pairs = zip(self.chains, self.places(label), strict=True)
        work = sum((chains.work(places) for chains, places in pairs), Cost())
        return work + Cost(rows_out=self._rows)

    @cached_property
    def _rows(self) -> float:
        return sum(g.results(member).value for g in self.model.groups for member in g.group.members)

    def _strategy(self, label: str) -> Strategy:
        if label not in self._strategies:
            built = self.model.builder.build(label)
            costs = priced(built, self.model)
            score = sum(cost.comparisons for cost in costs.values())
            if self.model.c_sys:
                score += self.model.c_sys * self.entering(built)
            self._strategies[label] = Strategy(built, costs, score)
        return self._strategies[label]

    def entering(self, built: Built) -> float:
        """Tuples per second that enter the slices and joins of a plan to probe."""
        joins = {id(s): s for s in built.subjects.values() if isinstance(s, SlicedJoin)}
        return sum(
            flow.entering.value
            for join in joins.values()
            for flow in self.model.by_group[join.group].flows(join)
        )

    # --- which there are -------------------------------------------------------------------------

    @cached_property
    def all_mergings(self) -> bool:
        """Whether every merging of slices is listed."""
        return self.mergings <= MOST_MERGINGS

    @cached_property
    def mergings(self) -> int:
        """How many chains there are."""
        return math.prod(2 ** (chains.edges.last - 1) for chains in self.chains)

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The labels of all plans that are listed, unshared first."""
        chosen = self._all() if self.all_mergings else self._instructive()
        return tuple(dict.fromkeys(chain(self.strategies, map(self.label, chosen))))

    def _all(self) -> Iterator[tuple[Places, ...]]:
        """Every merging of every group, the most slices first."""
        each = []
        for chains in self.chains:
            last = chains.edges.last
            inner = range(last - 1, -1, -1)
            picks = chain.from_iterable(combinations(range(1, last), n) for n in inner)
            each.append([(*picked, last) for picked in picks])
        return product(*each)

    def _instructive(self) -> Iterator[tuple[Places, ...]]:
        """Mem-Opt, CPU-Opt, the chains of the front, and those next to CPU-Opt."""
        yield tuple(chains.every for chains in self.chains)
        best = tuple(chains.cheapest for chains in self.chains)
        yield best
        for at, chains in enumerate(self.chains):
            front = chains.front.points if chains.edges.last <= MOST_TRADED else ()
            for places in chain((point.ends for point in front), chains.neighbours(best[at])):
                yield (*best[:at], places, *best[at + 1 :])

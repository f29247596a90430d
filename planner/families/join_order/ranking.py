"""Plans ranked: all orders where they can be listed, else the best ones in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import factorial
from typing import get_args

from planner.errors import PlanError
from planner.families.join_order import NAME
from planner.families.join_order.order_pricer import COMPARISONS, Walker, Weights, naive_table
from planner.families.join_order.plan_space import (
    RankEntry,
    best_naive,
    considered,
    is_listed,
    lists_naive,
    plans_by_cost,
    pricer,
    score_weights,
    traced,
    worst_plan,
)
from planner.families.join_order.plans import (
    Algorithm,
    LoopOrders,
    algorithm_of,
    loops_of,
    naive_label,
)
from planner.families.join_order.pricing import indexes_of, results
from planner.families.join_order.search import MOST_STREAMS, best_general
from planner.families.protocol import MOST_CANDIDATES, Candidate, Ranking
from planner.joins.model import JoinModel
from planner.joins.probes import ACCESSES, EACH
from planner.joins.upkeep import upkeep
from planner.plan.cost import Cost, UnitCosts, rounded
from planner.plan.objective import Objective


@dataclass(frozen=True)
class RankingUnits:
    """The unit costs of a workload's plans. `is_fast`: the multi-way kernel knows its join."""

    units: UnitCosts
    is_fast: bool

    def kernel(self, model: JoinModel, algorithm: Algorithm) -> str:
        """What runs plans of an algorithm. General ones are ranked where it is not the fast one."""
        if self.is_fast and algorithm == "multiway":
            return "multiway"
        return "relations" if any(window.is_relation for window in model.windows) else "loops"

    def both(self, model: JoinModel) -> tuple[Weights, Weights]:
        """What probes weigh in seconds, of multiway orders and of others."""
        multiway, other = self.kernel(model, "multiway"), self.kernel(model, "naive")
        return self._weights(multiway), self._weights(other)

    def _weights(self, kernel: str) -> Weights:
        """What probes weigh under a kernel; filters are in the upkeep."""
        by_access = [self.units.of(f"{kernel} probe {access}") for access in ACCESSES]
        each = by_access[ACCESSES.index(EACH)]
        accesses = tuple((unit.compare, unit.given) for unit in by_access)
        return Weights(each.compare, each.output, filter=0.0, accesses=accesses)

    def kept(self, model: JoinModel, label: str, upkeep: Iterable[tuple[str, Cost]]) -> float:
        """The seconds of all but the probes."""
        kernel = self.kernel(model, algorithm_of(label))
        seconds = sum(self.units.seconds(f"{kernel} {kind}", cost) for kind, cost in upkeep)
        if kernel == "multiway":
            return seconds
        evaluations = sum(model.evaluations(origin) for origin in model.origins)
        return seconds + evaluations * self.units.of(f"{kernel} output").given


# So many plans of many sources are walked one by one.
MOST_WALKED_ALONE = 64


def cheapest(model: JoinModel, algorithm: Algorithm) -> LoopOrders:
    """The cheapest plan of one algorithm; of multiway orders, the cheapest of those listed."""
    weights = score_weights(model)
    if algorithm == "naive":
        return best_naive(model, weights).loops(model)
    if algorithm == "multiway":
        listed = plans_by_cost(model)
        return next(e for e in listed if not (e.is_general or e.is_naive)).loops(model)
    if len(model.windows) > MOST_STREAMS:
        raise PlanError(f"general plans are searched for up to {MOST_STREAMS} streams", NAME)
    return best_general(model, weights)[0]


def named(model: JoinModel, label: str) -> LoopOrders:
    """The loops of a label; an algorithm's name alone stands for its cheapest plan."""
    for algorithm in get_args(Algorithm):
        if label == algorithm:
            return cheapest(model, algorithm)
    return loops_of(model, label)


def scores(model: JoinModel, plans: Iterable[LoopOrders]) -> tuple[float, ...]:
    """Comparisons per second of these plans, weighted by what predicates are declared to cost."""
    walker = Walker(model, score_weights(model))
    return tuple(rounded(walker.score(loops)) for loops in plans)


def figures(
    model: JoinModel, plans: Sequence[LoopOrders], clock: RankingUnits, by: Objective
) -> tuple[float, ...]:
    """What these plans score by another objective than comparisons."""
    entries = [RankEntry.of(model, loops) for loops in plans]
    return tuple(c.score for c in _Priced(model, entries, clock).candidates({}, by))


def rank(model: JoinModel, top: int | None, clock: RankingUnits, by: Objective) -> Ranking:
    """The `top` best plans (None: all that may be listed) and the baseline."""
    most = MOST_CANDIDATES if top is None else min(top, MOST_CANDIDATES)
    if by.name == "work":
        listed = list(islice(plans_by_cost(model), max(most, 1)))
        worst = (worst_plan(model) or (0.0, None))[1]
    else:
        listed = _compared(model, most, clock, by)
        worst = _worst(model, listed)
    best = listed[0]
    listed = listed[:most]
    order = tuple(range(len(model.windows)))
    baseline = RankEntry(0.0, False, model.label(order), order)
    if all(entry.label != baseline.label for entry in listed):
        listed = [*listed[: MOST_CANDIDATES - 1], baseline]
    compared = considered(model) + any(entry.is_general for entry in listed)
    priced = _Priced(model, listed, clock)
    tags = _tags(model, best, worst)
    return Ranking(
        tuple(priced.candidates(tags, by)),
        best.label,
        baseline.label,
        considered=compared,
        truncated=not is_listed(model) or compared > MOST_CANDIDATES,
        by=by,
        excluded=tuple(_excluded(model)),
    )


def _excluded(model: JoinModel) -> Iterator[tuple[str, str]]:
    count = len(model.windows)
    if not lists_naive(model):
        yield (
            naive_label(model, range(count)),
            f"{factorial(count):,} naive orders are not listed: with eager evaluation on one "
            "attribute each costs no less than the multiway order of its name, unless windows hold "
            "less than a tuple; any can be run by its label",
        )


def _compared(model: JoinModel, most: int, clock: RankingUnits, by: Objective) -> list[RankEntry]:
    """The plans by another figure than comparisons, best first.

    Seconds are of all that plans do: kernels differ in upkeep, and so do the indexes used. Where
    not all plans can be listed, those cheapest by their probes are compared.
    """
    # The best of them does not depend on how many are asked for, unless those are many.
    count = MOST_CANDIDATES if is_listed(model) else max(most, MOST_WALKED_ALONE)
    by_probes = clock.both(model) if by.name == "seconds" else ()
    listed = list(islice(plans_by_cost(model, *by_probes), count))
    priced = _Priced(model, listed, clock).candidates({}, by)
    scored = [entry._replace(score=c.score) for entry, c in zip(listed, priced, strict=True)]
    return sorted(scored, key=lambda entry: (by.key(entry.score)[0], *entry[1:]))


def _worst(model: JoinModel, listed: Sequence[RankEntry]) -> str | None:
    """The plan that comes last; None where not all are listed."""
    return listed[-1].label if is_listed(model) else None


def _tags(model: JoinModel, best: RankEntry, worst: str | None) -> dict[str, tuple[str, ...]]:
    found = traced(model)
    named: list[tuple[str, str | None]] = [
        ("baseline", model.label(tuple(range(len(model.windows))))),
        ("heuristic", model.label(found.heuristic)),
        ("augmented heuristic", model.label(found.augmented)),
        ("worst", worst),
    ]
    tags: dict[str, tuple[str, ...]] = {best.label: ("best",)}
    if best.is_general:
        tags[best.label] = ("best", "general")
    for tag, label in named:
        if label is not None:
            tags[label] = (*tags.get(label, ()), tag)
    return tags


class _Priced:
    """What some plans cost: their probes, and what they spend on windows, filters and output."""

    def __init__(self, model: JoinModel, plans: Sequence[RankEntry], clock: RankingUnits) -> None:
        self._model, self._plans, self._clock = model, plans, clock
        # Upkeep differs between plans by the indexes they use.
        self._upkeeps: dict[tuple[object, ...], tuple[Cost, float]] = {}
        self._scans = all(window.access == "scan" for window in model.windows)

    def candidates(self, tags: dict[str, tuple[str, ...]], by: Objective) -> Iterator[Candidate]:
        """The plans as candidates, in turn."""
        weights = score_weights(self._model)
        work = list(map(rounded, self._probing(COMPARISONS, COMPARISONS)))
        scored = work
        if weights != COMPARISONS:
            scored = list(map(rounded, self._probing(weights, weights)))
        spent = self._probing(*self._clock.both(self._model))
        for place, entry in enumerate(self._plans):
            kept = self._kept(entry)
            seconds = rounded(kept[1] + spent[place])
            cost = replace(kept[0], comparisons=work[place])
            by_name = {"work": scored[place], "seconds": seconds, "state": cost.state_tuples}
            own = tags.get(entry.label, ())
            yield Candidate(entry.label, cost, by_name[by.name], own, seconds=seconds)

    def _probing(self, weights: Weights, others: Weights) -> list[float]:
        """What probes weigh: of multiway orders, and of others."""
        found: dict[str, float] = {}
        few = not is_listed(self._model) and len(self._plans) <= MOST_WALKED_ALONE
        for is_naive, own in ((False, weights), (True, others)):
            listed = [e for e in self._plans if e.is_naive == is_naive and not e.is_general]
            if listed and few and own.accesses is not None:
                # A table of all sets of many sources would take longer than a few walks.
                walker = Walker(self._model, own)
                prices = [walker.score(entry.loops(self._model)) for entry in listed]
                found |= zip((entry.label for entry in listed), prices, strict=True)
            elif listed:
                table = naive_table(self._model, own) if is_naive else pricer(self._model, own)
                prices = table.price([entry.order for entry in listed]).tolist()
                found |= zip((entry.label for entry in listed), prices, strict=True)
        walker = Walker(self._model, others)
        for entry in self._plans:
            if entry.is_general:
                found[entry.label] = walker.score(entry.loops(self._model))
        return [found[entry.label] for entry in self._plans]

    def _kept(self, entry: RankEntry) -> tuple[Cost, float]:
        """The cost and the seconds of all but the probes."""
        key: tuple[object, ...] = (entry.label,)
        if self._scans:
            key = (algorithm_of(entry.label),)
        elif self._model.is_single and not entry.is_general:
            # On one attribute every window is looked up but the outermost of a naive order, and
            # the next where nothing arrives on that one.
            key = (entry.is_naive, *entry.order[:2]) if entry.is_naive else (entry.is_naive,)
        if key not in self._upkeeps:
            indexes = indexes_of(self._model, entry.loops(self._model))
            found = list(upkeep(self._model, indexes, keeps_alone=False))
            rows = results(self._model)
            total = sum((cost for _, cost in found), Cost())
            output = ("output", Cost(rows_out=rows))
            seconds = self._clock.kept(self._model, entry.label, [*found, output])
            # A plan's rows are those that leave it, not those of the operators inside.
            self._upkeeps[key] = (total + Cost(rows_out=rows - total.rows_out), seconds)
        return self._upkeeps[key]

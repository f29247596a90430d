"""Join orders in words: the answer sentence, and the search step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import factorial

from planner.families.base import near_ties, plain_answer
from planner.families.join_order.heuristic import HeuristicTrace
from planner.families.join_order.plan_space import (
    is_listed,
    plans_by_cost,
    score_weights,
    traced,
    worst_multiway,
    worst_plan,
)
from planner.families.join_order.plans import algorithm_of
from planner.families.join_order.search import MOST_STREAMS, best_general
from planner.families.join_order.titles import title
from planner.families.protocol import Candidate, Ranking
from planner.joins.model import JoinModel
from planner.joins.upkeep import NEVER_STEADY
from planner.numbers import amount, figure, percent_less, percent_more, shortened, times
from planner.plan.cost import rounded
from planner.plan.objective import Objective
from planner.workload.execution import Statistics

# Below this, "1x cheaper than the worst plan" would say nothing.
LEAST_TIMES = 1.1


def answer(model: JoinModel, ranking: Ranking) -> str:
    """Which plan wins, by how much, because of what, and what comes close to it."""
    best, baseline = ranking.of(ranking.best), ranking.of(ranking.baseline)
    name, by = title(best.label), ranking.by
    if by.name == "seconds":
        return _by_seconds(name, by, best, baseline, near_ties(best, ranking))
    if by.name != "work":
        return plain_answer(ranking, title)
    least, worst, dearest = best.score, worst_plan(model), worst_multiway(model)
    if dearest is not None and rounded(dearest[0]) == rounded(least):
        count = factorial(len(model.windows))
        every = f"{'both' if count == 2 else f'all {count:,}'} orders cost the same"
        return f"{name}: {_said(model, by, least)}; {every}."
    against = _beside_written(best, baseline)
    if worst is not None and worst[0] < LEAST_TIMES * least:
        against = f"the worst plan needs {percent_more(worst[0], least)} more"
    elif worst is not None:
        further = f"{times(worst[0], least)} cheaper than the worst plan"
        against = f"{against}, {further}" if best.label != baseline.label else further
    if worst is not None and best.label == baseline.label:
        against += "; the query is written in this order already"
    return f"{name} wins: {_said(model, by, least)}, {against}{near_ties(best, ranking)}."


def facts(model: JoinModel, label: str) -> Iterator[str]:
    """Which stream is slow, which window is small and which pair joins selectively, where the
    order begins with them."""
    if algorithm_of(label) == "general":
        return
    places = [model.aliases.index(name) for name in label.removeprefix("naive:").split(",")]
    yield from _slow(model, places)
    held = [window.tuples for window in model.windows]
    first = places[0]
    if held[first] == min(held) < max(held):
        kind = "relation" if model.windows[first].is_relation else "window"
        yield (
            f"{model.aliases[first]} is probed first: its {kind} is the smallest, with "
            f"{figure(held[first])} tuples (the largest has {figure(max(held))})."
        )
    if len(places) < 3:
        return
    pairs = {pair: model.size(pair) for pair in combinations(range(len(places)), 2)}
    least = min(pairs, key=lambda pair: pairs[pair])
    if set(least) == set(places[:2]) and pairs[least] < max(pairs.values()):
        one, other = (model.aliases[place] for place in places[:2])
        yield (
            f"{one} and {other} are joined first: no pair is more selective, with "
            f"{figure(pairs[least])} results from their windows (the least selective pair has "
            f"{figure(max(pairs.values()))})."
        )


def _slow(model: JoinModel, places: Sequence[int]) -> Iterator[str]:
    rates = {place: model.windows[place].rate for place in model.origins}
    slow = min(rates, key=rates.__getitem__)
    others = [rate for place, rate in rates.items() if place != slow]
    if slow == places[0] and others and rates[slow] < min(others):
        yield (
            f"{model.aliases[slow]} is the slowest stream, with a rate of {figure(rates[slow])} "
            f"per second (the fastest has {figure(max(others))})."
        )


def _by_seconds(name: str, by: Objective, best: Candidate, baseline: Candidate, ties: str) -> str:
    """Beside the order as written: the worst by comparisons need not be the slowest."""
    return f"{name} wins: {by.said(best.score)}, {_beside_written(best, baseline)}{ties}."


def _beside_written(best: Candidate, baseline: Candidate) -> str:
    """How the winner compares with the order in which the query names its sources."""
    if best.label == baseline.label:
        return "in the order as written"
    if rounded(best.score) == rounded(baseline.score):
        return "as much as the order as written"
    if baseline.score < LEAST_TIMES * best.score:
        return f"{percent_less(best.score, baseline.score)} less than the order as written"
    return f"{times(baseline.score, best.score)} cheaper than the order as written"


def why(model: JoinModel, statistics: Statistics) -> tuple[str, ...]:
    """The heuristic's steps, the exact search beside it, and what the model leaves out."""
    found = traced(model)
    steps = tuple(step.text for step in found.steps)
    return (*steps, *_left_out(model, statistics), *_exact(model, found))


def _said(model: JoinModel, by: Objective, score: float) -> str:
    said = by.said(score)
    return said.replace("comparisons", "weighted comparisons") if model.graph.worths else said


def _exact(model: JoinModel, found: HeuristicTrace) -> Iterator[str]:
    weights = score_weights(model)
    orders = f"{factorial(len(model.windows)):,}"
    listed = (entry for entry in plans_by_cost(model) if not entry.is_general)
    if not model.is_single or len(model.windows) <= MOST_STREAMS:
        loops, score = best_general(model, weights)
        first = next(listed).score
        if rounded(score) < first:
            label = shortened(loops.label, 120)
            yield (
                f"An order for each origin, {label}, needs {amount(score)}/s: one order for all "
                f"is {percent_more(first, score)} above it."
            )
        else:
            yield "An order for each origin (general) is no cheaper."
    else:
        yield f"Beyond {MOST_STREAMS} streams on one attribute only multiway orders are searched."
    multiway = (entry for entry in plans_by_cost(model) if algorithm_of(entry.label) == "multiway")
    least = next(multiway).score
    if not (model.is_single or is_listed(model)):
        yield f"Of {orders} multiway orders the heuristic's are priced; the general plan is exact."
    elif rounded(found.augmented_cost) <= least:
        yield f"The exact search over all {orders} orders finds none cheaper."
    else:
        above = percent_more(found.augmented_cost, least)
        yield (
            f"The exact search over all {orders} orders finds {amount(least)}/s; "
            f"the augmented heuristic is {above} above it."
        )


def _left_out(model: JoinModel, statistics: Statistics) -> Iterator[str]:
    if any(window.ends == "never" for window in model.windows):
        yield NEVER_STEADY
    skewed = {key.place for c in model.graph.classes for key in c.keys if key.zipf}
    if skewed:
        names = ", ".join(model.aliases[place] for place in sorted(skewed))
        yield f"Keys of {names} are Zipf-distributed: sizes come from how often each value occurs."
    streams = [model.windows[place].name for place in model.origins]
    twice = sorted({name for name in streams if streams.count(name) > 1})
    together = sorted({w.name for w in model.windows if w.bursts and w.name in twice})
    if together:
        yield (
            f"Sizes leave out that tuples of one burst of {', '.join(together)} meet each other: "
            "joined with itself, such a stream makes more results than predicted."
        )
    ranked = [known for known in model.graph.classes if known.by_rank]
    for known in ranked:
        names = ", ".join(f"{model.aliases[k.place]}.{k.attribute}" for k in known.keys)
        yield (
            f"The values of {names} are not listed alike: sizes take them to match by their place "
            "in the lists, not by value."
        )
    if twice and model.graph.twins is None:
        yield f"Sizes leave out that a tuple of {', '.join(twice)} also meets itself."
    if model.timing.evaluate is not None:
        yield (
            "Results are held to the windows as stated; the paper's lazy model, which lets them "
            "grow by the batch, stands beside each figure."
        )
    if model.graph.worths:
        yield "A comparison counts as much as the dearest predicate it checks (declared costs)."
    large = [c for c in model.graph.classes if len(c.keys) > 2]
    if large and any(s.selectivity is not None for s in statistics.predicates.values()):
        yield (
            "Where three or more sources join on one attribute, sizes come from distinct values; "
            "selectivities of pairs are not used."
        )

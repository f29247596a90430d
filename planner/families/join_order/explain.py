"""Join orders in words: the answer sentence, and the search step by step."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from planner.families.base import near_ties, plain_answer
from planner.families.join_order.heuristic import Trace
from planner.families.join_order.plan_space import (
    is_listed,
    plans_by_cost,
    score_weights,
    traced,
    worst_multiway,
)
from planner.families.join_order.plans import algorithm_of
from planner.families.join_order.search import MOST_STREAMS, best_general
from planner.families.protocol import Candidate, Ranking
from planner.joins.model import JoinModel
from planner.joins.upkeep import NEVER_STEADY
from planner.numbers import amount, percent_more, shortened, times
from planner.plan.cost import rounded
from planner.workload.execution import Statistics

# Below this, "1x cheaper than the worst plan" would say nothing.
LEAST_TIMES = 1.1
_SAVES = {
    "naive": "the same loops for every arriving stream save work",
    "general": "new tuples need not come first, nor streams in one order for all",
}


def answer(model: JoinModel, ranking: Ranking) -> str:
    """Which plan wins, by how much, because of what, and what comes close to it."""
    best, baseline = ranking.of(ranking.best), ranking.of(ranking.baseline)
    general = algorithm_of(best.label) == "general"
    name = "A general plan, an order for each arriving stream," if general else best.label
    if ranking.by.name == "seconds":
        return _by_seconds(name, best, baseline, near_ties(best, ranking))
    if ranking.by.name != "work":
        return plain_answer(ranking, name)
    least, worst = best.score, worst_multiway(model)
    if worst is not None and rounded(worst[0]) == rounded(least):
        every = f"all {factorial(len(model.windows)):,} orders cost the same"
        return f"{name}: {amount(least)} {_unit(model)}; {every}."
    if worst is None:
        against = f"{times(baseline.score, least)} cheaper than the FROM order"
    elif worst[0] < LEAST_TIMES * least:
        against = f"the worst {percent_more(worst[0], least)} above it"
    else:
        against = f"{times(worst[0], least)} cheaper than the worst plan"
    reason = _because(model, traced(model), best.label, least)
    ties = near_ties(best, ranking)
    return f"{name} wins: {amount(least)} {_unit(model)}, {against}, because {reason}{ties}."


def _by_seconds(name: str, best: Candidate, baseline: Candidate, ties: str) -> str:
    """Beside the FROM order: the worst by comparisons need not be the slowest."""
    if best.label == baseline.label:
        against = "which is the FROM order"
    elif baseline.score < LEAST_TIMES * best.score:
        against = f"the FROM order {percent_more(baseline.score, best.score)} above it"
    else:
        against = f"{times(baseline.score, best.score)} cheaper than the FROM order"
    made = f"{amount(best.cost.comparisons)} comparisons/s"
    if best.label != baseline.label:
        made += f" to its {amount(baseline.cost.comparisons)}"
    work = f"{amount(best.score)} s of work per s"
    return f"{name} wins by the clock: {work}, {against}, at {made}{ties}."


def why(model: JoinModel, statistics: Statistics) -> tuple[str, ...]:
    """The heuristic's steps, the exact search beside it, and what the model leaves out."""
    found = traced(model)
    steps = tuple(step.text for step in found.steps)
    return (*steps, *_left_out(model, statistics), *_exact(model, found))


def _because(model: JoinModel, found: Trace, best: str, least: float) -> str:
    heuristic, augmented = model.label(found.heuristic), model.label(found.augmented)
    algorithm = algorithm_of(best)
    if algorithm != "multiway":
        costs = f"makes {amount(found.augmented_cost)} {_unit(model)}"
        return f"{_SAVES[algorithm]}: the heuristic's {augmented} {costs}"
    if best == heuristic:
        first, second = (model.aliases[place] for place in found.heuristic[:2])
        held = amount(model.size(found.heuristic[:2]))
        return (
            f"{first} and {second} join most selectively ({held} results held) "
            "and little is passed down to the inner loops"
        )
    if best == augmented:
        saved = amount(found.heuristic_cost - found.augmented_cost)
        return f"fast streams moved up from {heuristic} save {saved} {_unit(model)}"
    if rounded(found.augmented_cost) <= rounded(least):
        return f"no order is cheaper than the heuristic's {augmented}, which costs the same"
    return (
        f"the exact search finds what the heuristic misses: its {augmented} "
        f"makes {amount(found.augmented_cost)} {_unit(model)}"
    )


def _unit(model: JoinModel) -> str:
    return "weighted comparisons/s" if model.graph.worths else "comparisons/s"


def _exact(model: JoinModel, found: Trace) -> Iterator[str]:
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

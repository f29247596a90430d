"""Join orders in words: the answer sentence, and the search told step by step."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from planner.execution import Statistics
from planner.families.join_order.heuristic import Trace
from planner.families.join_order.loops import algorithm_of
from planner.families.join_order.model import JoinModel
from planner.families.join_order.perorigin import MOST_STREAMS, best_general
from planner.families.join_order.ranking import plans_by_cost, traced
from planner.families.join_order.search import rounded
from planner.families.join_order.space import is_listed, score_weights, worst_multiway
from planner.family import Candidate, Ranking
from planner.wording import amount, percent_more, shortened, times

NEAR_TIE = 1.01
MOST_TIES_NAMED = 3
_NAMES = {
    "naive": "the same loops for every arriving stream (naive)",
    "general": "an order of its own for every arriving stream (general)",
}


def answer(model: JoinModel, ranking: Ranking) -> str:
    """Which plan wins, by how much, because of what, and what comes close to it."""
    best = next(c for c in ranking.candidates if c.label == ranking.best)
    unit = "s of work per s" if ranking.rank_by == "seconds" else _unit(model)
    ties = _near_ties(best, ranking)
    worst = worst_multiway(model)
    by_seconds = ranking.rank_by == "seconds"
    least = best.cost.comparisons if by_seconds else best.score
    if worst is not None and rounded(worst[0]) == rounded(least):
        every = f"all {factorial(len(model.windows)):,} orders cost the same"
        return f"{best.label}: {amount(best.score)} {unit}; {every}."
    if worst is not None:
        against = f"{times(worst[0], least)} under the worst"
    else:
        baseline = next(c for c in ranking.candidates if c.label == ranking.baseline)
        from_order = baseline.cost.comparisons if by_seconds else baseline.score
        against = f"{times(from_order, least)} under the FROM order"
    if by_seconds:
        against = f"{amount(least)} comparisons/s, {against}"
    reason = _because(model, traced(model), best.label, least)
    return f"{best.label} wins: {amount(best.score)} {unit}, {against}, because {reason}{ties}."


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
        return f"{_NAMES[algorithm]} saves work: the heuristic's {augmented} {costs}"
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


def _near_ties(best: Candidate, ranking: Ranking) -> str:
    close = [
        c for c in ranking.candidates if c.label != best.label and c.score <= NEAR_TIE * best.score
    ]
    if not close:
        return ""
    named = ", ".join(f"{c.label} ({_distance(c, best)})" for c in close[:MOST_TIES_NAMED])
    more = f" and {len(close) - MOST_TIES_NAMED:,} more" if len(close) > MOST_TIES_NAMED else ""
    if more and len(ranking.candidates) < ranking.considered:
        # Plans that are not listed may be as close: their number is not known.
        more = " and others"
    return f"; a near-tie with {named}{more}"


def _distance(other: Candidate, best: Candidate) -> str:
    if rounded(other.score) == rounded(best.score):
        return "the same cost"
    return f"{percent_more(other.score, best.score)} more"


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
    skewed = {key.place for c in model.graph.classes for key in c.keys if key.zipf}
    if skewed:
        names = ", ".join(model.aliases[place] for place in sorted(skewed))
        yield f"Keys of {names} are Zipf-distributed: sizes come from how often each value occurs."
    streams = [model.windows[place].name for place in model.origins]
    twice = sorted({name for name in streams if streams.count(name) > 1})
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

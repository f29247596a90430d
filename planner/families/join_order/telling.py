"""Join orders in words: the answer sentence, and the search told step by step."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from planner.execution import Statistics
from planner.families.join_order.heuristic import Trace, trace
from planner.families.join_order.model import JoinModel
from planner.families.join_order.search import cost_to_go, rounded
from planner.families.join_order.table import StepTable, step_table
from planner.family import Candidate, Ranking
from planner.wording import amount, percent_more, times

NEAR_TIE = 1.01
MOST_TIES_NAMED = 3


def answer(model: JoinModel, ranking: Ranking) -> str:
    """Which order wins, by how much, because of what, and what comes close to it."""
    best = next(c for c in ranking.candidates if c.label == ranking.best)
    unit = "s of work per s" if ranking.rank_by == "seconds" else "comparisons/s"
    ties = _near_ties(best, ranking)
    table = step_table(model)
    worst = float(cost_to_go(table, worst=True)[0])
    if rounded(worst) == rounded(best.cost.comparisons):
        every = f"all {ranking.considered:,} orders cost the same"
        return f"{best.label}: {amount(best.score)} {unit}; {every}."
    against = f"{times(worst, best.cost.comparisons)} under the worst"
    if ranking.rank_by == "seconds":
        against = f"{amount(best.cost.comparisons)} comparisons/s, {against}"
    reason = _because(model, trace(model, table), best)
    return f"{best.label} wins: {amount(best.score)} {unit}, {against}, because {reason}{ties}."


def why(model: JoinModel, statistics: Statistics) -> tuple[str, ...]:
    """The heuristic's steps, the exact search beside it, and what the model leaves out."""
    table = step_table(model)
    found = trace(model, table)
    steps = tuple(step.text for step in found.steps)
    return (*steps, _exact(model, table, found), *_left_out(model, statistics))


def _because(model: JoinModel, found: Trace, best: Candidate) -> str:
    heuristic, augmented = model.label(found.heuristic), model.label(found.augmented)
    if best.label == heuristic:
        first, second = (model.aliases[place] for place in found.heuristic[:2])
        held = amount(model.size(found.heuristic[:2]))
        return (
            f"{first} and {second} join most selectively ({held} results held) "
            "and little is passed down to the inner loops"
        )
    if best.label == augmented:
        saved = amount(found.heuristic_cost - found.augmented_cost)
        return f"fast streams moved up from {heuristic} save {saved} comparisons/s"
    return (
        f"the exact search finds what the heuristic misses: its {augmented} "
        f"makes {amount(found.augmented_cost)} comparisons/s"
    )


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


def _exact(model: JoinModel, table: StepTable, found: Trace) -> str:
    least = float(cost_to_go(table)[0])
    orders = f"{factorial(len(model.windows)):,}"
    if rounded(found.augmented_cost) <= rounded(least):
        return f"The exact search over all {orders} orders finds none cheaper."
    above = percent_more(found.augmented_cost, least)
    return (
        f"The exact search over all {orders} orders finds {amount(least)}/s; "
        f"the augmented heuristic is {above} above it."
    )


def _left_out(model: JoinModel, statistics: Statistics) -> Iterator[str]:
    skewed = [window.alias for window in model.windows if window.zipf]
    if skewed:
        yield f"Keys are priced as uniform, but those of {', '.join(skewed)} are Zipf-distributed."
    streams = [window.stream for window in model.windows]
    twice = sorted({name for name in streams if streams.count(name) > 1})
    if twice:
        yield f"Sizes leave out that a tuple of {', '.join(twice)} also meets itself."
    if any(s.selectivity is not None for s in statistics.predicates.values()):
        yield "Sizes come from distinct values; selectivities of equalities are not used."

"""Ends of answer sentences: which plans come close to the best, and how others compare with it."""

from __future__ import annotations

from planner.families.protocol import Candidate, Ranking
from planner.numbers import amount, shortened
from planner.plan.cost import rounded

NEAR_TIE = 1.01
MOST_TIES_NAMED = 3


def near_ties(best: Candidate, ranking: Ranking) -> str:
    """The plans within a percent of the best; nothing where there is none."""
    by = ranking.by
    others = (c for c in ranking.candidates if c.label != best.label and by.eligible(c.label))
    close = [c for c in others if by.within(c.score, best.score, NEAR_TIE)]
    if not close:
        return ""
    named = ", ".join(
        f"{shortened(c.label, 48)} ({_distance(c, best, ranking)})" for c in close[:MOST_TIES_NAMED]
    )
    more = f" and {len(close) - MOST_TIES_NAMED:,} more" if len(close) > MOST_TIES_NAMED else ""
    if more and len(ranking.candidates) < ranking.considered:
        # Plans that are not listed may be as close: their number is not known.
        more = " and others"
    return f"; a near-tie with {named}{more}"


def _distance(other: Candidate, best: Candidate, ranking: Ranking) -> str:
    if rounded(other.score) == rounded(best.score):
        return "the same cost" if ranking.by.is_lowest else "the same"
    return ranking.by.behind(other.score, best.score)


def plain_answer(ranking: Ranking, name: str | None = None) -> str:
    """Which plan is best by any objective, and how the baseline compares with it."""
    by, best, baseline = ranking.by, ranking.of(ranking.best), ranking.of(ranking.baseline)
    head = f"{name or shortened(best.label)} wins: {amount(best.score)} {by.unit}"
    if all(rounded(c.score) == rounded(best.score) for c in ranking.candidates):
        return f"{head}; all plans that are listed have the same."
    against = ""
    if best.label != baseline.label:
        against = f", where {shortened(baseline.label)} has {amount(baseline.score)}"
    return f"{head}{against}{near_ties(best, ranking)}."

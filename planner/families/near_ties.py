"""Plans that cost about as much as the best one, as the end of an answer sentence."""

from __future__ import annotations

from planner.families.protocol import Candidate, Ranking
from planner.numbers import percent_more, shortened
from planner.plan.cost import rounded

NEAR_TIE = 1.01
MOST_TIES_NAMED = 3


def near_ties(best: Candidate, ranking: Ranking) -> str:
    """The plans within a percent of the best; nothing where there is none."""
    close = [
        c for c in ranking.candidates if c.label != best.label and c.score <= NEAR_TIE * best.score
    ]
    if not close:
        return ""
    named = ", ".join(
        f"{shortened(c.label, 48)} ({_distance(c, best)})" for c in close[:MOST_TIES_NAMED]
    )
    more = f" and {len(close) - MOST_TIES_NAMED:,} more" if len(close) > MOST_TIES_NAMED else ""
    if more and len(ranking.candidates) < ranking.considered:
        # Plans that are not listed may be as close: their number is not known.
        more = " and others"
    return f"; a near-tie with {named}{more}"


def _distance(other: Candidate, best: Candidate) -> str:
    if rounded(other.score) == rounded(best.score):
        return "the same cost"
    return f"{percent_more(other.score, best.score)} more"

"""Short ways to ask plan spaces in tests."""

from __future__ import annotations

from planner.families.protocol import PlanSpace, Ranking


def why(space: PlanSpace) -> tuple[str, ...]:
    """The sentences that explain the best plan."""
    return space.explanation(space.rank(top=1)).why


def ranked_by_seconds(space: PlanSpace, top: int | None) -> Ranking:
    """The plans by their seconds."""
    return space.rank(space.objective("seconds"), top)

"""The plans that a ranking shows at first: those a reader learns from, not eight near-equal ones.

These are the best plan and the runner-up, the first plan of another shape, those with a name
(baseline, heuristics, landmarks of the family), and the worst. Plans within a percent of the best
are a fold-out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from planner.families.base import NEAR_TIE
from planner.families.protocol import Candidate, Ranking
from planner.plan.cost import rounded

# A list of fewer plans has room for the best ones of other shapes.
ENOUGH = 6
# So few plans are all in the list.
MOST_LISTED = 9
RUNNER_UP, OTHER_SHAPE, WORST = "runner-up", "other shape", "worst"


@dataclass(frozen=True, slots=True)
class ShortList:
    """The instructive plans, best first, with names for what they show; `ties` come on demand."""

    plans: tuple[Candidate, ...]
    names: dict[str, tuple[str, ...]]
    ties: tuple[Candidate, ...]


def short_list(
    ranking: Ranking,
    shape: Callable[[str], str],
    landmarks: Sequence[str] = (),
    also: Sequence[str] = (),
) -> ShortList:
    """The instructive plans of a ranking, and `also` these; `shape` is what a plan looks like."""
    by, best = ranking.by, ranking.of(ranking.best)
    others = [c for c in ranking.candidates if c.label != best.label and by.eligible(c.label)]
    named: list[tuple[str, Candidate | None]] = [
        (RUNNER_UP, next(iter(others), None)),
        (OTHER_SHAPE, next((c for c in others if shape(c.label) != shape(best.label)), None)),
        (WORST, worst(ranking)),
    ]
    tagged = (c for c in ranking.candidates if c.tags)
    names = {c.label: tuple(tag for tag in c.tags if tag != WORST) for c in tagged}
    for name, found in named:
        # A runner-up of another shape is the runner-up: its head has little room.
        if found is not None and not (
            name == OTHER_SHAPE and RUNNER_UP in names.get(found.label, ())
        ):
            names[found.label] = (*names.get(found.label, ()), name)
    if len(ranking.candidates) <= MOST_LISTED:
        also = [c.label for c in ranking.candidates]
    kept = {best.label, *(label for label, own in names.items() if own), *landmarks, *also}
    kept |= set(_of_new_shapes(ranking, shape, kept))
    plans = tuple(c for c in ranking.candidates if c.label in kept)
    close = (c for c in others if by.within(c.score, best.score, NEAR_TIE))
    return ShortList(plans, names, tuple(c for c in close if c.label not in kept))


def _of_new_shapes(
    ranking: Ranking, shape: Callable[[str], str], kept: Collection[str]
) -> Iterator[str]:
    """The first plans of shapes that are not in the list yet, as many as there is room for."""
    known, left = {shape(label) for label in kept}, ENOUGH - len(kept)
    for candidate in ranking.candidates:
        if left <= 0:
            return
        if shape(candidate.label) not in known:
            known.add(shape(candidate.label))
            left -= 1
            yield candidate.label


def worst(ranking: Ranking) -> Candidate | None:
    """The worst of all plans that are listed; None where all are the same, or not all are known."""
    eligible = [c for c in ranking.candidates if ranking.by.eligible(c.label)]
    last, first = eligible[-1], ranking.of(ranking.best)
    if len(ranking.candidates) < ranking.considered or rounded(last.score) == rounded(first.score):
        return None
    return last

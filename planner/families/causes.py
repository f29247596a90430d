"""Why a plan wins, in causes that can be checked: what is special about its inputs, and what the
next plan does differently, operator by operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.families.base import NEAR_TIE, SAME
from planner.families.protocol import Candidate, PlanSpace, Ranking
from planner.numbers import duration, figure, quoted
from planner.plan.by_operator import CPU, field_of
from planner.plan.cost import COST_UNITS
from planner.plan.difference import ComparedPlan, aligned
from planner.plan.objective import STATE, WORK
from planner.plan.operator_names import activity

# So many operators of each plan are named.
_MOST_NAMED = 2
# An operator's name, and its figure in the winner and in the runner-up.
_Pair = tuple[str, float, float]


def causes(space: PlanSpace, ranking: Ranking) -> tuple[str, ...]:
    """Sentences, each of which says one thing that can be checked."""
    found = sides(space, ranking)
    if found is not None:
        return (*space.facts(ranking.best), *_rival(ranking, *found))
    if len(ranking.candidates) == 1:
        return space.facts(ranking.best)
    by, best = ranking.by, ranking.of(ranking.best)
    alike = all(by.within(c.score, best.score, SAME) for c in ranking.candidates)
    # Nothing speaks for a plan that is as good as any other.
    facts = () if alike else space.facts(ranking.best)
    near = "come to the same" if alike else "are within 1% of the best one"
    what = by.kind.lower() or by.title.lower()
    return (*facts, f"All plans that are listed {near}: by {what}, it hardly matters which runs.")


def runner_up(ranking: Ranking) -> Candidate | None:
    """The best plan that is no near-tie with the winner; None where all are."""
    by, best = ranking.by, ranking.of(ranking.best)
    others = (c for c in ranking.candidates if c.label != best.label and by.eligible(c.label))
    return next((c for c in others if not by.within(c.score, best.score, NEAR_TIE)), None)


def sides(space: PlanSpace, ranking: Ranking) -> tuple[ComparedPlan, ComparedPlan] | None:
    """The winner and the runner-up with their costs; None where there is no runner-up."""
    other = runner_up(ranking)
    if other is None:
        return None
    time = space.objective("seconds")
    plans = (space.plan(ranking.best), space.plan(other.label))
    first, second = (
        ComparedPlan(space.title(p.label), p, space.estimate(p).costs, time=time) for p in plans
    )
    return first, second


def _rival(ranking: Ranking, first: ComparedPlan, second: ComparedPlan) -> Iterator[str]:
    """What the runner-up costs more, and where."""
    by, best = ranking.by, ranking.of(ranking.best)
    other = next(c for c in ranking.candidates if c.label == second.plan.label)
    behind = by.behind(other.score, best.score)
    yield f"The next different plan is {quoted(second.name)}: {by.said(other.score)}, {behind}."
    field = field_of(by)
    if field is None:
        field = field_of(WORK) or ""
    dearer, cheaper = _differences(first, second, field)
    if dearer:
        needs = "holds more tuples" if field == STATE.part else f"needs more {_unit(field)}"
        yield f"It {needs} for {_listed(dearer, field)}."
    if cheaper:
        needs = "holds fewer" if field == STATE.part else "needs less"
        yield f"It {needs} for {_listed(cheaper, field)}."


def _unit(field: str) -> str:
    return "CPU" if field == CPU else COST_UNITS[field].replace("/s", " per second of stream")


def _differences(
    first: ComparedPlan, second: ComparedPlan, field: str
) -> tuple[list[_Pair], list[_Pair]]:
    """The operators at which the second plan costs more, and less; the largest differences first.

    Operators that are called the same do the same on other inputs: they are held against each
    other.
    """
    pairs: dict[str, _Pair] = {}
    for found in aligned(first, second, field):
        name = activity(found.operator)
        own, theirs = (value or 0.0 for value in found.predicted)
        before = pairs.get(name, (name, 0.0, 0.0))
        pairs[name] = (name, before[1] + own, before[2] + theirs)
    apart = [pair for pair in pairs.values() if figure(pair[1]) != figure(pair[2])]
    apart.sort(key=lambda pair: -abs(pair[2] - pair[1]))
    dearer = [pair for pair in apart if pair[2] > pair[1]]
    cheaper = [pair for pair in apart if pair[2] < pair[1]]
    return dearer[:_MOST_NAMED], cheaper[:_MOST_NAMED]


def _listed(pairs: Sequence[_Pair], field: str) -> str:
    return " and ".join(
        f"{name} ({_said(theirs, field)} instead of {_said(own, field)})"
        for name, own, theirs in pairs
    )


def _said(value: float, field: str) -> str:
    return duration(value / 1e6) if field == CPU and value else figure(value)

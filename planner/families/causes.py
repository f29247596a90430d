"""Why a plan wins, in causes that can be checked: what is special about its inputs, and what the
next plan of another shape does differently, operator by operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.families.base import NEAR_TIE
from planner.families.protocol import Candidate, PlanSpace, Ranking
from planner.numbers import figure, quoted
from planner.plan.cost import COST_UNITS
from planner.plan.difference import ComparedPlan, aligned
from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan

# So many operators of each plan are named.
_MOST_NAMED = 2
# An operator's name, and what it costs in the winner and in the runner-up.
_Pair = tuple[str, float, float]


def causes(space: PlanSpace, ranking: Ranking) -> tuple[str, ...]:
    """Sentences, each of which says one thing that can be checked."""
    return (*space.facts(ranking.best), *_rival(space, ranking))


def runner_up(ranking: Ranking) -> Candidate | None:
    """The best plan that is no near-tie with the winner: the first of another shape."""
    by, best = ranking.by, ranking.of(ranking.best)
    others = [c for c in ranking.candidates if c.label != best.label and by.eligible(c.label)]
    apart = (c for c in others if not by.within(c.score, best.score, NEAR_TIE))
    return next(apart, others[-1] if others else None)


def sides(space: PlanSpace, ranking: Ranking) -> tuple[ComparedPlan, ComparedPlan] | None:
    """The winner and the runner-up with their costs; None where there is one plan alone."""
    other = runner_up(ranking)
    if other is None:
        return None
    plans = (space.plan(ranking.best), space.plan(other.label))
    first, second = (ComparedPlan(space.title(p.label), p, space.estimate(p).costs) for p in plans)
    return first, second


def _rival(space: PlanSpace, ranking: Ranking) -> Iterator[str]:
    """What the runner-up costs more, and where."""
    found, other = sides(space, ranking), runner_up(ranking)
    if found is None or other is None:
        return
    by, best = ranking.by, ranking.of(ranking.best)
    first, second = found
    behind = by.behind(other.score, best.score)
    yield f"The next different plan is {quoted(second.name)}: {by.said(other.score)}, {behind}."
    part = by.part if by.part in COST_UNITS else "comparisons"
    unit = COST_UNITS[part].replace("/s", " per second of stream")
    dearer, cheaper = _differences(first, second, part)
    if dearer:
        yield f"It needs more {unit} for {_listed(dearer)}."
    if cheaper:
        yield f"It needs less for {_listed(cheaper)}."


def _differences(
    first: ComparedPlan, second: ComparedPlan, part: str
) -> tuple[list[_Pair], list[_Pair]]:
    """The operators at which the second plan costs more, and less; the largest differences first.

    Operators of one name do the same on other inputs: they are held against each other.
    """
    pairs: dict[str, _Pair] = {}
    for found in aligned(first, second):
        name = operator_name(found.operator)
        own, theirs = (value or 0.0 for value in found.figures(part))
        before = pairs.get(name, (name, 0.0, 0.0))
        pairs[name] = (name, before[1] + own, before[2] + theirs)
    apart = [pair for pair in pairs.values() if figure(pair[1]) != figure(pair[2])]
    apart.sort(key=lambda pair: -abs(pair[2] - pair[1]))
    dearer = [pair for pair in apart if pair[2] > pair[1]]
    cheaper = [pair for pair in apart if pair[2] < pair[1]]
    return dearer[:_MOST_NAMED], cheaper[:_MOST_NAMED]


def _listed(pairs: Sequence[_Pair]) -> str:
    return " and ".join(
        f"{name} ({figure(theirs)} instead of {figure(own)})" for name, own, theirs in pairs
    )


def source_facts(space: PlanSpace, plan: Plan) -> tuple[str, ...]:
    """What stands out among the sources that a plan reads: a slow stream, a small window."""
    read = {str(op.param("source")) for op in plan.operators() if op.kind == "arrive"}
    workload = space.workload
    sources = {
        source.alias: source
        for query in workload.queries
        for source in query.sources
        if source.alias in read or source.name in read
    }
    rates = {
        alias: stream.rate
        for alias, source in sources.items()
        for stream in workload.streams
        if stream.name == source.name and stream.rate
    }
    return tuple(_extremes(rates))


def _extremes(rates: dict[str, float]) -> Iterator[str]:
    if len(set(rates.values())) < 2:
        return
    slow, fast = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
    yield (
        f"{slow} is the slowest stream, with a rate of {figure(rates[slow])} per second; {fast} is "
        f"the fastest, with {figure(rates[fast])}."
    )

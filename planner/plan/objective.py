"""What plans are ranked by: a figure of a plan, its unit, and whether the lowest or highest wins.

The same objective ranks predictions and measurements: it is read from an `Estimate` or from a
`Measurement`, which have one shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from planner.numbers import duration, figure, percent_less, percent_more, times
from planner.plan.cost import COST_UNITS, Cost, Quality, rounded, total
from planner.plan.plan import Plan

T = TypeVar("T")


class PlanOutcome(Protocol):
    """What a plan costs and how well it answers: predicted, or measured."""

    @property
    def costs(self) -> Mapping[str, Cost]:
        """The cost of every operator, by its id; empty where nothing was measured."""

    @property
    def qualities(self) -> Mapping[str, Quality]:
        """The quality of every query, by its name."""


@dataclass(frozen=True, slots=True)
class Objective:
    """One figure that plans are ranked by.

    `name` is what `--rank` takes and `figure` what the JSON of a ranking says; `title` heads a
    column and `unit` follows a number. `part` is the part of a `Cost` that operators add up to it,
    None where it is no sum over operators. `of` reads the figure of a plan, None where it was not
    measured. A plan that is not `eligible` is listed, but never the best. `better` and `worse` are
    the words for a lower and a higher figure: a delay is shorter, not cheaper. `kind` is its name
    on the switch of pages, where objectives of one kind share a place: all delays are `Delay`.
    """

    name: str
    title: str
    unit: str
    figure: str
    of: Callable[[Plan, PlanOutcome], float | None] = field(compare=False, repr=False)
    best: Literal["lowest", "highest"] = "lowest"
    part: str | None = None
    eligible: Callable[[str], bool] = field(default=lambda _: True, compare=False, repr=False)
    better: str = field(default="", compare=False, repr=False)
    worse: str = field(default="", compare=False, repr=False)
    kind: str = field(default="", compare=False, repr=False)
    # Whether it is a sum over a whole run, which grows as a run goes on.
    grows: bool = False
    # What each operator adds to the figure, by its id; None where it is no sum over operators.
    spread: Callable[[Plan, PlanOutcome], Mapping[str, float]] | None = field(
        default=None, compare=False, repr=False
    )

    def by_operator(self, plan: Plan, outcome: PlanOutcome) -> Mapping[str, float] | None:
        """What each operator adds to the figure; None for delays and importance, and where
        nothing was measured."""
        return self.spread(plan, outcome) if self.spread and outcome.costs else None

    def said(self, score: float) -> str:
        """A score as sentences have it: in three digits, and whose seconds are meant.

        >>> WORK.said(16094.2)
        '16,100 comparisons per second of stream'
        """
        if self.name == "seconds":
            return f"{duration(score)} of CPU per second of stream"
        return f"{figure(score)} {self.unit.replace('/s', ' per second of stream', 1)}"

    @property
    def is_lowest(self) -> bool:
        return self.best == "lowest"

    def signed(self, score: float) -> float:
        """The score such that less is better."""
        return score if self.is_lowest else -score

    def key(self, score: float, label: str = "") -> tuple[float, str]:
        """What sorts plans best first: by score to 12 digits, ties by label."""
        return self.signed(rounded(score)), label

    def ordered(self, scores: Mapping[str, float]) -> list[str]:
        return sorted(scores, key=lambda label: self.key(scores[label], label))

    def first(self, labels: Iterable[str]) -> str:
        """The best of labels that come best first: the first that is eligible."""
        return next(filter(self.eligible, labels))

    def top(self, entries: Iterable[T], score: Callable[[T], float]) -> T:
        """The entry with the best score; of equals, the first."""
        return (min if self.is_lowest else max)(entries, key=score)

    def bottom(self, entries: Iterable[T], score: Callable[[T], float]) -> T:
        """The entry with the worst score; of equals, the first."""
        return (max if self.is_lowest else min)(entries, key=score)

    def is_better(self, score: float, other: float) -> bool:
        return score < other if self.is_lowest else score > other

    def sides(self, worse: float, better: float) -> tuple[float, float]:
        """Two scores, the larger one first."""
        return (worse, better) if self.is_lowest else (better, worse)

    def within(self, score: float, best: float, factor: float) -> bool:
        """Whether a score is at most so many times worse than the best one."""
        larger, smaller = self.sides(score, best)
        return larger <= factor * smaller

    def behind(self, worse: float, better: float) -> str:
        """How far a score is from a better one: `3% more`, or `3% less` where the highest wins."""
        if self.is_lowest:
            return f"{percent_more(worse, better)} {self.worse or 'more'}"
        return f"{percent_less(worse, better)} less"

    def ahead(self, better: float, worse: float) -> str:
        """How far a score is from a worse one: `5.4x cheaper`; where the highest wins, `more`."""
        word = self.better or ("cheaper" if self.is_lowest else "more")
        return f"{times(*self.sides(worse, better))} {word}"


def part_of_cost(
    name: str, part: str, best: Literal["lowest", "highest"] = "lowest", kind: str = "Work"
) -> Objective:
    """An objective that is a part of a plan's cost, which its operators add up to."""

    def of(plan: Plan, outcome: PlanOutcome) -> float | None:
        if not outcome.costs:
            return None
        whole = total(outcome.costs, (root.id for root in plan.roots))
        value: float = getattr(whole, part)
        return value

    def spread(_: Plan, outcome: PlanOutcome) -> dict[str, float]:
        return {name: float(getattr(cost, part)) for name, cost in outcome.costs.items()}

    unit = COST_UNITS[part]
    return Objective(name, unit.capitalize(), unit, part, of, best, part, kind=kind, spread=spread)


WORK = part_of_cost("work", "comparisons")
STATE = part_of_cost("state", "state_tuples", kind="Memory")

"""What all plan spaces do alike: objectives, the best plan, and the ranking of plans in a list."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from planner.errors import PlanError
from planner.families.grid_pricing import MOST_LISTED, GridPrices, PriceParts, of_listed
from planner.families.protocol import MOST_CANDIDATES, Candidate, PlanSpace, Ranking
from planner.joins.arrays import Floats
from planner.numbers import duration, figure, percent_less, percent_more, quoted, times
from planner.plan.cost import Cost, UnitCosts, rounded
from planner.plan.objective import STATE, WORK, Objective, PlanOutcome
from planner.plan.plan import Plan
from planner.seconds.units import units_of
from planner.time_limit import check
from planner.workload.validation import listed
from planner.workload.workload import Workload

T = TypeVar("T")

# Ranked by seconds are so many plans at most, those best by the default objective, where the
# seconds of a plan are added up over its operators.
MOST_TIMED = 256
# Other words for objectives that the commands accept.
_ALIASES = {"comparisons": "work"}


class BaseSpace(PlanSpace):
    """The plans of one workload: what is the same for every family."""

    def __init__(self, workload: Workload, units: UnitCosts | None, default: Objective) -> None:
        self.workload = workload
        self.units = units_of(workload, units)
        self.seconds = Objective(
            "seconds",
            "Kernel seconds",
            "s of work per s",
            "seconds",
            self._seconds_of,
            kind="Time",
            spread=self._seconds_by_operator,
        )
        work = () if default.name == WORK.name else (WORK,)
        self.objectives: tuple[Objective, ...] = (default, *work, self.seconds, STATE)

    def objective(self, name: str | None) -> Objective:
        if name is None:
            return self.objectives[0]
        for known in self.objectives:
            if known.name == _ALIASES.get(name, name):
                return known
        names = listed(known.name for known in self.objectives)
        raise PlanError(f"no objective {name!r}; plans are ranked by {names}", "--rank")

    def _seconds_of(self, plan: Plan, outcome: PlanOutcome) -> float | None:
        return self.plan_seconds(plan, outcome.costs) if outcome.costs else None

    def _seconds_by_operator(self, plan: Plan, outcome: PlanOutcome) -> dict[str, float]:
        spent = self.kernel_work(plan, outcome.costs).operators
        pairs = zip(plan.operators(), spent, strict=True)
        return {operator.id: work.seconds(self.units) for operator, work in pairs}

    def plan_seconds(self, plan: Plan, costs: Mapping[str, Cost]) -> float:
        """Seconds of work per second of stream time, of costs predicted or measured."""
        return rounded(self.kernel_work(plan, costs).seconds(self.units))

    def best(self, by: Objective | None = None) -> Plan:
        return self.plan(self.best_label(by or self.objectives[0]))

    def best_label(self, by: Objective) -> str:
        """The label of the best plan."""
        return self.rank(by, 1).best

    def plan(self, label: str) -> Plan:
        return next(self.plans([label]))

    def title(self, label: str) -> str:
        return label

    def lasting(self, label: str) -> str:
        return label

    def facts(self, label: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def capability(self, kind: type[T]) -> T | None:
        return self if isinstance(self, kind) else None


class ListedSpace(BaseSpace, ABC):
    """A space whose plans can all be listed and scored; those with a name are always timed.

    `most_timed` of the best have their seconds beside another ranking.
    """

    baseline: str
    most_timed: int = MOST_TIMED

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """The labels of all plans that are listed, the baseline first."""

    @property
    def named(self) -> Sequence[str]:
        """Plans that are always timed, wherever they rank."""
        return (self.baseline,)

    @property
    def is_whole(self) -> bool:
        """Whether all plans there are, are listed."""
        return True

    @property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Plans that are left out, and why."""
        return ()

    @abstractmethod
    def cost(self, label: str) -> Cost:
        """What a plan costs in all."""

    @abstractmethod
    def score(self, label: str) -> float:
        """A plan's score by the default objective."""

    def seconds_by_label(self, label: str) -> float:
        """Seconds of work per second of stream time of a plan."""
        plan = next(self.plans([label]))
        return self.plan_seconds(plan, self.estimate(plan).costs)

    def tags(self, ordered: Sequence[str], best: str) -> dict[str, str]:  # noqa: ARG002
        """Names of plans, each with the plan's label."""
        return {"best": best, "baseline": self.baseline}

    def candidates(self) -> Iterator[Plan]:
        return self.plans(self.labels)

    def best_label(self, by: Objective) -> str:
        return by.first(self._ordered(by)[0])

    def scores(self, labels: Sequence[str], by: Objective | None = None) -> tuple[float, ...]:
        return tuple(self._score(label, by or self.objectives[0]) for label in labels)

    def _score(self, label: str, by: Objective) -> float:
        check()
        if by == self.objectives[0]:
            return self.score(label)
        if by == self.seconds:
            return self.seconds_by_label(label)
        if by.part is not None:
            figure: float = getattr(self.cost(label), by.part)
            return figure
        plan = self.plan(label)
        found = by.of(plan, self.estimate(plan))
        if found is None:
            raise PlanError(f"has no {by.title.lower()} here; choose another objective", label)
        return found

    def price_parts(self, by: Objective) -> PriceParts | None:
        """The scores of all plans, where they are few and each has a label in every cell."""
        if not self.is_whole or len(self.labels) > MOST_LISTED:
            return None
        labels = tuple(self.labels)
        return PriceParts(labels, np.array(self.scores(labels, by)))

    def combined(self, parts: Floats, by: Objective) -> GridPrices:
        return of_listed(self.labels, parts, by)

    def _ordered(self, by: Objective) -> tuple[list[str], dict[str, float]]:
        """The labels of the plans that are compared, best first, and their scores."""
        compared = list(self.labels)
        if by == self.seconds and len(compared) > MOST_TIMED:
            compared = self._timed(compared)
        score = {label: self._score(label, by) for label in compared}
        return by.ordered(score), score

    def _timed(self, labels: Sequence[str]) -> list[str]:
        """The best by the default objective, and those with a name."""
        default, named = self.objectives[0], set(self.named)
        ordered = default.ordered({label: self._score(label, default) for label in labels})
        return [own for n, own in enumerate(ordered) if n < MOST_TIMED or own in named]

    def rank(self, by: Objective | None = None, top: int | None = None) -> Ranking:
        """The `top` best plans (None: all that are listed) and the baseline.

        By seconds, those that are timed are ranked: the best ones, and those with a name.
        """
        by = by or self.objectives[0]
        ordered, score = self._ordered(by)
        best = by.first(ordered)
        shown = ordered[: MOST_CANDIDATES if top is None else min(top, MOST_CANDIDATES)]
        # A plan that is not eligible may come before the best one.
        shown += [label for label in dict.fromkeys((best, self.baseline)) if label not in shown]
        tags = self.tags(ordered, best)
        known = {*self.named, *tags.values()}
        timed = (label for n, label in enumerate(shown) if n < self.most_timed or label in known)
        seconds = score if by == self.seconds else {at: self.seconds_by_label(at) for at in timed}
        return Ranking(
            tuple(
                Candidate(
                    label,
                    self.cost(label),
                    score[label],
                    tuple(tag for tag, tagged in tags.items() if tagged == label),
                    seconds=seconds.get(label),
                )
                for label in shown
            ),
            best,
            self.baseline,
            considered=len(ordered),
            truncated=not self.is_whole or len(ordered) < len(self.labels),
            by=by,
            excluded=self.excluded,
        )


NEAR_TIE = 1.01
# In three digits the same.
SAME = 1.0001


def near_ties(best: Candidate, ranking: Ranking) -> str:
    """How many plans are within a percent of the best; nothing where there is none."""
    by = ranking.by
    others = (c for c in ranking.candidates if c.label != best.label and by.eligible(c.label))
    close = [c for c in others if by.within(c.score, best.score, NEAR_TIE)]
    if not close:
        return ""
    if len(ranking.candidates) < ranking.considered and len(close) > 1:
        # Plans that are not listed may be as close: their number is not known.
        return "; several other plans are within 1% of it"
    alike = all(rounded(c.score) == rounded(best.score) for c in close)
    near = f"as {'cheap' if by.is_lowest and not by.better else 'good'}" if alike else "within 1%"
    return f"; {_counted(len(close))} {near}{'' if alike else ' of it'}"


def _counted(count: int) -> str:
    return "1 other plan is" if count == 1 else f"{count:,} other plans are"


Title = Callable[[str], str]


def plain_answer(ranking: Ranking, title: Title = str) -> str:
    """Which plan is best by any objective, and how the baseline compares with it."""
    by, best, baseline = ranking.by, ranking.of(ranking.best), ranking.of(ranking.baseline)
    if all(by.within(c.score, best.score, SAME) for c in ranking.candidates):
        every = "All plans that are listed" if ranking.truncated else "All plans"
        return f"{every} come to the same: {by.said(best.score)}."
    head = f"{title(best.label)} wins: {by.said(best.score)}"
    against = ""
    if best.label != baseline.label:
        other = duration(baseline.score) if by.name == "seconds" else figure(baseline.score)
        against = f", compared with {other} for {quoted(title(baseline.label))}"
    return f"{head}{against}{near_ties(best, ranking)}."


def answer_beside_baseline(
    ranking: Ranking, title: Title, because: Callable[[], str], because_not: Callable[[], str]
) -> str:
    """Which plan wins by work or seconds, and why: it beats the baseline, or that is the best."""
    best, baseline = ranking.of(ranking.best), ranking.of(ranking.baseline)
    head = f"{title(best.label)} wins: {ranking.by.said(best.score)}"
    ties = near_ties(best, ranking)
    if best.label == baseline.label:
        second = next((c for c in ranking.candidates if c.label != baseline.label), None)
        closest = ""
        if second is not None and not ties:
            more = percent_more(second.score, best.score)
            closest = f"; {quoted(title(second.label))} needs {more} more"
        return f"{head}{closest}, because {because_not()}{ties}."
    by_far = f"{times(baseline.score, best.score)} cheaper"
    if baseline.score < 1.1 * best.score:
        by_far = f"{percent_less(best.score, baseline.score)} less"
    against = f"{by_far} than {quoted(title(baseline.label))}"
    return f"{head}, {against}, because {because()}{ties}."

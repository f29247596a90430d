"""Objectives: what plans are ranked by, the lowest or the highest first, in every place alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from planner.errors import PlanError
from planner.families.base import ListedSpace, plain_answer
from planner.families.capabilities import Changes, Clocked, IndexAdvice, Switching
from planner.families.protocol import Explanation, PlanSpace, Ranking
from planner.families.registry import FAMILIES, family
from planner.plan.cost import Cost, Estimate, Quality, UnitCosts
from planner.plan.objective import Objective, PlanOutcome, part_of_cost
from planner.plan.plan import Operator, Plan
from planner.report.plans_report import plans_document
from planner.report.replanning_report import answer
from planner.seconds.kernel_work import KernelWork, Work
from planner.whatif.axes import Axis
from planner.whatif.rates import RateTrace
from planner.whatif.replanning import replan
from planner.whatif.sweeps import sweep
from planner.workload.workload import Workload
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES
from tests.planner.shedding import STAR_SAMPLES
from tests.planner.workloads import TABLE_5, equality_join

# What a plan keeps of each tuple: how much it is worth, and what it costs.
KEPT = {"all": (1.0, 9.0), "half": (0.5, 4.0), "tenth": (0.1, 1.0)}


def _importance(_: Plan, outcome: PlanOutcome) -> float | None:
    found = [q.importance for q in outcome.qualities.values() if q.importance is not None]
    return sum(found) if found else None


class Keeping:
    """A made-up family: plans that keep more of the tuples are better, but `all` is no choice."""

    name = "keeping"
    objective = Objective(
        "importance",
        "Importance",
        "importance",
        "importance",
        _importance,
        best="highest",
        eligible=lambda label: label != "all",
    )
    symbols = ""
    cites = ("nobody",)

    def refuses(self, workload: Workload) -> str | None:  # noqa: ARG002
        """It covers everything."""
        return None

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        """Its three plans."""
        return KeepingPlans(workload, units)


class KeepingPlans(ListedSpace):
    """The plans: each keeps a share of the tuples of the first stream, up to 30 a second."""

    baseline = "tenth"

    def __init__(self, workload: Workload, units: UnitCosts | None) -> None:
        super().__init__(workload, units, Keeping.objective)
        self._rate = workload.streams[0].rate or 0.0

    @property
    def labels(self) -> Sequence[str]:
        """The baseline first."""
        return ("tenth", "half", "all")

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """One operator each."""
        for label in labels:
            if label not in KEPT:
                raise PlanError("no such plan", label)
            yield Plan("keeping", label, (Operator("keep", (("share", KEPT[label][0]),)),))

    def score(self, label: str) -> float:
        """What is kept; a tenth is all that fast streams leave time for."""
        share = KEPT[label][0]
        return self._rate * (share if self._rate * share <= 30 else 0.05)

    def cost(self, label: str) -> Cost:
        """What it does."""
        return Cost(comparisons=KEPT[label][1], state_tuples=self._rate * KEPT[label][0])

    def estimate(self, plan: Plan) -> Estimate:
        """The cost and the quality."""
        (root,) = plan.roots
        qualities = {"Q1": Quality(importance=self.score(plan.label))}
        return Estimate({root.id: self.cost(plan.label)}, qualities)

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        """It has no kernel."""
        work = tuple(Work("none keep", costs[root.id]) for root in plan.roots)
        return KernelWork("none", work, Work("none batch", Cost()))

    def explanation(self, ranking: Ranking) -> Explanation:
        """The best and the baseline."""
        return Explanation(plain_answer(ranking), (), tuple)


WORKLOAD = equality_join(TABLE_5)


def test_the_highest_eligible_plan_is_the_best() -> None:
    space = Keeping().space(WORKLOAD)
    ranking = space.rank()
    assert [c.label for c in ranking.candidates] == ["all", "half", "tenth"]
    assert (ranking.best, ranking.baseline) == ("half", "tenth")
    assert space.best().label == "half"
    assert space.explanation(ranking).answer == (
        "half wins: 5 importance, compared with 1 for “tenth”."
    )
    by_state = space.rank(space.objective("state"))
    assert (by_state.best, by_state.candidates[0].score) == ("tenth", 1.0)
    document = plans_document(WORKLOAD, [Keeping()], None)["families"]["keeping"]
    assert (document["rank_by"], document["best"]) == ("importance", "half")
    assert document["scores"] == {"all": 10, "half": 5, "tenth": 1}


def test_near_ties_of_the_highest_are_those_slightly_below() -> None:
    space = Keeping().space(WORKLOAD)
    ranking = space.rank()
    best = ranking.of("half")
    near = replace(ranking, candidates=(best, replace(best, label="nearly", score=4.97)))
    assert "; 1 other plan is within 1% of it" in plain_answer(replace(near, baseline="nearly"))
    far = replace(ranking, candidates=(best, replace(best, label="twice", score=2.5)))
    assert "within 1%" not in plain_answer(replace(far, baseline="twice"))


def test_what_if_follows_the_direction() -> None:
    found = sweep(WORKLOAD, [Axis("streams.S1.rate", (10.0, 50.0, 100.0))], Keeping())
    assert found.winner == ("half", "half", "tenth")
    (crossing,) = found.crossovers
    assert (crossing.before, crossing.after) == ("half", "tenth")
    assert crossing.at == pytest.approx(60)


def test_replanning_follows_the_direction() -> None:
    names = tuple(stream.name for stream in WORKLOAD.streams)
    rates = tuple((rate, 1.0, 1.0, 3.0) for rate in (10.0, 100.0))
    found = replan(WORKLOAD, RateTrace(names, (0.0, 500.0), rates, 1000.0), Keeping())
    assert found.oracle.plans == ("half", "tenth")
    assert found.oracle.total >= found.hindsight.total >= found.stay.total
    assert found.hindsight.plans == ("tenth", "tenth")
    said = answer(found)
    assert said.startswith("Switching at 500 s gains 1.5x against staying with half")
    assert "cost" not in said


def test_scores_compare_in_the_direction_of_their_objective() -> None:
    low, high = (
        part_of_cost("work", "comparisons"),
        part_of_cost("rows", "rows_out", best="highest"),
    )
    assert (low.unit, low.title, low.figure) == ("comparisons/s", "Comparisons/s", "comparisons")
    assert low.ordered({"b": 2.0, "c": 1.0, "a": 2.0}) == ["c", "a", "b"]
    assert high.ordered({"b": 2.0, "c": 1.0, "a": 2.0}) == ["a", "b", "c"]
    assert (low.is_better(1, 2), high.is_better(1, 2)) == (True, False)
    assert (low.top([3, 1, 2], float), high.top([3, 1, 2], float)) == (1, 3)
    assert (low.bottom([3, 1, 2], float), high.bottom([3, 1, 2], float)) == (3, 1)
    assert [low.within(102, 100, factor) for factor in (1.05, 1.01)] == [True, False]
    assert [high.within(98, 100, factor) for factor in (1.05, 1.01)] == [True, False]
    assert (low.behind(102, 100), high.behind(98, 100)) == ("2% more", "2% less")
    assert high.behind(100 - 1e-9, 100) == "under 0.01% less"
    assert (low.ahead(100, 300), high.ahead(300, 100)) == ("3x cheaper", "3x more")
    delay = replace(low, better="shorter", worse="longer")
    assert (delay.ahead(100, 300), delay.behind(102, 100)) == ("3x shorter", "2% longer")


def test_an_objective_reads_predictions_and_measurements_alike() -> None:
    space = family("join_order").space(WORKLOAD)
    plan = space.best()
    estimate = space.estimate(plan)
    work, seconds, state = space.objectives
    assert work.of(plan, estimate) == 16_000
    twice = Estimate({name: cost + cost for name, cost in estimate.costs.items()})
    assert work.of(plan, twice) == 32_000
    assert state.of(plan, twice) == 2 * (state.of(plan, estimate) or 0)
    assert (seconds.of(plan, twice) or 0) > (seconds.of(plan, estimate) or 0) > 0
    assert [by.of(plan, Estimate({})) for by in space.objectives] == [None, None, None]


def test_only_some_families_have_a_capability() -> None:
    samples = {
        "join_order": WORKLOAD,
        "early_aggregation": next(iter(AGGREGATION_SAMPLES.values())),
        "sliced_chain": next(iter(CHAIN_SAMPLES.values())),
        "shared_schedule": next(iter(CHAIN_SAMPLES.values())),
        "load_shedding": STAR_SAMPLES["two streams"],
    }
    able = {
        known.name: {
            kind.__name__
            for kind in (Changes, Clocked, IndexAdvice, Switching)
            if known.space(samples[known.name]).capability(kind) is not None
        }
        for known in FAMILIES
    }
    assert able == {
        "join_order": {"IndexAdvice", "Switching"},
        "early_aggregation": {"Switching"},
        "sliced_chain": {"Changes", "Switching"},
        "shared_schedule": {"Changes", "Clocked", "Switching"},
        "load_shedding": {"Switching"},
    }

"""The schedules of one shared join: listed, priced, ranked, explained and changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from planner.families.base import ListedSpace
from planner.families.protocol import Explanation, Ranking
from planner.families.shared_schedule import explain, ranking_notes, titles
from planner.families.shared_schedule.delays.burst_trace import BurstTrace, traced
from planner.families.shared_schedule.delays.sample import MOST_SCANS
from planner.families.shared_schedule.labels import (
    EDF,
    FAIR,
    LWO,
    MQT,
    OUT,
    SWF,
    WMQT,
    Schedule,
    schedule_of,
)
from planner.families.shared_schedule.model import model_of
from planner.families.shared_schedule.objectives import (
    declared_objectives,
    delay_of,
    has_weights,
    mean_delay,
    median_delay,
    other_objectives,
)
from planner.families.shared_schedule.plans import BuiltSchedule, built
from planner.families.shared_schedule.predictions import SchedulePredictions, predictions_of
from planner.families.shared_schedule.pricing import (
    cost_of_entered,
    costs_of_work,
    estimated,
    schedule_work,
)
from planner.families.shared_schedule.slices import sliced
from planner.plan.cost import Cost, Estimate, UnitCosts, total
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.seconds.units import units_of
from planner.workload.workload import Workload

# What is simulated where many workloads are compared.
SKETCHED_SCANS = MOST_SCANS // 50


@dataclass(frozen=True, slots=True)
class ThroughputEntry:
    """The best partial window that a tuple may scan from one window on, up to another.

    `served` queries (or their weight) per length of the partial window, which ends at `until`;
    `value` is their ratio.
    """

    start: float
    limit: float
    until: float
    served: float
    value: float


class Schedules(ListedSpace):
    """One join under every policy. Queries may change while such a plan runs."""

    baseline = LWO
    # Every policy stays what it is when queries change.
    strategies: tuple[str, ...] = ()

    def __init__(
        self, workload: Workload, units: UnitCosts | None = None, sketched: bool = False
    ) -> None:
        self.model = model_of(workload)
        self.is_sketched = sketched
        self.predictions: SchedulePredictions = predictions_of(
            self.model, units_of(workload, units), SKETCHED_SCANS if sketched else MOST_SCANS
        )
        # Where delays have no mean, medians are compared.
        read = mean_delay if self.predictions.has_mean else median_delay
        super().__init__(workload, units, delay_of(read))
        default, *others = self.objectives
        self.objectives = (
            default,
            *other_objectives(read),
            *others,
            *declared_objectives(workload, read),
        )
        self._estimates: dict[str, Estimate] = {}

    @cached_property
    def labels(self) -> Sequence[str]:
        """The policies that are listed, and those of their chains that gain by their slices."""
        return (*self.policies, *self.chains.values())

    @cached_property
    def policies(self) -> tuple[str, ...]:
        """LWO, SWF, MQT and others: by weights or deadlines where some query has one."""
        queries = self.workload.queries
        listed = [LWO, SWF, MQT]
        if has_weights(self.workload):
            listed.append(WMQT)
        if any(query.deadline is not None for query in queries):
            listed.append(EDF)
        return (*listed, FAIR, OUT)

    @cached_property
    def chains(self) -> dict[str, str]:
        """The labels of policies over slices that are worth listing, by their tags."""
        if self.is_sketched:
            return {}
        found = sliced(self.predictions, self.policies)
        return {tag: schedule.label(self.model.group) for tag, schedule in found.items()}

    def tags(self, ordered: Sequence[str], best: str) -> dict[str, str]:
        """The best plan, LWO, the worst, and what the slices of chains are good for."""
        worst = {"worst": ordered[-1]} if ordered[-1] != best else {}
        return super().tags(ordered, best) | worst | self.chains

    @property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Policies that are left out, and why."""
        reasons = {
            WMQT: "all queries weigh the same; give one a weight",
            EDF: "no query has a deadline; give one a deadline in seconds",
        }
        return tuple((label, why) for label, why in reasons.items() if label not in self.policies)

    def built(self, label: str) -> BuiltSchedule:
        """A plan, and what its operators are about."""
        return built(self.model, schedule_of(self.model.group, label))

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels: `MQT`, `MQT@chain:0-5-30`."""
        return (self.built(label).plan for label in labels)

    def estimate(self, plan: Plan) -> Estimate:
        """Price every operator, and predict the delays of every query."""
        return self._estimate(plan.label)

    def _estimate(self, label: str) -> Estimate:
        if label not in self._estimates:
            schedule = schedule_of(self.model.group, label)
            found = estimated(built(self.model, schedule), self.model, schedule, self.predictions)
            self._estimates[label] = found
        return self._estimates[label]

    def cost(self, label: str) -> Cost:
        """What a plan costs in all."""
        roots = (root.id for root in self.built(label).plan.roots)
        return total(self._estimate(label).costs, roots)

    def score(self, label: str) -> float:
        """How long queries wait, on the average over queries."""
        found = self.objectives[0].of(self.built(label).plan, self._estimate(label))
        assert found is not None, "a prediction has every figure"
        return found

    def seconds_by_label(self, label: str) -> float:
        """Without simulating who waits how long: that takes no time of the processor."""
        own = self.built(label)
        return self.plan_seconds(own.plan, costs_of_work(own, self.model, self.schedule(label)))

    def standard_error(self, label: str, by: Objective) -> float:
        """That of the mean delay, for all figures of delays."""
        is_delay = by.kind == self.objectives[0].kind
        return self.predictions.of(self.schedule(label)).error if is_delay else 0.0

    @property
    def simulated_steps(self) -> int:
        return self.predictions.simulated_steps(len(self.labels))

    def score_model(self, label: str, by: Objective) -> str | None:
        is_delay = by.kind == self.objectives[0].kind
        return self.predictions.of(self.schedule(label)).model if is_delay else None

    def schedule(self, label: str) -> Schedule:
        """The policy of a label, and where it decides."""
        return schedule_of(self.model.group, label)

    def lasting(self, label: str) -> str:
        """A label over slices names windows: the policy is what lasts."""
        return self.schedule(label).policy

    def real_load(self) -> float:
        """Seconds of work that arrive per second, before a utilisation scales them."""
        return self.predictions.clock.real_load

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        """The work of a scheduled join."""
        return schedule_work(plan, costs)

    def title(self, label: str) -> str:
        return titles.title(label)

    def facts(self, label: str) -> tuple[str, ...]:
        reason = explain.REASONS[self.schedule(label).policy]
        load = ranking_notes.percent(self.predictions.clock.load)
        busy = f"The server is busy {load} of the time."
        return (f"{reason[0].upper()}{reason[1:]}.", busy)

    def explanation(self, ranking: Ranking) -> Explanation:
        """Which policy wins and what that means for queries; how figures were found."""
        answer = explain.answer(self.workload, self.predictions, ranking)
        notes = ranking_notes.notes(self.predictions, self.labels)
        return Explanation(answer, notes, lambda: ranking_notes.why(self.predictions, self.labels))

    # --- changes while it runs -------------------------------------------------------------------

    def label_after_change(self, plan: Plan, asked: str) -> str:  # noqa: ARG002
        """The policy stays; the windows at which it decides are those of the new queries."""
        return asked if asked == "best" else self.lasting(asked)

    def moved(self, _before: Plan, _after: Plan) -> Cost:
        """Queues stay: what arrived before is served as it was then."""
        return Cost()

    def why_not_switched(self, _before: Plan, _after: Plan) -> str | None:
        return None

    def cost_of_entered(self, plan: Plan, entered: Mapping[str, int]) -> Mapping[str, Cost]:
        """By operator id what a plan costs more because these queries entered at these times."""
        return cost_of_entered(self.built(plan.label), self.model, entered)

    # --- as pictures -----------------------------------------------------------------------------

    def trace(self, label: str) -> BurstTrace:
        """A burst of the sample under a schedule: the same arrivals for all."""
        predictions = self.predictions
        rule = predictions.rule(self.schedule(label))
        return traced(*predictions.burst, self.model.windows, rule)

    def matrix(self, label: str) -> tuple[ThroughputEntry, ...]:
        """What each partial window serves per length; none where a policy decides otherwise."""
        schedule = self.schedule(label)
        if schedule.policy not in (MQT, WMQT, OUT):
            return ()
        rule = self.predictions.rule(schedule)
        ticks = self.model.ticks
        lengths = [point / ticks for point in rule.points]
        entries = []
        for i, row in enumerate(rule.scores):
            for j, score in enumerate(row):
                if score is not None:
                    served, length = score.served / rule.unit, score.ticks / ticks
                    until = lengths[score.target]
                    entries.append(
                        ThroughputEntry(lengths[i], lengths[j], until, served, served / length)
                    )
        return tuple(entries)

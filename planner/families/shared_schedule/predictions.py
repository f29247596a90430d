"""What each policy's delays should be: in closed form where there is one, else simulated.

All policies are simulated on the same arrivals. The work that waits is the same under all of them,
and its mean is known in steady state, or from far more arrivals: how far the sample is off there
tells how far delays are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np

from planner.families.shared_schedule.delays.burst_trace import burst_of
from planner.families.shared_schedule.delays.response_times import (
    Responses,
    by_stretches,
    delays_alone,
    inside_scans,
    responses,
)
from planner.families.shared_schedule.delays.sample import (
    MOST_SCANS,
    ArrivalSample,
    drawn_sample,
    sample_size,
)
from planner.families.shared_schedule.delays.scan_times import Scans, scans_of
from planner.families.shared_schedule.delays.simulation import simulated
from planner.families.shared_schedule.delays.steady_state import (
    SteadyState,
    WindowDelays,
    steady_state,
)
from planner.families.shared_schedule.delays.waiting_work import (
    WaitingWork,
    simulated_work,
    tuples_needed,
    work_found,
)
from planner.families.shared_schedule.labels import LWO, SWF, Schedule
from planner.families.shared_schedule.model import ScheduleModel
from planner.families.shared_schedule.policies import Rule, rule_of
from planner.joins.arrays import Floats
from planner.plan.cost import UnitCosts
from planner.seconds.clock import Clock

# The load itself varies as windows hold now more and now fewer tuples; beyond this share (of what
# is left to full load, squared) delays are longer than closed forms say.
MOST_VARIATION = 0.02
# From this mean size on, Pareto bursts have no finite variance, and delays no mean.
ENDLESS_BURST = 2.0
# Of arrivals that no policy serves, so many are drawn in the time of a simulated scan.
ARRIVALS_A_STEP = 4
# To measure the delays of one window takes the time of so many more.
SCANS_TO_MEASURE = 100
# So many tuples fit into a picture.
BURST_TUPLES = 12

PK = "M/G/1, Pollaczek and Khinchine"
FEEDBACK = "M/G/1 with feedback"
SIMULATED = "simulated on a seeded sample"


@dataclass(frozen=True)
class SchedulePrediction:
    """The delays of one policy in seconds, by window, and the model they come from.

    `quantiles` are the 50th, 95th and 99th percentile (rows), always simulated, and so is the
    `longest`: of the tuples of a run, or of the sample where that has fewer. `error` is the
    standard error of the mean over windows as a share of it, 0 in closed form. `queue` is how many
    tuples wait or are served, `held` how many matches wait to be released, on the average.
    """

    model: str
    delays: Floats
    scans: Floats
    quantiles: Floats
    longest: Floats
    queue: float
    held: float
    error: float


class SchedulePredictions:
    """The predictions of one join on one clock, each made when it is first asked for."""

    def __init__(self, model: ScheduleModel, clock: Clock, scans: int = MOST_SCANS) -> None:
        self.model, self.clock, self._scans = model, clock, scans
        self._made: dict[Schedule, SchedulePrediction] = {}
        self._responses: dict[Schedule, Responses] = {}

    # --- what kind of figures there are ----------------------------------------------------------

    @cached_property
    def scans(self) -> Scans:
        """The times that scans take."""
        return scans_of(self.model, self.clock)

    @property
    def has_mean(self) -> bool:
        """Whether delays have a mean: not under bursts of no finite variance."""
        return all(
            stream.arrivals.kind != "pareto" or stream.arrivals.burst < ENDLESS_BURST
            for stream in self.model.streams
        )

    @property
    def variation(self) -> float:
        """How much the load varies with the windows, as a share of what is left to full load."""
        if not self.clock.is_steady:
            return float("inf")
        return (self.scans.load_deviation / (1 - self.clock.load)) ** 2

    @cached_property
    def closed(self) -> SteadyState | None:
        """The closed forms; None where arrivals or windows do not fit them."""
        poisson = all(stream.arrivals.kind == "poisson" for stream in self.model.streams)
        if not poisson or self.variation > MOST_VARIATION:
            return None
        return steady_state(self.scans, self.model.lengths)

    # --- simulated -------------------------------------------------------------------------------

    @cached_property
    def sample(self) -> ArrivalSample:
        """The arrivals that all policies are simulated on."""
        return drawn_sample(self.model, self.clock, self._sample_size)

    @property
    def _sample_size(self) -> int:
        return sample_size(len(self.model.windows), self._scans)

    @cached_property
    def burst(self) -> tuple[ArrivalSample, bool]:
        """A few tuples of the sample that are served without a pause, to be looked at."""
        return burst_of(self.sample, BURST_TUPLES)

    @cached_property
    def _work(self) -> tuple[float, Floats]:
        """The work that tuples of the sample found waiting: its mean, and by stretch."""
        work = work_found(self.sample)
        return float(work.mean()), by_stretches(work, np.ones(len(work)))

    @cached_property
    def expected_work(self) -> WaitingWork:
        """How much work waits on the average: in closed form, or by many more tuples."""
        if self.closed is not None:
            return WaitingWork(self.closed.work)
        own = WaitingWork(self._work[0])
        if not (self.clock.is_steady and self.has_mean):
            return own
        needed = tuples_needed(self.model, self.clock.load, self.variation)
        if needed <= len(self.sample.ts):
            return own
        return simulated_work(self.model, self.clock, needed, self._scans)

    @property
    def tuples_of_a_run(self) -> int:
        """How many tuples a run measures: the longest delay of more of them would be longer."""
        return max(1, round(self.model.rate * self.model.workload.run.duration))

    def rule(self, schedule: Schedule) -> Rule:
        """How a schedule decides."""
        group, ties = self.model.group, self.model.workload.execution.ties
        wanted = self.model.wanted(self._isolated_seconds)
        return rule_of(schedule.policy, schedule.points(group), wanted, ties)

    def _seen(self, schedule: Schedule) -> Responses:
        if schedule not in self._responses:
            rule = self.rule(schedule)
            served = simulated(self.sample, self.model.windows, rule)
            found = responses(
                self.sample, served, self.scans.find, rule.at_ends, self.tuples_of_a_run
            )
            self._responses[schedule] = found
        return self._responses[schedule]

    @cached_property
    def isolated(self) -> Floats:
        """By window the delay of its queries by themselves, each on a server of its own."""
        if self.closed is not None:
            return self.closed.isolated
        return delays_alone(self.sample, self.scans.find)

    def _isolated_seconds(self) -> list[float]:
        return [float(delay) for delay in self.isolated]

    def simulated_steps(self, plans: int) -> int:
        """What so many plans take: scans of the sample, delays measured and arrivals drawn."""
        scans = len(self.sample.ts) + SCANS_TO_MEASURE
        return plans * len(self.model.windows) * scans + self.expected_work.drawn // ARRIVALS_A_STEP

    # --- of one policy ---------------------------------------------------------------------------

    def of(self, schedule: Schedule) -> SchedulePrediction:
        """The prediction of a schedule."""
        if schedule not in self._made:
            self._made[schedule] = self._predicted(schedule)
        return self._made[schedule]

    def typical(self, schedule: Schedule) -> Floats:
        """Mean delays by window; medians where there is no mean."""
        found = self.of(schedule)
        return np.asarray(found.delays if self.has_mean else found.quantiles[0])

    def over_queries(self, schedule: Schedule) -> float:
        """The mean over queries of what is typical for each."""
        return self.weighted(schedule, [len(members) for members in self.model.members])

    def weighted(self, schedule: Schedule, weights: Sequence[float]) -> float:
        """The mean over windows of what is typical for each, by these weights."""
        return float(np.average(self.typical(schedule), weights=weights))

    def _predicted(self, schedule: Schedule) -> SchedulePrediction:
        seen = self._seen(schedule)
        name, closed = self._closed_form(schedule, seen)
        delays, error = self._adjusted(seen) if closed is None else (closed.results, 0.0)
        # What has no mean of its own to be corrected by is off as the mean is.
        off = np.divide(delays, seen.results, out=np.ones_like(delays), where=seen.results > 0)
        if closed is not None:
            scans, held = closed.scans, closed.results[-1] - closed.found[-1]
        else:
            scans, held = off * seen.scans, off[-1] * (seen.results[-1] - seen.found[-1])
        matches = self.model.matches(len(self.model.windows) - 1).value
        return SchedulePrediction(
            name,
            delays,
            scans,
            off * seen.quantiles,
            off * seen.longest,
            self.model.rate * float(scans[-1]),
            matches * max(0.0, float(held)),
            error,
        )

    def _closed_form(self, schedule: Schedule, seen: Responses) -> tuple[str, WindowDelays | None]:
        if self.closed is None:
            return SIMULATED, None
        group = self.model.group
        # Another policy may come to the same schedule.
        if np.array_equal(seen.results, self._seen(Schedule(LWO)).results):
            return PK, self.closed.lwo
        if schedule.policy == SWF and schedule.points(group) == group.boundaries:
            return FEEDBACK, self.closed.swf
        return SIMULATED, None

    def _adjusted(self, seen: Responses) -> tuple[Floats, float]:
        """Means as they would be if as much work waited as should, and their standard error.

        By stretches of the sample, delays follow the work that waits: a regression says how. Where
        matches lie in their own scans is the same under every policy.
        """
        (mean, by_stretch), expected = self._work, self.expected_work
        excess = by_stretch - by_stretch.mean()
        slopes, inside = np.zeros(len(seen.results)), np.zeros(len(seen.results))
        if expected.mean != mean and excess.any():
            slopes = excess @ seen.by_stretch / (excess @ excess)
        if self.closed is not None:
            inside = inside_scans(self.sample, self.scans.find) - self.closed.inside
        # A stretch of few tuples may mislead the regression: delays stay positive.
        shifted = seen.results - slopes * (mean - expected.mean) - inside
        delays = np.maximum(shifted, 0.5 * seen.results)
        rest = (seen.by_stretch - np.outer(excess, slopes)).mean(axis=1)
        own = float(rest.std() / np.sqrt(len(rest)) / rest.mean()) if rest.mean() else 0.0
        of_work = float(slopes.mean()) * expected.error / delays.mean() if delays.any() else 0.0
        return delays, float(np.hypot(own, of_work))


# Spaces of the same workload are made again and again; what they predict is kept.
_MOST_KEPT = 12
_keeping = Lock()
_kept: OrderedDict[tuple[str, Clock, int], SchedulePredictions] = OrderedDict()


def predictions_of(
    model: ScheduleModel, units: UnitCosts, scans: int = MOST_SCANS
) -> SchedulePredictions:
    """The predictions of a join, those made before where workload and clock are the same.

    So many `scans` are simulated for each policy.
    """
    clock = model.clock(units)
    key = model.workload.digest, clock, scans
    with _keeping:
        found = _kept.pop(key, None) or SchedulePredictions(model, clock, scans)
        _kept[key] = found
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found

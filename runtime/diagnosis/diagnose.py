"""Why the model is wrong about operators of a run, by counterfactual estimates.

    a statistic that differs in the run's tuples
      -> put into the workload, nothing else changed
      -> the same plan estimated again
      -> reported, if that removes most of the error of an operator

Each statistic is tried by itself first, then what depends on each other, then rates that change. No
family of plans is known here: its own estimates say what a statistic does. Windows that were not
full and chance, which no estimate expresses, have checks of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean

from planner.families.registry import family
from planner.families.stages import PlannedStage, planned_stages, whole_estimate
from planner.files.tuple_table import Table
from planner.plan.cost import Cost
from planner.plan.plan import Operator
from planner.workload.streams import Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.run_data import run_seconds
from runtime.diagnosis.arrival_rates import DEVIATIONS, chance_reason, rate_causes, uneven_rates
from runtime.diagnosis.cause import Cause
from runtime.diagnosis.correlations import correlation_causes
from runtime.diagnosis.measured_statistics import MeasuredStatistics
from runtime.diagnosis.suspects import Suspect, log_ratio, suspects
from runtime.runs.records import Run

NOT_READ = "the run's tuples were not read to find the cause"
# A cause is named that removes this share of an error, and causes explain it that leave this much.
_REMOVES, _LEAVES = 0.2, 0.5
# Of more causes than these, those that differ most are estimated.
_MOST_CAUSES = 24

# By subject, each with the logarithm of what a figure is with it over what it is without.
Chosen = dict[str, tuple[Cause, float]]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Operators that the model is wrong about for one reason, the worst first, and that reason."""

    suspects: tuple[Suspect, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """Which operators by how much, and why."""
        errors = "; ".join(suspect.sentence for suspect in self.suspects)
        return f"{errors}: {self.reason}."


def diagnosed(run: Run, tables: Mapping[str, Table] | None = None) -> list[Diagnosis]:
    """The operators that the model is wrong about, with reasons; the worst first, none if none is.

    With the tuples of the run, their statistics are measured, too.
    """
    search = _Search(run, tables)
    groups: dict[str, list[Suspect]] = {}
    for suspect in suspects(run):
        groups.setdefault(search.reason(suspect), []).append(suspect)
    return [Diagnosis(tuple(group), reason) for reason, group in groups.items()]


@dataclass
class _Search:
    """The causes of one run, each measured and estimated when it is first asked for."""

    run: Run
    tables: Mapping[str, Table] | None
    _costs: dict[int, Mapping[str, Cost]] = field(default_factory=dict)

    def reason(self, suspect: Suspect) -> str:
        """What causes the error of an operator, in words."""
        rates: Chosen = {}
        self._choose(self._rates, suspect, rates)
        if _explains(rates, suspect):
            return _reasons(rates)
        if reason := self._not_full(suspect) or self._chance(suspect):
            return reason
        if self.tables is None:
            return NOT_READ
        chosen = dict(rates)
        for causes in self._by_effort():
            self._choose(causes, suspect, chosen)
            if _explains(chosen, suspect):
                return _reasons(chosen)
        for cause in self._uneven:
            # The means of rates are in rates that change.
            others = {name: one for name, one in chosen.items() if name not in rates}
            others[cause.subject] = cause, self._effect(cause, suspect)
            if _explains(others, suspect):
                return _reasons(others)
        return self._unexplained(chosen)

    def _choose(self, causes: Sequence[Cause], suspect: Suspect, chosen: Chosen) -> None:
        """Add the causes that remove most of what is left of an error, one after the other."""
        waiting = {cause.subject: (cause, self._effect(cause, suspect)) for cause in causes}
        while waiting:
            left = {name: _left({**chosen, name: one}, suspect) for name, one in waiting.items()}
            best = min(left, key=lambda name: left[name])
            if _left(chosen, suspect) - left[best] < _REMOVES * abs(suspect.error):
                return
            chosen[best] = waiting.pop(best)

    def _effect(self, cause: Cause, suspect: Suspect) -> float:
        """The logarithm of what a figure is with a cause over what it is without."""
        base = suspect.figure(self._estimated(self.run.workload))
        effects = [
            log_ratio(fmean(suspect.figure(self._estimated(w)) for w in workloads), base)
            for workloads in cause.ways
        ]
        return min(effects, key=lambda effect: abs(suspect.error - effect))

    def _estimated(self, workload: Workload) -> Mapping[str, Cost]:
        """What the run's operators should cost by the statistics of this workload; as they were
        where the family cannot price them."""
        if id(workload) not in self._costs:
            chosen = family(self.run.plan.family)
            parts = {
                name: getattr(workload, name) for name in ("streams", "relations", "statistics")
            }
            stages = [replace(s, workload=replace(s.workload, **parts)) for s in self._stages]
            if any(chosen.refuses(stage.workload) for stage in stages):
                stages = list(self._stages)
            warmup, end = self.run.workload.warmup, run_seconds(self.run.workload)
            span = microseconds(warmup), microseconds(end)
            self._costs[id(workload)] = whole_estimate(
                chosen, stages, 0, *span, self.run.request.units
            ).costs
        return self._costs[id(workload)]

    @cached_property
    def _stages(self) -> tuple[PlannedStage, ...]:
        """The plans of the run as they were: other statistics choose no other ones."""
        run = self.run
        if not run.workload.run.changes:
            return (PlannedStage(None, run.workload, run.plan, {}),)
        asked = run.request
        return planned_stages(family(run.plan.family), run.workload, asked.label, asked.units)

    @cached_property
    def _measured(self) -> MeasuredStatistics:
        return MeasuredStatistics(self.run, self.tables or {})

    @cached_property
    def _rates(self) -> list[Cause]:
        return list(rate_causes(self.run))

    def _by_effort(self) -> Iterator[list[Cause]]:
        """What is measured in the tuples, the simpler first."""
        yield self._statistics
        yield self._correlations

    @cached_property
    def _statistics(self) -> list[Cause]:
        return _worst(self._measured.causes())

    @cached_property
    def _correlations(self) -> list[Cause]:
        return _worst(correlation_causes(self._measured))

    @cached_property
    def _uneven(self) -> list[Cause]:
        return list(uneven_rates(self.run, self.tables or {}))

    def _unexplained(self, chosen: Chosen) -> str:
        """What is known where no statistic explains an error."""
        if chosen:
            return f"{_reasons(chosen)}; this does not explain all of it"
        reason = "no statistic of its tuples explains it"
        return f"{reason}; {self._statistics[0].reason}" if self._statistics else reason

    # --- what no estimate expresses ----------------------------------------------------------

    def _not_full(self, suspect: Suspect) -> str:
        workload = self.run.workload
        warmup, longest = workload.warmup, workload.longest_window
        if warmup >= longest or suspect.error >= 0:
            return ""
        # The mean over the run of what a window lacks that fills from nothing.
        filling = min(longest - warmup, workload.run.duration)
        lacking = filling * (longest - warmup - filling / 2) / (longest * workload.run.duration)
        if suspect.error < 1.25 * len(self._ahead(suspect)) * math.log1p(-lacking):
            return ""
        return (
            f"counting began after {warmup:g} s, when windows of up to {longest:g} s were not full "
            "yet; a longer warm-up would fill them"
        )

    def _chance(self, suspect: Suspect) -> str:
        """Generated tuples of which so many more or fewer come or match by chance."""
        workload, ahead = self.run.workload, self._ahead(suspect)
        if self.run.request.data is not None or not ahead:
            return ""
        slowest = min(ahead, key=lambda stream: (stream.rate or 0.0) / stream.arrivals.burst)
        arrivals = (slowest.rate or 0.0) * workload.run.duration
        counted = suspect.measured * workload.run.duration
        if suspect.field == "state_tuples":
            arrivals = counted = suspect.predicted
        variance = len(ahead) * slowest.arrivals.burst / max(arrivals, 1.0) + 1 / max(counted, 1.0)
        # Where nothing is counted, the ratio to what was expected has no bound.
        few = not counted and suspect.predicted * workload.run.duration <= DEVIATIONS**2
        if abs(suspect.error) > DEVIATIONS * math.sqrt(variance) and not few:
            return ""
        return chance_reason(slowest, min(arrivals, counted))

    def _ahead(self, suspect: Suspect) -> list[Stream]:
        """The streams that arrive at an operator or ahead of it."""
        found: set[Operator] = set()
        waiting = [suspect.operator]
        while waiting:
            operator = waiting.pop()
            waiting += [feed for feed in operator.inputs if feed not in found]
            found.add(operator)
        names = {operator.param("stream") for operator in found if operator.kind == "arrive"}
        return [stream for stream in self.run.workload.streams if stream.name in names]


def _left(chosen: Chosen, suspect: Suspect) -> float:
    return abs(suspect.error - sum(effect for _, effect in chosen.values()))


def _explains(chosen: Chosen, suspect: Suspect) -> bool:
    return _left(chosen, suspect) <= _LEAVES * abs(suspect.error)


def _reasons(chosen: Chosen) -> str:
    """The causes, in an order that is the same for all operators."""
    return "; ".join(chosen[subject][0].reason for subject in sorted(chosen))


def _worst(causes: Iterable[Cause]) -> list[Cause]:
    return sorted(causes, key=lambda cause: -cause.differs)[:_MOST_CAUSES]

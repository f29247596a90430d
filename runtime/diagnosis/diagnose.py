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
from typing import Any, NamedTuple

from planner.errors import PlanError
from planner.families.capabilities import Clocked
from planner.families.registry import family
from planner.families.stages import PlannedStage, planned_stages, whole_estimate
from planner.files.tuple_table import Table
from planner.plan.cost import Cost
from planner.workload.execution import MOST_UTILISATION
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.run_data import run_seconds
from runtime.diagnosis.arrival_rates import is_drawn, rate_causes, uneven_rates
from runtime.diagnosis.cause import Cause
from runtime.diagnosis.correlations import correlation_causes
from runtime.diagnosis.measured_statistics import MeasuredStatistics
from runtime.diagnosis.suspects import Suspect, log_ratio, suspects
from runtime.diagnosis.trust import WORST
from runtime.diagnosis.unpriced import not_full, streams_ahead, usual_error
from runtime.runs.records import Run

NOT_READ = "the run's tuples were not read to find the cause"
NOT_EXPLAINED = "no statistic of its tuples explains it"
# A cause is named that removes this share of an error, and causes explain it that leave this much.
_REMOVES, _LEAVES = 0.2, 0.5
# A statistic that differs by so much is named though it explains nothing.
_MUCH = 1.1
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
        if not self.suspects:
            return f"{self.reason}."
        errors = "; ".join(suspect.sentence for suspect in self.suspects)
        return f"{errors}: {self.reason}."


def diagnosed(run: Run, tables: Mapping[str, Table] | None = None) -> list[Diagnosis]:
    """The operators that the model is wrong about, with reasons; the worst first, none if none is.

    With the tuples of the run, their statistics are measured, too. Errors that chance explains are
    left out where they are small. Where no error is left, what differs from what was declared is
    named all the same: other plans may depend on it.
    """
    search = _CauseSearch(run, tables)
    groups: dict[str, list[tuple[Suspect, str]]] = {}
    for suspect in suspects(run):
        if reason := search.reason(suspect):
            groups.setdefault(reason.text, []).append((suspect, reason.caveat))
    if not groups and tables is not None and not is_drawn(run):
        return [Diagnosis((), reason) for reason in search.differing()]
    found = []
    for text, group in groups.items():
        # What is said of one operator need not be true of all.
        caveats = {caveat for _, caveat in group}
        caveat = caveats.pop() if len(caveats) == 1 else ""
        found.append(Diagnosis(tuple(suspect for suspect, _ in group), text + caveat))
    return found


def needs_tuples(run: Run) -> bool:
    """Whether there is something to find in the tuples of a run: why it is wrong, or whether the
    user's own are as declared."""
    return bool(suspects(run)) or not is_drawn(run)


class _Reason(NamedTuple):
    """Why an operator is wrong, and what that leaves open."""

    text: str
    caveat: str = ""


@dataclass
class _CauseSearch:
    """The causes of one run, each measured and estimated when it is first asked for."""

    run: Run
    tables: Mapping[str, Table] | None
    _costs: dict[int, Mapping[str, Cost]] = field(default_factory=dict)

    def reason(self, suspect: Suspect) -> _Reason | None:
        """What causes the error of an operator, in words; None where that is chance."""
        chosen: Chosen = {}
        if self._explain(self._rates, suspect, chosen):
            return _reasons(chosen)
        if reason := not_full(self.run, suspect):
            return _Reason(reason)
        for causes in self._by_effort():
            if self._explain(causes, suspect, chosen):
                return _reasons(chosen)
        for cause in self._uneven:
            # The means of rates are in rates that change.
            rates = {rate.subject for rate in self._rates}
            others = {name: one for name, one in chosen.items() if name not in rates}
            others[cause.subject] = cause, self._effect(cause, suspect)
            if cause.sure and _explains(others, suspect):
                return _reasons(others)
        if by_chance := self._chance(suspect, chosen):
            return by_chance if abs(suspect.error) > math.log(WORST) else None
        return self._unexplained(suspect, chosen)

    def differing(self) -> list[str]:
        """What differs much from what was assumed, though no figure of this plan depends on it."""
        causes = [*self._rates, *self._statistics, *self._correlations]
        sure = [cause for cause in causes if cause.sure and cause.differs >= _MUCH]
        return [f"{cause.reason}; this plan's figures hold all the same" for cause in sure[:1]]

    def _explain(self, causes: Sequence[Cause], suspect: Suspect, chosen: Chosen) -> bool:
        """Whether an error is explained by some of these causes, with those chosen before; none of
        them may be chance."""
        self._choose([cause for cause in causes if cause.sure], suspect, chosen)
        return bool(chosen) and _explains(chosen, suspect)

    def _chance(self, suspect: Suspect, chosen: Chosen) -> _Reason | None:
        """That an error is as large as chance makes it, or that statistics which differ by chance
        explain what is left of it."""
        if usual := usual_error(self.run, suspect):
            return _Reason(usual)
        every = dict(chosen)
        for causes in (self._rates, *self._by_effort()):
            self._choose(causes, suspect, every)
        return _reasons(every) if every != chosen and _explains(every, suspect) else None

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
        if suspect.field != "state_tuples":
            ahead = {stream.name for stream in streams_ahead(self.run, suspect)}
            effects += [one.effect for one in cause.direct if one.streams <= ahead]
        return min(effects, key=lambda effect: abs(suspect.error - effect))

    def _estimated(self, workload: Workload) -> Mapping[str, Cost]:
        """What the run's operators should cost by the statistics of this workload; as they were
        where the family cannot price them."""
        if id(workload) not in self._costs:
            chosen = family(self.run.plan.family)
            parts = {
                name: getattr(workload, name) for name in ("streams", "relations", "statistics")
            }
            stages = [replace(s, workload=self._changed(s.workload, parts)) for s in self._stages]
            if any(chosen.refuses(stage.workload) for stage in stages):
                stages = list(self._stages)
            try:
                self._costs[id(workload)] = self._priced(stages)
            except PlanError:
                # With these statistics there is no such plan: an optimum has too much to weigh.
                self._costs[id(workload)] = self._priced(self._stages)
        return self._costs[id(workload)]

    def _priced(self, stages: Sequence[PlannedStage]) -> Mapping[str, Cost]:
        run = self.run
        span = microseconds(run.workload.warmup), microseconds(run_seconds(run.workload))
        chosen, units = family(run.plan.family), run.request.units
        return whole_estimate(chosen, stages, 0, *span, units).costs

    def _changed(self, workload: Workload, parts: Mapping[str, Any]) -> Workload:
        """The workload with other statistics. Work takes as long as in the run: where a utilisation
        was stated, more work is a higher one."""
        changed, chosen = replace(workload, **parts), family(self.run.plan.family)
        stated = workload.execution.utilisation
        if stated is None or chosen.refuses(changed):
            return changed
        before, after = (
            chosen.space(one, self.run.request.units).capability(Clocked)
            for one in (workload, changed)
        )
        if before is None or after is None or not before.real_load() * after.real_load():
            return changed
        load = min(stated * after.real_load() / before.real_load(), 0.99 * MOST_UTILISATION)
        return replace(changed, execution=replace(changed.execution, utilisation=load))

    @cached_property
    def _stages(self) -> tuple[PlannedStage, ...]:
        """The plans of the run as they were: other statistics choose no other ones."""
        run = self.run
        if not run.as_planned.run.changes:
            return (PlannedStage(None, run.workload, run.plan, {}),)
        asked = run.request
        return planned_stages(family(run.plan.family), run.as_planned, asked.label, asked.units)

    @cached_property
    def _measured(self) -> MeasuredStatistics:
        return MeasuredStatistics(self.run, self.tables or {})

    @cached_property
    def _rates(self) -> list[Cause]:
        return list(rate_causes(self.run, self.tables or {}))

    def _by_effort(self) -> Iterator[list[Cause]]:
        """What is measured in the tuples, the simpler first."""
        if self.tables is not None:
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
        return list(uneven_rates(self.run, self.tables)) if self.tables is not None else []

    def _unexplained(self, suspect: Suspect, chosen: Chosen) -> _Reason | None:
        """What is known where no statistic explains an error."""
        if chosen:
            return _reasons(chosen)._replace(caveat="; this does not explain all of it")
        if self.tables is None:
            return _Reason(NOT_READ)
        for causes in (self._statistics, self._correlations, self._uneven):
            sure = [cause for cause in causes if cause.sure and cause.differs >= _MUCH]
            if sure:
                return _Reason(sure[0].reason, "; the model cannot say what that does here")
        return _Reason(NOT_EXPLAINED) if abs(suspect.error) > math.log(WORST) else None


def _left(chosen: Chosen, suspect: Suspect) -> float:
    return abs(suspect.error - sum(effect for _, effect in chosen.values()))


def _explains(chosen: Chosen, suspect: Suspect) -> bool:
    return _left(chosen, suspect) <= _LEAVES * abs(suspect.error)


def _reasons(chosen: Chosen) -> _Reason:
    """The causes, in an order that is the same for all operators."""
    return _Reason("; ".join(chosen[subject][0].reason for subject in sorted(chosen)))


def _worst(causes: Iterable[Cause]) -> list[Cause]:
    return sorted(causes, key=lambda cause: -cause.differs)[:_MOST_CAUSES]

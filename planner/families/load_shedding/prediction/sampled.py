"""Policies on a seeded sample: what they keep and find there, as shares of what could be found."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from threading import Lock

import numpy as np

from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.prediction.flows import ArmFlow
from planner.families.load_shedding.prediction.sample import TupleSample, drawn_sample, partitions
from planner.families.load_shedding.simulation.settings import (
    ArmCounts,
    EarlyAnswer,
    Settings,
    Simulated,
)
from planner.families.load_shedding.simulation.simulate import Simulation
from planner.workload.validation import microseconds
from planner.workload.workload import Workload

Shares = tuple[int, ...]
MILLIONTHS = 1e6


@dataclass(frozen=True, slots=True)
class FoundShares:
    """The shares of the exact results, and of their importance, that a policy finds."""

    results: float
    importance: float


class Sampled:
    """One sample, and what was simulated on it: policies under shares of memory, each once."""

    def __init__(self, model: ShedModel, effort: float = 1.0) -> None:
        self.model = model
        self.sample: TupleSample = drawn_sample(model, effort)
        self._runs: dict[tuple[str, Shares], Simulated] = {}

    @cached_property
    def _whole(self) -> list[Simulation]:
        return [Simulation(self.model.star, tables) for tables in self.sample.draws]

    @cached_property
    def _exact(self) -> tuple[int, int]:
        """The exact results of the sample, and their importance in millionths."""
        runs = _added([one.run(EXACT, self._settings) for one in self._whole])
        return runs.results, runs.importance

    @property
    def is_whole_run(self) -> bool:
        """Whether the sample is as long as a run: then nothing is scaled."""
        return self.sample.seconds >= self.model.span

    @property
    def has_results(self) -> bool:
        """Whether there is anything to have a share of."""
        return self._exact[0] > 0

    @property
    def mean_importance(self) -> float:
        """The mean importance of the exact results of the sample; without one, of any tuples of all
        streams together."""
        results, importance = self._exact
        if results:
            return importance / results / MILLIONTHS
        arms = self._whole[0].tuples.arms
        levels = np.unique(np.concatenate([[0], *(own.importance for own in arms)]))
        above = np.ones(len(levels) - 1)
        for own in arms:
            at_most = np.searchsorted(np.sort(own.importance), levels[:-1], side="right")
            above *= 1 - at_most / max(1, len(own.importance))
        return float(above @ np.diff(levels)) / MILLIONTHS

    def simulated(self, label: str, shares: Shares) -> Simulated:
        """A policy under these shares on the sample."""
        key = label, shares
        if key not in self._runs:
            given = [self.sample.share(share) for share in shares]
            self._runs[key] = _added([one.run(label, self._settings, given) for one in self._whole])
        return self._runs[key]

    @cached_property
    def _settings(self) -> Settings:
        shedding, sample = self.model.workload.execution.shedding, self.sample
        # Where windows never are full, all is counted.
        since = sample.warmup if sample.warmup < sample.seconds else 0.0
        return Settings(
            alpha=shedding.alpha,
            beta=shedding.beta,
            prefilter=shedding.prefilter,
            seed=self.model.workload.run.seed,
            since=microseconds(since),
            until=microseconds(sample.seconds),
        )

    def found(self, label: str, shares: Shares) -> FoundShares:
        """What a policy finds of the whole sample."""
        run = self.simulated(label, shares)
        return _found(run.results, run.importance, run.exact_results, run.exact_importance)

    def found_early_and_late(self, label: str, shares: Shares) -> tuple[FoundShares, FoundShares]:
        """What a policy finds while windows fill, and later; of the whole where one has nothing."""
        whole = self.simulated(label, shares)
        first = whole.early
        exact = whole.exact_results - first.exact_results
        exact_importance = whole.exact_importance - first.exact_importance
        if not first.exact_results or exact <= 0 or exact_importance <= 0:
            return (self.found(label, shares),) * 2
        early = _found(first.results, first.importance, first.exact_results, first.exact_importance)
        late = _found(
            whole.results - first.results,
            whole.importance - first.importance,
            exact,
            exact_importance,
        )
        return early, late

    def probing(self, shares: Shares) -> int:
        """How many tuples of the sample find results where nothing is shed; one at least."""
        counts = self.simulated(EXACT, shares).counts.values()
        return max(1, sum(own.with_row for own in counts))

    def split(self, label: str, shares: Shares, count: int) -> FoundShares:
        """What a policy finds where keys and memory are split into so many partitions."""
        if count == 1:
            return self.found(label, shares)
        given = [self.sample.share(share) // count for share in shares]
        runs = [
            Simulation(self.model.star, tables).run(label, self._settings, given)
            for draw in self.sample.draws
            for tables in partitions(self.model.star, draw, count)
        ]
        whole = _added(runs)
        return _found(whole.results, whole.importance, whole.exact_results, whole.exact_importance)

    def flow(self, label: str, shares: Shares, place: int) -> ArmFlow:
        """What happens to the tuples of an arm once windows are full."""
        alias = self.model.star.arms[place].source.alias
        run, exact = self.simulated(label, shares), self.simulated(EXACT, shares)
        counts, whole = run.counts[alias], exact.counts[alias]
        prefilter = self.model.workload.execution.shedding.prefilter
        given = counts.with_row if prefilter else counts.arrived
        arrived = sum(own.arrived for own in run.counts.values())
        thinned, share = self.sample.thinned, shares[place]
        # A choice looks at all that are stored and at the new one: more than in a thinned sample.
        choices = _part(counts.compared, given) / (self.sample.share(share) + 1)
        return ArmFlow(
            admitted=_part(counts.admitted, given),
            looked_at=choices * (share + 1),
            # Beside them, every arrival of any arm looks at one tuple that stays.
            expired=_part(max(0, counts.expiry_checks - arrived), given),
            held=run.held[alias] * thinned,
            examined=_part(counts.probed, counts.with_row) * thinned,
            found=min(1.0, _part(counts.found, whole.found)),
        )


def _added(runs: Sequence[Simulated]) -> Simulated:
    """Several runs as one: counts are added up, what is held is a mean."""
    if len(runs) == 1:
        return runs[0]
    aliases = list(runs[0].counts)
    return Simulated(
        sum(run.results for run in runs),
        sum(run.importance for run in runs),
        sum(run.exact_results for run in runs),
        sum(run.exact_importance for run in runs),
        {
            alias: {
                reason: sum(run.evictions[alias][reason] for run in runs)
                for reason in runs[0].evictions[alias]
            }
            for alias in aliases
        },
        {alias: sum(run.held[alias] for run in runs) / len(runs) for alias in aliases},
        {
            alias: ArmCounts(
                **{
                    part.name: sum(getattr(run.counts[alias], part.name) for run in runs)
                    for part in fields(ArmCounts)
                }
            )
            for alias in aliases
        },
        EarlyAnswer(
            **{
                part.name: sum(getattr(run.early, part.name) for run in runs)
                for part in fields(EarlyAnswer)
            }
        ),
    )


def _found(results: int, importance: int, exact: int, exact_importance: int) -> FoundShares:
    return FoundShares(_part(results, exact), _part(importance, exact_importance))


def _part(count: float, whole: float) -> float:
    return count / whole if whole else 0.0


# The same sample serves all sizes of memory; what was simulated on it is kept.
_MOST_KEPT = 8
_keeping = Lock()
_kept: OrderedDict[tuple[str, float], Sampled] = OrderedDict()


def sampled_of(model: ShedModel, effort: float = 1.0) -> Sampled:
    """The sample of a workload, with what was simulated on it before."""
    key = _without_memory(model.workload).digest, effort
    with _keeping:
        found = _kept.pop(key, None) or Sampled(model, effort)
        _kept[key] = found
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _without_memory(workload: Workload) -> Workload:
    """The workload as far as it decides which tuples there are and how a policy chooses."""
    execution = workload.execution
    shedding = replace(execution.shedding, split="equal", access="index")
    same = replace(execution, memory=1, shedding=shedding, buckets="per-value", unit_costs=None)
    return replace(workload, execution=same)


def shares_of(model: ShedModel) -> Shares:
    """What each arm may keep."""
    return tuple(arm.share for arm in model.star.arms)

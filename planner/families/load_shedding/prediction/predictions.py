"""What each policy should keep and find: in closed form where there is one, else simulated.

Results and importance of the exact answer follow from distributions. A policy is predicted by the
share of them that it finds: policies are simulated on the same tuples, so that chance in those
tuples is in the exact answer too, and drops out of the share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod, sqrt

from planner.families.load_shedding.labels import EXACT, IMPORTANCE, LABELS, OFFLINE, RANDOM
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.prediction.closed_forms import (
    KeptArm,
    has_closed_form,
    kept_arm,
    survival,
)
from planner.families.load_shedding.prediction.filling import full_seconds
from planner.families.load_shedding.prediction.flows import ArmFlow, SheddingPrediction
from planner.families.load_shedding.prediction.result_worth import (
    ArmValues,
    Kept,
    Worth,
    arm_values,
    worth_of,
)
from planner.families.load_shedding.prediction.sampled import Sampled, sampled_of, shares_of

BY_DISTRIBUTIONS = "expected values of the declared distributions"
BY_CHANCE = "geometric survival: every arrival drops one of all by chance"
BY_THRESHOLD = "threshold of importance: a loss system for each level"
SIMULATED = "simulated on a seeded sample"
NOTHING_SHED = "the exact answer: memory holds the windows"
NOTHING_KEPT = "the exact answer: a single stream keeps nothing"
NO_RESULT = "not predicted: the sample that policies are simulated on has no result; a run can say"
TOO_LARGE = (
    "not predicted: beside windows of so many tuples the memory is too small for a sample that is "
    "quickly simulated; a run can say"
)
# A tuple is looked up, admitted, ranked, kept, expired and counted.
STEPS_A_TUPLE = 7
CLOSED = {RANDOM: BY_CHANCE, IMPORTANCE: BY_THRESHOLD}


class SheddingPredictions:
    """The predictions of one workload, each made when it is first asked for."""

    def __init__(self, model: ShedModel, effort: float = 1.0) -> None:
        self.model, self.shares, self._effort = model, shares_of(model), effort
        self._made: dict[str, SheddingPrediction] = {}

    @cached_property
    def sampled(self) -> Sampled:
        """What is simulated; made when a policy has no closed form."""
        return sampled_of(self.model, self._effort)

    @cached_property
    def without_shedding(self) -> str | None:
        """Why every policy gives the exact answer, where each does."""
        arms = self.model.star.arms
        if len(arms) == 1:
            return NOTHING_KEPT
        if all(arm.share >= self.model.most_in_window(p) for p, arm in enumerate(arms)):
            return NOTHING_SHED
        return None

    @cached_property
    def unpredicted(self) -> tuple[tuple[str, str], ...]:
        """Policies that cannot be predicted, and why."""
        reason = self.model.without_optimum
        found = {} if reason is None else dict.fromkeys(OFFLINE, reason)
        if (reason := self._unsampled) is not None:
            for label in LABELS:
                # What chance finds follows from how much it keeps.
                if label not in (EXACT, RANDOM) and not self.is_closed(label):
                    found.setdefault(label, reason)
        return tuple(found.items())

    @cached_property
    def _unsampled(self) -> str | None:
        """Why the sample says nothing about policies, where it does not."""
        if self.without_shedding is not None or not self.exact.results:
            return None
        if not self.sampled.sample.serves(self.shares):
            return TOO_LARGE
        return None if self.sampled.has_results else NO_RESULT

    def is_closed(self, label: str) -> bool:
        """Whether importance and results of a policy have a closed form here."""
        if label == EXACT or self.without_shedding is not None:
            return True
        return label in CLOSED and has_closed_form(self.model) and self._values is not None

    def of(self, label: str) -> SheddingPrediction:
        """The prediction of a policy."""
        if label not in self._made:
            self._made[label] = self._predicted(label)
        return self._made[label]

    def _predicted(self, label: str) -> SheddingPrediction:
        if label == EXACT:
            return self.exact
        if (reason := self.without_shedding) is not None:
            return replace(self.exact, model=reason, work_model=reason)
        if self.is_closed(label):
            return self._in_closed_form(label)
        return self._simulated(label)

    def standard_error(self, label: str) -> float:
        """The standard error of the share that is found, as a share of it; 0 in closed form."""
        found = self.of(label)
        if found.model != SIMULATED or self._unsampled is not None or not found.recall:
            return 0.0
        return sqrt((1 - found.recall) / found.recall / self.sampled.probing(self.shares))

    def simulated_steps(self, plans: int) -> int:
        """What the sample takes for so many plans, where there is one."""
        if self.without_shedding is not None:
            return 0
        return STEPS_A_TUPLE * self.sampled.sample.tuples * plans

    # --- the exact answer ------------------------------------------------------------------------

    @cached_property
    def _values(self) -> tuple[ArmValues, ...] | None:
        return arm_values(self.model)

    @cached_property
    def _worth(self) -> Worth | None:
        return None if self._values is None else worth_of(self.model, self._values)

    @cached_property
    def mean_importance(self) -> tuple[float, str]:
        """The mean importance of exact results, and where it comes from."""
        if self._worth is not None:
            return self._worth.mean, BY_DISTRIBUTIONS
        return self.sampled.mean_importance, SIMULATED

    @cached_property
    def exact(self) -> SheddingPrediction:
        """What is found without a bound."""
        model, arms = self.model, self.model.star.arms
        results = sum(model.exact[p] * self._seconds(p, model.lifetimes) for p in range(len(arms)))
        flows = []
        for place in range(len(arms)):
            held = self.given(place) * model.lifetimes[place] if len(arms) > 1 else 0.0
            examined = sum(
                model.older(place, other) * self.given(other) / model.rates[other]
                + model.together(place, other)
                for other in range(len(arms))
                if other != place and model.rates[other]
            )
            flows.append(ArmFlow(1.0, 0.0, 1.0, held, examined, 1.0))
        mean, source = self.mean_importance
        return SheddingPrediction(
            source, BY_DISTRIBUTIONS, results, results * mean, 1.0, tuple(flows)
        )

    def given(self, place: int) -> float:
        """Tuples per second of an arm that may be kept: those with a row if they are filtered."""
        prefilter = self.model.workload.execution.shedding.prefilter
        return self.model.rates[place] * (self.model.matching[place] if prefilter else 1.0)

    def _seconds(self, place: int, times: Sequence[float], until: float | None = None) -> float:
        """For how many seconds of full windows results of an arm's arrivals come."""
        others = [time for other, time in enumerate(times) if other != place]
        return full_seconds(others, self.model.span if until is None else until)

    # --- closed forms ----------------------------------------------------------------------------

    def _in_closed_form(self, label: str) -> SheddingPrediction:
        model, values = self.model, self._values
        assert values is not None, "asked for"
        arms = model.star.arms
        kept = [kept_arm(model, label, p, own, own.arm.share) for p, own in enumerate(values)]
        # How long it takes until an arm holds what it will hold.
        filled = [k.held / self.given(p) if self.given(p) else 0.0 for p, k in enumerate(kept)]
        whole = worth_of(model, values)
        results = importance = 0.0
        found = []
        for place in range(len(arms)):
            shares = [self._kept_of(place, other, kept) for other in range(len(arms))]
            worth = worth_of(model, values, shares)
            found.append(worth.share / whole.share if whole.share else 0.0)
            rate = model.exact[place] * found[place] * self._seconds(place, filled)
            results, importance = results + rate, importance + rate * worth.mean
        flows = [self._closed_flow(label, place, own) for place, own in enumerate(kept)]
        recall = min(1.0, results / self.exact.results) if self.exact.results else 1.0
        return SheddingPrediction(
            CLOSED[label],
            CLOSED[label] if kept[0].admitted is not None else SIMULATED,
            results,
            importance,
            recall,
            tuple(
                replace(flow, examined=self._examined(place, flows), found=found[place])
                for place, flow in enumerate(flows)
            ),
        )

    def _examined(self, place: int, flows: Sequence[ArmFlow]) -> float:
        """Tuples of other arms that an arrival looks at; those that come with it are stored after
        it has looked."""
        model, whole = self.model, 0.0
        for other, flow in enumerate(flows):
            if other != place and model.rates[other]:
                may_be_kept = self.given(other) / model.rates[other]
                fresh = model.ticking(place, other) * may_be_kept * flow.admitted
                whole += max(0.0, flow.held - fresh) + model.together(place, other)
        return whole

    def _kept_of(self, place: int, other: int, kept: Sequence[KeptArm]) -> Kept | None:
        """Which share of another arm's window an arrival of this one finds, by importance."""
        if other == place:
            return None
        older, together = self.model.older(place, other), self.model.together(place, other)
        of_older = kept[other].of_older(self.model.ticking(place, other), older)
        seen = (older + together) or 1.0
        return lambda importance: (older * of_older(importance) + together) / seen

    def _closed_flow(self, label: str, place: int, own: KeptArm) -> ArmFlow:
        share = self.model.star.arms[place].share
        if own.admitted is None or own.crowded is None or own.expired is None:
            return replace(self.sampled.flow(label, self.shares, place), held=own.held)
        return ArmFlow(own.admitted, own.crowded * (share + 1), own.expired, own.held, 0.0, 0.0)

    def _by_what_is_kept(self) -> SheddingPrediction:
        """What chance finds: as much of the results as it keeps of the windows."""
        model, exact = self.model, self.exact
        places = range(len(self.shares))
        windows = [self.given(p) * model.lifetimes[p] for p in places]
        kept = [min(1.0, s / w) if w else 1.0 for s, w in zip(self.shares, windows, strict=True)]
        found = [prod(kept[o] for o in places if o != p) for p in places]
        flows = []
        for place, share in enumerate(self.shares):
            held = kept[place] * windows[place]
            crowded = 1.0 - survival(held, windows[place]) ** windows[place]
            admitted = 1 - crowded / (share + 1)
            flow = ArmFlow(admitted, crowded * (share + 1), 1 - crowded, held, 0.0, found[place])
            flows.append(flow)
        every = zip(model.exact, found, strict=True)
        part = sum(rate * own for rate, own in every) / sum(model.exact)
        return SheddingPrediction(
            BY_CHANCE,
            BY_CHANCE,
            part * exact.results,
            part * exact.importance,
            part,
            tuple(replace(f, examined=self._examined(p, flows)) for p, f in enumerate(flows)),
        )

    # --- simulated -------------------------------------------------------------------------------

    def _simulated(self, label: str) -> SheddingPrediction:
        sampled, exact = self.sampled, self.exact
        arms = range(len(self.model.star.arms))
        if self._unsampled is not None:
            return self._by_what_is_kept()
        if sampled.is_whole_run:
            found = sampled.found(label, self.shares)
            results, importance = found.results, found.importance
        else:
            # While windows fill less is shed, and a sample is a longer part of that than a run.
            times, warmup = self.model.lifetimes, sampled.sample.warmup
            filling = sum(self.model.exact[p] * self._seconds(p, times, warmup) for p in arms)
            part = filling / exact.results if exact.results else 0.0
            early, late = sampled.found_early_and_late(label, self.shares)
            results = part * early.results + (1 - part) * late.results
            importance = part * early.importance + (1 - part) * late.importance
        flows = tuple(sampled.flow(label, self.shares, place) for place in arms)
        return SheddingPrediction(
            SIMULATED,
            SIMULATED,
            results * exact.results,
            importance * exact.importance,
            min(1.0, results),
            flows,
        )

"""What a run that adapts cost and saved: the same tuples under every plan, interval by interval.

Plans are run one after the other in this process. Their windows hold the same tuples, whatever came
before, so that the best plan of every interval is the least of what each plan did in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from planner.adapt.switches import Switch
from planner.errors import RunError
from planner.families.capabilities import Switching
from planner.families.registry import family
from planner.plan.cost import Cost
from planner.plan.objective import Objective
from runtime.backends.kernels.in_process import InProcess
from runtime.runs.records import RunRequest

Work = NDArray[np.float64]
# So many plans are run: all orders of four streams.
MOST_PLANS = 24


@dataclass(frozen=True, slots=True)
class Graded:
    """How good the run and the plans that stay were by what they are ranked by: not by work."""

    by: Objective
    adaptive: float
    static: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The work of each micro-batch: comparisons, inserts and updates, of moving too.

    `ends` are the times that batches reach, in seconds of the run. `static` has the plans that
    were run from beginning to end. Where plans are not ranked by work, they are `graded`.
    """

    ends: tuple[float, ...]
    adaptive: Work
    static: Mapping[str, Work]
    switches: tuple[Switch, ...]
    graded: Graded | None = None

    @property
    def best(self) -> str:
        """The best plan from beginning to end: by the least work, or as plans are graded."""
        return self._ordered[0]

    @property
    def worst(self) -> str:
        """The worst plan."""
        return self._ordered[-1]

    @property
    def _ordered(self) -> list[str]:
        if self.graded is not None:
            return self.graded.by.ordered(self.graded.static)
        return sorted(self.static, key=lambda label: (self.static[label].sum(), label))

    def oracle(self, times: Sequence[float] = ()) -> float:
        """The work of the best plan of every interval; without times, of every batch."""
        every = np.stack(list(self.static.values()))
        if not len(times):
            return float(every.min(axis=0).sum())
        starts = np.unique(np.searchsorted(self.ends, [0.0, *times]))
        starts = starts[starts < every.shape[1]]
        return float(np.add.reduceat(every, starts, axis=1).min(axis=0).sum())


def hindsight(request: RunRequest, most: int = MOST_PLANS) -> Hindsight:
    """Run what was asked for, which adapts, and plans that stay on the same micro-batches.

    Those are the plans it could switch to: the first ones of all, and those it was switched to.
    """
    adapt = request.workload.run.adapt
    if adapt is None:
        raise RunError("does not adapt: there is nothing to compare; state run.adapt", "run.adapt")
    # Decided anew: the record of a run may hold its switches.
    adapting = InProcess(replace(request, way="stream", steered=(), results=None, pace=None))
    first = adapting.prepared.plan.label
    adaptive, score = _work(adapting)
    settings = replace(request.workload.run, adapt=replace(adapt, policy="never"))
    still = replace(adapting.request, workload=replace(request.workload, run=settings), steered=())
    labels = _compared(adapting, first, most)
    found = {label: _work(InProcess(replace(still, label=label))) for label in labels}
    batches = adapting.prepared.batches
    ends = tuple((until - adapting.prepared.begin) / 1e6 for until in batches.untils)
    static = {label: work for label, (work, _) in found.items()}
    graded = None
    if score is not None:
        scores = {label: own for label, (_, own) in found.items() if own is not None}
        graded = Graded(family(adapting.prepared.plan.family).objective, score, scores)
    return Hindsight(ends, adaptive, static, adapting.switches, graded)


def _compared(run: InProcess, first: str, most: int) -> list[str]:
    """The plans of a run, then others that it could have been switched to."""
    space = family(run.prepared.plan.family).space(run.request.workload, run.request.units)
    switching, plan = space.capability(Switching), space.plan(first)
    assert switching is not None, "a run that is not switched is refused"
    others = (p for p in space.candidates() if not switching.why_not_switched(plan, p))
    labels = [first, *(switch.after for switch in run.switches)]
    return list(islice(dict.fromkeys([*labels, *(p.label for p in islice(others, most))]), most))


def _work(run: InProcess) -> tuple[Work, float | None]:
    """The operations of each batch, and what the plan is ranked by if that is not work."""
    reached = [0.0]
    while not run.is_over:
        run.step()
        until = run.prepared.batches.untils[run.done - 1]
        seconds = run.prepared.span.until(None if run.is_over else until).seconds
        spent = sum(run.tally().costs.values(), Cost())
        reached.append(spent.operations * seconds)
    by = family(run.prepared.plan.family).objective
    score = None if by.unit.endswith("/s") else by.of(run.prepared.plan, run.tally())
    return np.diff(np.array(reached)), score

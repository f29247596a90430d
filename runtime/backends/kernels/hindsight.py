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
from runtime.backends.kernels.in_process import InProcess
from runtime.runs.records import RunRequest

Work = NDArray[np.float64]
# So many plans are run: all orders of four streams.
MOST_PLANS = 24


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The work of each micro-batch: comparisons, inserts and updates, of moving too.

    `ends` are the times that batches reach, in seconds of the run. `static` has the plans that
    were run from beginning to end.
    """

    ends: tuple[float, ...]
    adaptive: Work
    static: Mapping[str, Work]
    switches: tuple[Switch, ...]

    @property
    def best(self) -> str:
        """The plan that did the least work from beginning to end."""
        return min(self.static, key=lambda label: (self.static[label].sum(), label))

    @property
    def worst(self) -> str:
        """The plan that did the most."""
        return max(self.static, key=lambda label: (self.static[label].sum(), label))

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
    adaptive = _work(adapting)
    settings = replace(request.workload.run, adapt=replace(adapt, policy="never"))
    still = replace(adapting.request, workload=replace(request.workload, run=settings), steered=())
    labels = _compared(adapting, first, most)
    static = {label: _work(InProcess(replace(still, label=label))) for label in labels}
    batches = adapting.prepared.batches
    ends = tuple((until - adapting.prepared.begin) / 1e6 for until in batches.untils)
    return Hindsight(ends, adaptive, static, adapting.switches)


def _compared(run: InProcess, first: str, most: int) -> list[str]:
    """The plans of a run, then others that it could have been switched to."""
    space = family(run.prepared.plan.family).space(run.request.workload, run.request.units)
    switching, plan = space.capability(Switching), space.plan(first)
    assert switching is not None, "a run that is not switched is refused"
    others = (p for p in space.candidates() if not switching.why_not_switched(plan, p))
    labels = [first, *(switch.after for switch in run.switches)]
    return list(islice(dict.fromkeys([*labels, *(p.label for p in islice(others, most))]), most))


def _work(run: InProcess) -> Work:
    """The operations of each batch."""
    reached = [0.0]
    while not run.is_over:
        run.step()
        until = run.prepared.batches.untils[run.done - 1]
        seconds = run.prepared.span.until(None if run.is_over else until).seconds
        spent = sum(run.tally().costs.values(), Cost())
        reached.append(spent.operations * seconds)
    return np.diff(np.array(reached))

"""Runs that adapt, between two micro-batches: what has come is sketched, and a policy decides.

Decisions follow from the batches before them, which are the same however often they are run: a run
that is resumed decides again what it decided before, and a replay what a stream decides. Sketches
are those of the workers where these have watched a batch, and made of its file where not.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from planner.adapt.observed import Observed
from planner.adapt.switches import Adaptation, OutOfReach, Switch
from planner.families.registry import family
from planner.plan.plan import Plan
from planner.statistics.observed import ValueStatistics
from planner.statistics.observed_workload import settled
from planner.workload.execution import Change
from runtime.backends.kernels.batch_sketches import sketch_of_batch
from runtime.backends.kernels.pace import decision_microseconds
from runtime.backends.kernels.prepare import PreparedKernelRun, changed
from runtime.engines.registry import engine
from runtime.engines.watching.sketch_plan import SketchPlan
from runtime.engines.watching.sketch_statistics import burst_of, values_of
from runtime.engines.watching.sketched import Sketch, together
from runtime.runs.records import Run, RunRequest

# What was seen is forgotten beyond so many decisions, however far the horizon is.
_MOST_INTERVALS = 100


class Adapting:
    """The switches of a run, batch by batch."""

    def __init__(self, request: RunRequest, prepared: PreparedKernelRun) -> None:
        self._prepared = prepared
        self._batches, self._begin = prepared.batches, prepared.begin
        span = prepared.batches.last_ts - prepared.begin
        self._every = decision_microseconds(prepared.workload, span)
        runs = engine(prepared.plan.family)
        # As it was before its first switch.
        settings = replace(prepared.workload.run, changes=request.workload.run.changes)
        workload = replace(prepared.workload, run=settings)
        split = prepared.split

        def why_not(plan: Plan) -> str | None:
            if runs.split(plan, workload, split.partitions) == split:
                return None
            return "its tuples would be shared out to partitions in another way"

        self._adaptation = Adaptation(
            family(prepared.plan.family), workload, prepared.plan.label, request.units, why_not
        )
        self._seen = None
        if (plan := prepared.sketches) is not None:
            adapt = workload.run.adapt
            assert adapt is not None, "only a run that adapts is followed"
            windows = max(self._every, int(workload.longest_window * 1e6))
            self._seen = _Seen(plan, windows, max(windows, int(adapt.horizon * 1e6)))
        self._noted: dict[int, Sketch] = {}
        self._counted = 0
        # The processor's seconds that decisions took, with what was read for them.
        self.seconds = 0.0

    @property
    def out_of_reach(self) -> tuple[OutOfReach, ...]:
        """The plans that were the best at some time, but could not be switched to."""
        return tuple(self._adaptation.out_of_reach.values())

    def note(self, batch: int, sketches: Sequence[bytes]) -> None:
        """What workers have sketched of a batch, by partition."""
        # A batch may come again, where others were damaged.
        if batch >= self._counted:
            self._noted[batch] = together([Sketch.unpacked(packed) for packed in sketches])

    def switches_before(self, number: int) -> tuple[Switch, ...]:
        """All switches until this batch begins."""
        begun = time.thread_time()
        while self._seen is not None and self._counted < number:
            if self._counted not in self._noted:
                self._noted[self._counted] = sketch_of_batch(self._prepared, self._counted)
            self._seen.add(self._noted.pop(self._counted))
            self._counted += 1
            if self._counted < self._batches.batches:
                self._decide(self._seen, self._counted)
        self.seconds += time.thread_time() - begun
        return tuple(self._adaptation.switches)

    def revised(
        self, record: Run, prepared: PreparedKernelRun, number: int
    ) -> tuple[Run, PreparedKernelRun]:
        """The record of a run with all that was decided until this batch begins; else as it is."""
        switches = self.switches_before(number)
        request, prepared = with_switches(record.request, prepared, switches)
        found = replace(record, switches=switches, out_of_reach=self.out_of_reach)
        # Its switches are its own doing: it stays a run of the workload that was asked for.
        run = replace(prepared.workload.run, changes=request.workload.run.changes)
        workload = replace(prepared.workload, run=run)
        return replace(revised(found, request, prepared), workload=workload), prepared

    def _decide(self, seen: _Seen, number: int) -> None:
        """Decide before a batch where a time to decide has come since the one before it."""
        after = self._batches.untils[number - 1] - self._begin
        at = (self._batches.froms[number] - self._begin) // self._every * self._every
        if at > after:
            self._adaptation.see(seen.until(at))
            self._adaptation.decide(at, number)


class _Seen:
    """The sketches of a run from one decision to the next, as far back as they are of use."""

    def __init__(self, plan: SketchPlan, windows: int, horizon: int) -> None:
        self._plan, self._windows, self._horizon = plan, windows, horizon
        self._since: list[Sketch] = []
        self._past: deque[tuple[int, Sketch]] = deque(maxlen=_MOST_INTERVALS)
        self._reached = 0

    def add(self, sketch: Sketch) -> None:
        """Take in a batch."""
        self._since.append(sketch)

    def until(self, at: int) -> Observed:
        """What was seen since the last decision, now that this time has come."""
        begin, own = self._reached, together(self._since)
        self._past.append((at, own))
        self._reached, self._since = at, []
        while self._past[0][0] <= at - self._horizon:
            self._past.popleft()
        watched = {stream: place for place, stream in enumerate(self._plan.streams) if stream}
        return Observed(
            begin,
            at,
            {stream: int(own.arrived[place]) for stream, place in watched.items()},
            {stream: burst_of(own, place)[0] for stream, place in watched.items()},
            self._values(at),
        )

    def _values(self, at: int) -> ValueStatistics:
        """Of what windows hold now, and where that may be as it was before, of a longer time."""
        recent = [sketch for end, sketch in self._past if end > at - self._windows]
        found = values_of(self._plan, together(recent))
        if len(recent) == len(self._past):
            return found
        return settled(found, values_of(self._plan, together([one for _, one in self._past])))


def with_switches(
    request: RunRequest, prepared: PreparedKernelRun, switches: tuple[Switch, ...]
) -> tuple[RunRequest, PreparedKernelRun]:
    """The run with the switches that it does not have yet; else as it is."""
    changes = tuple(Change(switch.at / 1e6, plan=switch.after) for switch in switches)
    new = changes[len(request.steered) :]
    if not new:
        return request, prepared
    return replace(request, steered=changes), changed(prepared, request, new)


def revised(record: Run, request: RunRequest, prepared: PreparedKernelRun) -> Run:
    """The record of a run that was changed while it went on."""
    return replace(
        record,
        request=request,
        workload=prepared.workload,
        plan=prepared.plan,
        estimate=prepared.estimate,
    )

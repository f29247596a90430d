"""Runs that adapt, between two micro-batches: what has come is counted, and a policy decides.

Decisions follow from the batches before them, which are the same however often they are run: a run
that is resumed decides again what it decided before, and a replay what a stream decides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq

from planner.adapt.observed import Observed
from planner.adapt.switches import Adaptation, Switch
from planner.families.registry import family
from planner.plan.plan import Plan
from planner.workload.execution import Change
from runtime.backends.kernels.pace import decision_microseconds
from runtime.backends.kernels.prepare import PreparedKernelRun, changed
from runtime.data.batch import unpack
from runtime.data.batch_seal import opened
from runtime.engines.registry import engine
from runtime.runs.records import Run, RunRequest


class Adapting:
    """The switches of a run, batch by batch."""

    def __init__(self, request: RunRequest, prepared: PreparedKernelRun) -> None:
        self._request, self._batches, self._begin = request, prepared.batches, prepared.begin
        span = prepared.batches.last_ts - prepared.begin
        self._every = decision_microseconds(prepared.workload, span)
        runs = engine(prepared.plan.family)
        self._names = runs.sources(prepared.workload)
        # As it was before its first switch.
        settings = replace(prepared.workload.run, changes=request.workload.run.changes)
        workload = replace(prepared.workload, run=settings)
        split = prepared.split

        def fits(plan: Plan) -> bool:
            return runs.split(plan, workload, split.partitions) == split

        self._adaptation = Adaptation(
            family(prepared.plan.family), workload, prepared.plan.label, request.units, fits
        )
        self._counted = 0
        self._reached = 0
        self._arrivals: Counter[str] = Counter()

    def switches_before(self, number: int) -> tuple[Switch, ...]:
        """All switches until this batch begins."""
        while self._counted < number:
            self._arrivals.update(self._arrived(self._counted))
            self._counted += 1
            if self._counted < self._batches.batches:
                self._decide(self._counted)
        return tuple(self._adaptation.switches)

    def _decide(self, number: int) -> None:
        """Decide before a batch where a time to decide has come since the one before it."""
        after = self._batches.untils[number - 1] - self._begin
        at = (self._batches.froms[number] - self._begin) // self._every * self._every
        if at > after:
            self._adaptation.see(Observed(self._reached, at, dict(self._arrivals)))
            self._reached, self._arrivals = at, Counter()
            self._adaptation.decide(at, number)

    def _arrived(self, number: int) -> Counter[str]:
        """How many tuples of each stream a batch has, whatever their aliases and partitions."""
        found: Counter[str] = Counter()
        for row in pq.read_table(self._batches.file(number)).to_pylist():
            _, sources, *_ = unpack(opened(row["tuples"], number, row["partitions"][0]))
            for place, count in enumerate(np.bincount(sources, minlength=len(self._names))):
                found[self._names[place]] += int(count)
        aliases = Counter(self._names)
        return Counter({name: count // aliases[name] for name, count in found.items()})


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

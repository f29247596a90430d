"""A run on kernels that is stepped in this process: without Spark, and with nothing recorded.

It has the answer and the counts of a run on Spark: where many plans are to be measured on the same
tuples, starting a job for each would take longer than their work.
"""

from __future__ import annotations

import pyarrow.parquet as pq

from planner.adapt.switches import Switch
from runtime.backends.kernels.adapting import Adapting, with_switches
from runtime.backends.kernels.prepare import prepare
from runtime.data.batch_seal import opened
from runtime.engines.protocol import Tally
from runtime.runs.records import RunRequest


class InProcess:
    """A run, batch by batch."""

    def __init__(self, request: RunRequest, partitions: int = 1) -> None:
        self.request, self.prepared = request, prepare(request, partitions)
        self.switches: tuple[Switch, ...] = ()
        adapts = request.workload.run.adapt is not None
        self._adapting = Adapting(request, self.prepared) if adapts else None
        self._states: list[bytes | None] = [None] * self.prepared.partitions
        self._totals = [b""] * self.prepared.partitions
        self.done = 0

    @property
    def is_over(self) -> bool:
        """Whether all batches are done."""
        return self.done == self.prepared.batches.batches

    def step(self) -> None:
        """Run the next batch, with another plan if that is decided."""
        if self._adapting is not None:
            self.switches = self._adapting.switches_before(self.done)
            self.request, self.prepared = with_switches(self.request, self.prepared, self.switches)
        for row in pq.read_table(self.prepared.batches.file(self.done)).to_pylist():
            for partition in row["partitions"]:
                tuples = opened(row["tuples"], self.done, partition)
                step = self.prepared.program.step(self._states[partition], tuples, partition, 0)
                self._states[partition], self._totals[partition] = step.state, step.totals
        self.done += 1

    def tally(self) -> Tally:
        """What was counted so far."""
        until = None if self.is_over else self.prepared.batches.untils[self.done - 1]
        return self.prepared.program.tally(self._totals, self.prepared.plan, until)

    def run(self) -> Tally:
        """What was counted when all batches are done."""
        while not self.is_over:
            self.step()
        return self.tally()

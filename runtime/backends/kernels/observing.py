"""What a run sees of its tuples: the sketches of micro-batches, and the statistics from them.

Of a run of many batches every n-th is observed. Its statistics are a line of a file of the run's
folder, written before the totals are: a run that is resumed finds those of all batches that its
totals cover. Sketches are not kept: what later batches are put together with is sketched again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np

from planner.files.whole_files import append_sealed_json, read_sealed_lines
from planner.plan.cost import Measurement
from planner.statistics.observed import (
    BatchStatistics,
    KeyStatistics,
    Likely,
    StreamStatistics,
)
from runtime.backends.kernels.batch_sketches import sketch_of_batch
from runtime.backends.kernels.prepare import PreparedKernelRun
from runtime.backends.kernels.totals import Totals
from runtime.data.json_records import from_json
from runtime.engines.watching.sketch_plan import SketchPlan
from runtime.engines.watching.sketch_statistics import burst_of, values_of
from runtime.engines.watching.sketched import Sketch, together

# A time line has so many points at most: each takes the driver a millisecond or two.
MOST_OBSERVED = 50
# Keys are put together with those of earlier batches until there are so many tuples of each.
ENOUGH_TUPLES = 1_000
_FILE = "observed.jsonl"


class Observing:
    """The statistics of a run's batches so far, and what the next ones are made with."""

    def __init__(self, folder: Path, prepared: PreparedKernelRun, plan: SketchPlan) -> None:
        self._file, self._prepared, self._plan = folder / _FILE, prepared, plan
        self._nth = -(-max(1, prepared.batches.batches) // MOST_OBSERVED)
        self._begin()

    def _begin(self) -> None:
        self.timeline: list[BatchStatistics] = []
        # The processor's seconds that sketches took, and what follows from them.
        self.seconds = 0.0
        self._sketches: list[tuple[int, Sketch]] = []
        # The first batch whose sketch the last one's was put together with.
        self._since = 0

    def resume(self, done: int) -> bool:
        """Go on after so many batches, of which all statistics must be there; whether they are."""
        if not self.read(done):
            return False
        # Later ones are of a batch that was not counted: it will come again.
        for batch in range(self._since, done, self._nth):
            self._sketches.append((batch, sketch_of_batch(self._prepared, batch)))
        return True

    def read(self, done: int) -> bool:
        """Read the statistics that so many batches left; whether all of them are there."""
        self._begin()
        # A batch that came again has left two lines, which say the same.
        left = {
            content["statistics"]["batch"]: content for content in read_sealed_lines(self._file)
        }
        for batch in range(0, done, self._nth):
            if (content := left.get(batch)) is None:
                return False
            self.timeline.append(from_json(BatchStatistics, content["statistics"]))
            self.seconds += content["seconds"]
            self._since = content["from"]
        return True

    def take(self, batch: int, sketches: Sequence[bytes]) -> None:
        """Add the statistics of a batch, from what partitions sketched, if it is to be observed."""
        if batch % self._nth:
            return
        begun = time.thread_time_ns()
        sketch = together([Sketch.unpacked(packed) for packed in sketches])
        prepared = self._prepared
        until = prepared.batches.untils[batch]
        before = prepared.batches.untils[batch - 1] if batch else prepared.begin
        self._sketches.append((batch, sketch))
        self._forget(until)
        seconds = max(1, until - before) / 1e6
        seen = values_of(self._plan, together([sketch for _, sketch in self._sketches]))
        made = BatchStatistics(
            batch,
            (before - prepared.begin) / 1e6,
            (until - prepared.begin) / 1e6,
            {
                stream: _stream(sketch, place, seconds, seen.keys.get(stream, {}))
                for place, stream in enumerate(self._plan.streams)
                if stream
            },
            seen.pairs,
            seen.filters,
        )
        self._keep(made, sketch, begun)

    def _forget(self, until: int) -> None:
        """Drop sketches from before the longest window, if later ones have enough tuples."""
        untils, length = self._prepared.batches.untils, self._prepared.workload.longest_window
        while len(self._sketches) > 1:
            first, later = self._sketches[0][0], [sketch for _, sketch in self._sketches[1:]]
            arrived = np.sum([sketch.arrived for sketch in later], axis=0)
            watched = [bool(stream) for stream in self._plan.streams]
            few = arrived[watched].min(initial=ENOUGH_TUPLES) < ENOUGH_TUPLES
            if few or untils[first] > until - length * 1e6:
                break
            self._sketches.pop(0)

    def _keep(self, made: BatchStatistics, sketch: Sketch, begun: int) -> None:
        self.timeline.append(made)
        spent = (float(sketch.spent[0]) + time.thread_time_ns() - begun) / 1e9
        begun = time.thread_time_ns()
        content = {"statistics": made, "seconds": spent, "from": self._sketches[0][0]}
        # Where a machine dies before it is on disk, the run begins anew.
        append_sealed_json(self._file, content)
        self.seconds += spent + (time.thread_time_ns() - begun) / 1e9


def observing_of(folder: Path, prepared: PreparedKernelRun) -> Observing | None:
    """What observes a run in its folder; None where its tuples are not watched."""
    plan = prepared.sketches
    return None if plan is None else Observing(folder, prepared, plan)


def with_observed(
    measurement: Measurement, folder: Path, prepared: PreparedKernelRun
) -> Measurement:
    """The measurement with the statistics that a run left in its folder, if it was watched."""
    observing = observing_of(folder, prepared)
    if observing is None or not observing.read(Totals(folder).done()) or not observing.timeline:
        return measurement
    timings = replace(measurement.timings, watch=observing.seconds)
    return replace(measurement, observed=tuple(observing.timeline), timings=timings)


def _stream(
    sketch: Sketch, place: int, seconds: float, keys: Mapping[str, KeyStatistics]
) -> StreamStatistics:
    """What a source received in so many seconds."""
    tuples, (burst, spread) = int(sketch.arrived[place]), burst_of(sketch, place)
    deviation = sqrt(max(1, tuples) * (2 * burst - 1)) / seconds
    return StreamStatistics(
        tuples,
        Likely.around(tuples / seconds, deviation),
        Likely.around(burst, spread, least=1.0) if tuples else Likely(1.0, 1.0, None),
        keys,
    )

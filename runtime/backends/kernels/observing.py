"""What a run sees of its tuples: the sketches of every micro-batch, and the statistics from them.

Each batch leaves two files in the run's folder: its sketch, for as long as later batches are put
together with it, and its statistics. They are written before the totals are: a run that is
resumed finds those of all batches that its totals cover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import RunError
from planner.files.whole_files import read_sealed_json, write_sealed_json, write_whole
from planner.plan.cost import Cost, Measurement
from planner.plan.plan import Plan
from planner.statistics.observed import (
    BatchStatistics,
    KeyStatistics,
    Likely,
    StreamStatistics,
    pair_name,
)
from planner.statistics.sketch_estimates import (
    KeyCounts,
    different,
    equal_pairs,
    share_passed,
    statistics_of,
)
from runtime.backends.kernels.prepare import PreparedKernelRun
from runtime.backends.kernels.totals import Totals
from runtime.data.batch_seal import EVERY_PARTITION, opened, sealed
from runtime.data.json_records import from_json
from runtime.engines.kernels.sketches import NOTHING
from runtime.engines.sketched import Sketch, SketchPlan, together

# Keys are put together with those of earlier batches until there are so many tuples of each.
ENOUGH_TUPLES = 1_000
_FOLDER = "observed"
Passed = Mapping[str, tuple[float, float]]


class Observing:
    """The statistics of a run's batches so far, and what the next ones are made with."""

    def __init__(self, folder: Path, prepared: PreparedKernelRun, plan: SketchPlan) -> None:
        self._folder, self._prepared, self._plan = folder / _FOLDER, prepared, plan
        self._begin()

    def _begin(self) -> None:
        self.timeline: list[BatchStatistics] = []
        # The processor's seconds that sketches took.
        self.seconds = 0.0
        self._sketches: list[tuple[int, Sketch]] = []
        self._passed: Passed = {}
        # Sketches of batches before the first are gone; the last batch needed those from the other.
        self._dropped = self._needed = 0

    def resume(self, done: int) -> bool:
        """Read what so many batches left; whether all of it is there."""
        self._begin()
        content: Any = None
        for batch in range(done):
            content = read_sealed_json(self._file(batch, "json"))
            if content is None:
                return False
            self.timeline.append(from_json(BatchStatistics, content["statistics"]))
            self.seconds += content["seconds"]
            self._passed = {name: (of, passed) for name, (of, passed) in content["passed"].items()}
        # Later ones are of a batch that was not counted: it will come again.
        for batch in range(content["from"] if done else 0, done):
            try:
                packed = opened(self._file(batch, "sketch").read_bytes(), batch, EVERY_PARTITION)
            except (OSError, RunError):
                return False
            self._sketches.append((batch, Sketch.unpacked(packed)))
        self._needed = content["from"] if done else 0
        return True

    def take(
        self, batch: int, sketches: Sequence[bytes], plan: Plan, costs: Mapping[str, Cost]
    ) -> BatchStatistics:
        """The statistics of a batch, from what partitions sketched and what the run has cost."""
        sketch = together([Sketch.unpacked(packed) for packed in sketches])
        prepared = self._prepared
        until = prepared.batches.untils[batch]
        before = prepared.batches.untils[batch - 1] if batch else prepared.begin
        self._sketches.append((batch, sketch))
        self._forget(until)
        passed = _passed(plan, costs, prepared.span.until(until).seconds)
        seconds = max(1, until - before) / 1e6
        keys, pairs = self._keys()
        made = BatchStatistics(
            batch,
            (before - prepared.begin) / 1e6,
            (until - prepared.begin) / 1e6,
            {
                stream: _stream(sketch, place, seconds, keys.get(stream, {}))
                for place, stream in enumerate(self._plan.streams)
                if stream
            },
            pairs,
            _filters(self._passed, passed),
        )
        self._passed = passed
        self._keep(made, sketch)
        return made

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

    def _keys(self) -> tuple[dict[str, dict[str, KeyStatistics]], dict[str, Likely]]:
        """The statistics of keys by stream and attribute, and the equal pairs."""
        sketch = together([sketch for _, sketch in self._sketches])
        rows = self._plan.row_of()
        columns = [
            (
                column,
                KeyCounts.exact_of(sketch.counters[n])
                if rows[n] < 0
                else KeyCounts.hashed(sketch.counters[n], sketch.values[rows[n]], NOTHING),
            )
            for n, column in enumerate(self._plan.columns)
        ]
        by_stream: dict[str, dict[str, KeyStatistics]] = {}
        for column, counts in columns:
            found = by_stream.setdefault(column.stream, {})
            if column.attribute not in found and (known := statistics_of(counts)) is not None:
                found[column.attribute] = known
        pairs: dict[str, Likely] = {}
        for (left, counts), (right, others) in combinations(columns, 2):
            if left.group == right.group and left.stream != right.stream:
                equal = equal_pairs(counts, others)
                if equal is not None:
                    name = pair_name((left.stream, left.attribute), (right.stream, right.attribute))
                    pairs.setdefault(name, equal)
        return by_stream, pairs

    def _keep(self, made: BatchStatistics, sketch: Sketch) -> None:
        spent = float(sketch.spent[0]) / 1e9
        self.timeline.append(made)
        self.seconds += spent
        self._folder.mkdir(parents=True, exist_ok=True)
        packed = sealed(sketch.packed(), made.batch, EVERY_PARTITION)
        write_whole(self._file(made.batch, "sketch"), packed)
        content = {
            "statistics": asdict(made),
            "seconds": spent,
            "passed": dict(self._passed),
            "from": self._sketches[0][0],
        }
        write_sealed_json(self._file(made.batch, "json"), content)
        # This batch may come again: what the one before was put together with stays until then.
        for batch in range(self._dropped, self._needed):
            self._file(batch, "sketch").unlink(missing_ok=True)
        self._dropped, self._needed = self._needed, self._sketches[0][0]

    def _file(self, batch: int, kind: str) -> Path:
        return self._folder / f"{batch:06}.{kind}"


def observing_of(folder: Path, prepared: PreparedKernelRun) -> Observing | None:
    """What observes a run in its folder; None where its tuples are not watched."""
    plan = prepared.sketches
    return None if plan is None else Observing(folder, prepared, plan)


def with_observed(
    measurement: Measurement, folder: Path, prepared: PreparedKernelRun
) -> Measurement:
    """The measurement with the statistics that a run left in its folder, if it was watched."""
    observing = observing_of(folder, prepared)
    if observing is None or not observing.resume(Totals(folder).done()):
        return measurement
    timings = replace(measurement.timings, watch=observing.seconds)
    return replace(measurement, observed=tuple(observing.timeline), timings=timings)


def _stream(
    sketch: Sketch, place: int, seconds: float, keys: Mapping[str, KeyStatistics]
) -> StreamStatistics:
    """What a source received in so many seconds."""
    tuples = int(sketch.arrived[place])
    instants, spread = different(sketch.times[place], NOTHING)
    burst = max(1.0, tuples / instants) if instants else 1.0
    # Bursts of geometric sizes: what is not known of their spread is taken from their mean.
    deviation = sqrt(max(1, tuples) * (2 * burst - 1)) / seconds
    of_burst = burst * sqrt((spread / instants) ** 2 + (1 - 1 / burst) / instants) if tuples else 0
    return StreamStatistics(
        tuples,
        Likely.around(tuples / seconds, deviation),
        Likely.around(burst, of_burst, least=1.0) if tuples else Likely(1.0, 1.0, None),
        keys,
    )


def _passed(
    plan: Plan, costs: Mapping[str, Cost], seconds: float
) -> dict[str, tuple[float, float]]:
    """By condition, how many tuples its filters looked at since the start, and passed on."""
    found: dict[str, tuple[float, float]] = {}
    for operator in plan.operators():
        if operator.kind == "filter" and operator.id in costs:
            text, cost = str(dict(operator.params).get("condition", "")), costs[operator.id]
            of, passed = found.get(text, (0.0, 0.0))
            found[text] = of + cost.comparisons * seconds, passed + cost.rows_out * seconds
    return found


def _filters(before: Passed, after: Passed) -> dict[str, Likely]:
    """The share that passed each filter since the batch before."""
    shares = {}
    for name, (of, passed) in after.items():
        of_before, passed_before = before.get(name, (0.0, 0.0))
        looked_at, let_by = round(of - of_before), round(passed - passed_before)
        if looked_at > 0:
            shares[name] = share_passed(min(looked_at, max(0, let_by)), looked_at)
    return shares

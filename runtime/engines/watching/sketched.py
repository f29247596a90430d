"""The sketch of a batch of a run's tuples: counts, least hashes, and samples of values.

A sketch is of one batch alone, made of its tuples by whoever steps them: a batch that is run again
has the same sketch, whichever plan runs, and nothing of it is carried from batch to batch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from runtime.data.batch import Batch, pack, unpack
from runtime.engines.kernels.loop_types import Filters
from runtime.engines.kernels.sketches import (
    NOTHING,
    REGISTERS,
    SAMPLE,
    UNTAKEN,
    add_filtered,
    add_to_sketch,
    rows_taken,
    sampled,
)
from runtime.engines.watching.sketch_plan import SketchPlan


class Sketch(NamedTuple):
    """What arrived: tuples by source, how many of them were looked at, least hashes of their times
    and of hashed keys, counters of keys.

    `filtered` has for each filter the tuples that it looked at and those that passed. A sample has
    the tuples with the least hashes. `spent` are the nanoseconds of the processor that it took.
    """

    arrived: np.ndarray
    taken: np.ndarray
    times: np.ndarray
    values: np.ndarray
    counters: np.ndarray
    filtered: np.ndarray
    hashes: np.ndarray
    samples: np.ndarray
    spent: np.ndarray

    @classmethod
    def empty(cls, plan: SketchPlan) -> Sketch:
        """Of no tuple."""
        return cls(
            np.zeros(len(plan.streams), np.int64),
            np.zeros(len(plan.streams), np.int64),
            np.full((len(plan.streams), REGISTERS), NOTHING, np.int32),
            np.full((len(plan.hashed), REGISTERS), NOTHING, np.int32),
            np.zeros((len(plan.columns), plan.counters), np.int32),
            np.zeros((len(plan.filters), 2), np.int64),
            np.full((len(plan.sampled), SAMPLE), UNTAKEN, np.uint64),
            np.full((len(plan.sampled), SAMPLE), np.nan),
            np.zeros(1, np.int64),
        )

    @classmethod
    def unpacked(cls, packed: bytes) -> Sketch:
        return cls(*unpack(packed))

    def packed(self) -> bytes:
        return pack(self)


def together(sketches: Sequence[Sketch]) -> Sketch:
    """The sketch of all their tuples."""
    if len(sketches) == 1:
        return sketches[0]
    columns = list(zip(*sketches, strict=True))
    arrived, taken, times, values, counters, filtered, hashes, samples, spent = columns
    every, sample = np.concatenate(hashes, axis=1), np.concatenate(samples, axis=1)
    least = np.argsort(every, axis=1, kind="stable")[:, :SAMPLE]
    return Sketch(
        np.sum(arrived, axis=0),
        np.sum(taken, axis=0),
        np.min(times, axis=0),
        np.min(values, axis=0),
        np.sum(counters, axis=0).astype(np.int32),
        np.sum(filtered, axis=0),
        np.take_along_axis(every, least, axis=1),
        np.take_along_axis(sample, least, axis=1),
        np.sum(spent, axis=0),
    )


class Sketcher:
    """Sketches batches of tuples of a form, with a column per key."""

    def __init__(self, plan: SketchPlan, form: Any) -> None:
        self._plan, self._form = plan, form
        self._column_of, self._row_of = plan.column_of(), plan.row_of()
        self._masks = plan.kernel_masks()
        self._filters = Filters.of([[one.place, *one.test] for one in plan.filters])

    def sketch(self, batch: bytes, partition: int) -> bytes:
        """The sketch of a packed batch; of all its tuples where partitions have a share each."""
        begun = time.thread_time_ns()
        made = Sketch.empty(self._plan)
        if not (self._plan.replicated and partition):
            given = Batch.unpack(batch, self._form).tuples
            seen = add_to_sketch(
                given.source, given.ts, given.keys, self._column_of, self._row_of, self._masks,
                made.arrived, made.taken, made.times, made.values, made.counters,
            )  # fmt: skip
            if self._plan.filters:
                add_filtered(
                    self._filters, seen, given.source, given.ts, given.values, self._masks,
                    made.filtered,
                )  # fmt: skip
            for number, (place, slot) in enumerate(self._plan.sampled):
                rows = rows_taken(seen, given.source, given.ts, place, self._masks[place])
                made.hashes[number], made.samples[number] = sampled(
                    given.seq[rows], given.values[rows, slot]
                )
        packed = made._replace(spent=np.zeros(1, np.int64)).packed()
        # The last eight bytes of a packed sketch are what it took.
        spent = np.array([time.thread_time_ns() - begun], np.int64)
        return packed[:-8] + spent.tobytes()


@lru_cache(maxsize=1)
def load_sketching() -> None:
    """Compile the kernel for its types, or load it; only the first call works."""
    plan = SketchPlan(["S"], [])
    made, masks = Sketch.empty(plan), plan.kernel_masks()
    keyless = np.zeros((1, REGISTERS), np.int32), np.zeros((1, 1), np.int32)
    source, none = np.zeros(0, np.int16), np.zeros(0, np.int64)
    # What is unpacked cannot be written to: of another type.
    source, none, keys, values = unpack(
        pack([source, none, np.zeros((0, 1), np.int32), np.zeros((0, 1))])
    )
    seen = add_to_sketch(
        source, none, keys, plan.column_of(), np.zeros(1, np.int64), masks,
        made.arrived, made.taken, made.times, *keyless,
    )  # fmt: skip
    add_filtered(Filters.of([]), seen, source, none, values, masks, made.filtered)
    rows_taken(seen, source, none, 0, masks[0])

"""What a run's tuples are watched for: which streams and keys, and the sketch of a batch.

A sketch is of one batch alone, made of its tuples by whoever steps them: a batch that is run again
has the same sketch, whichever plan runs, and nothing of it is carried from batch to batch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from planner.workload.workload import Workload
from runtime.data.batch import Batch, pack, unpack
from runtime.data.json_records import from_json
from runtime.engines.kernels.sketches import COUNTERS, NOTHING, REGISTERS, add_to_sketch


@dataclass(frozen=True, slots=True)
class SketchedColumn:
    """An attribute of a stream whose values are keys: which source has it, in which column of keys.

    Keys are below `codes`; those of one `group` are equal where the values are.
    """

    place: int
    key: int
    codes: int
    group: int
    stream: str
    attribute: str


@dataclass(frozen=True)
class SketchPlan:
    """The streams by the number of the source they arrive as (empty: not watched), and their keys.

    `replicated`: all partitions are given all tuples, and the first of them sketches them.
    """

    streams: list[str]
    columns: list[SketchedColumn]
    replicated: bool = False

    def column_of(self) -> np.ndarray:
        """By source: whether it is watched (0, else -1), then the column of each of its keys."""
        keys = 1 + max((column.key for column in self.columns), default=-1)
        found = np.full((len(self.streams), 1 + keys), -1, np.int64)
        found[[bool(stream) for stream in self.streams], 0] = 0
        for number, column in enumerate(self.columns):
            found[column.place, 1 + column.key] = number
        return found

    @property
    def hashed(self) -> list[int]:
        """The columns that have more keys than there are counters."""
        return [n for n, column in enumerate(self.columns) if column.codes > COUNTERS]

    def empty(self) -> Sketch:
        """Of no tuple, with no more room than these columns need."""
        most = max((column.codes for column in self.columns), default=0)
        return Sketch.empty(
            len(self.streams), len(self.columns), len(self.hashed), min(most, COUNTERS)
        )

    def row_of(self) -> np.ndarray:
        """By column: its row among those that are hashed; -1: it has a counter for every key."""
        found = np.full(len(self.columns), -1, np.int64)
        found[self.hashed] = range(len(self.hashed))
        return found

    def to_json(self) -> str:
        """As text, for the workers."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SketchPlan:
        """The plan that `to_json` wrote."""
        found: SketchPlan = from_json(cls, json.loads(text))
        return found


class Sketch(NamedTuple):
    """What arrived: tuples by source, least hashes of times and of hashed keys, counters of keys.

    `spent` are the nanoseconds of the processor that sketching took.
    """

    arrived: np.ndarray
    times: np.ndarray
    values: np.ndarray
    counters: np.ndarray
    spent: np.ndarray

    @classmethod
    def empty(cls, sources: int, columns: int, hashed: int, counters: int) -> Sketch:
        """Of no tuple."""
        return cls(
            np.zeros(sources, np.int64),
            np.full((sources, REGISTERS), NOTHING, np.int32),
            np.full((hashed, REGISTERS), NOTHING, np.int32),
            np.zeros((columns, counters), np.int32),
            np.zeros(1, np.int64),
        )

    @classmethod
    def unpacked(cls, packed: bytes) -> Sketch:
        return cls(*unpack(packed))

    def packed(self) -> bytes:
        return pack(self)


def together(sketches: Sequence[Sketch]) -> Sketch:
    """The sketch of all their tuples."""
    arrived, times, values, counters, spent = zip(*sketches, strict=True)
    return Sketch(
        np.sum(arrived, axis=0),
        np.min(times, axis=0),
        np.min(values, axis=0),
        np.sum(counters, axis=0).astype(np.int32),
        np.sum(spent, axis=0),
    )


class Sketcher:
    """Sketches batches of tuples of a form, with a column per key."""

    def __init__(self, plan: SketchPlan, form: Any) -> None:
        self._plan, self._form = plan, form
        self._column_of, self._row_of = plan.column_of(), plan.row_of()

    def sketch(self, batch: bytes, partition: int) -> bytes:
        """The sketch of a packed batch; of all its tuples where partitions have a share each."""
        begun = time.thread_time_ns()
        made = self._plan.empty()
        if not (self._plan.replicated and partition):
            given = Batch.unpack(batch, self._form).tuples
            add_to_sketch(
                given.source, given.ts, given.keys, self._column_of, self._row_of,
                made.arrived, made.times, made.values, made.counters,
            )  # fmt: skip
        packed = made._replace(spent=np.zeros(1, np.int64)).packed()
        # The last eight bytes of a packed sketch are what it took.
        spent = np.array([time.thread_time_ns() - begun], np.int64)
        return packed[:-8] + spent.tobytes()


@lru_cache(maxsize=1)
def load_sketching() -> None:
    """Compile the kernel for its types, or load it; only the first call works."""
    made = Sketch.empty(1, 1, 1, COUNTERS)
    source, none = np.zeros(0, np.int16), np.zeros(0, np.int64)
    # What is unpacked cannot be written to: of another type.
    source, none, keys = unpack(pack([source, none, np.zeros((0, 1), np.int32)]))
    add_to_sketch(
        source, none, keys, SketchPlan(["S"], []).column_of(), np.zeros(1, np.int64),
        made.arrived, made.times, made.values, made.counters,
    )  # fmt: skip


class KeyColumn(NamedTuple):
    """A column of keys: how many there are, the number of their class of equal attributes, and the
    only source that has them (-1: all of the class)."""

    codes: int
    group: int
    only: int = -1


def by_class(codes: Sequence[int]) -> list[KeyColumn]:
    """A column for each class of equal attributes."""
    return [KeyColumn(count, group) for group, count in enumerate(codes)]


def of_one_query(workload: Workload, keys: Iterable[KeyColumn], replicated: bool) -> SketchPlan:
    """What the sources of a workload's one query are watched for.

    A stream that arrives under several aliases is watched as the first.
    """
    (query,) = workload.queries
    streams, names = [stream.name for stream in workload.streams], list[str]()
    for source in query.sources:
        names.append(source.name if source.name in streams and source.name not in names else "")
    place_of = {source.alias: place for place, source in enumerate(query.sources)}
    classes = query.equality_classes()
    columns = [
        SketchedColumn(place, number, key.codes, key.group, names[place], column.attribute)
        for number, key in enumerate(keys)
        for column in sorted(classes[key.group])
        for place in [place_of[column.alias]]
        if names[place] and key.only in (-1, place)
    ]
    return SketchPlan(names, columns, replicated)

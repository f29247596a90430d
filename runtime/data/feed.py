"""The feed of a run: its tuples in arrival order, what is counted, and their shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from planner.files.tuple_table import Table
from planner.workload.workload import Workload


class TupleColumns(Protocol):
    """Tuples as arrays, one for each column, in the order in which a kernel takes them."""

    @property
    def ts(self) -> np.ndarray:
        """When each tuple arrives, in microseconds."""

    def take(self, chosen: Any) -> Any:
        """Some of the tuples, in the same form."""

    def __iter__(self) -> Iterator[np.ndarray]:
        """The columns in turn."""


class TupleSchema(Protocol):
    """What the numbers in a feed's tuples stand for: of a type that is the engine's own."""

    def write(self, folder: Path) -> None:
        """Keep it beside the micro-batches; the engine's `schema` reads it."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Every tuple of the sources of a run, as it arrives; `rows` are those of each source.

    A tuple of a stream that has two aliases arrives once for each, in FROM order. With
    `whole_instants` tuples of one time are in one batch: where queries may enter between any two
    batches, or what arrives at one time is served together.
    """

    tuples: TupleColumns
    rows: Mapping[str, int]
    schema: TupleSchema
    whole_instants: bool = False


# Merges the tables of a workload's streams in arrival order.
Merge = Callable[[Workload, Mapping[str, Table]], Feed]


@dataclass(frozen=True, slots=True)
class Span:
    """The stream time over which work is counted, in microseconds: from `warmup` until `end`."""

    warmup: int
    end: int

    @property
    def seconds(self) -> float:
        """Its length; 0 where the warm-up left nothing."""
        return max(0, self.end - self.warmup) / 1_000_000

    def until(self, reached: int | None) -> Span:
        """As far as a run got; all of it where that is not said."""
        return self if reached is None else Span(self.warmup, min(self.end, reached))


@dataclass(frozen=True, slots=True)
class Split:
    """Tuples are split by `key % modulus`, or, without a modulus, given to every partition.

    Fragment and replicate: every partition then stores all tuples, and each tuple probes in one.
    """

    partitions: int
    modulus: int | None
    # Why there is one partition, whatever was asked for; empty where there may be more.
    single: str = ""
    # What several partitions change in what is measured, where they do: they are to be asked for.
    caveat: str = ""

    def share(self, tuples: Any) -> list[Any] | None:
        """The tuples of each partition, by their key; None where every partition is given all."""
        if self.modulus is None:
            return None
        partition = tuples.key % np.int32(self.modulus) % np.int32(self.partitions)
        return [tuples.take(partition == p) for p in range(self.partitions)]

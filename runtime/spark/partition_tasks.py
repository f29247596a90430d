"""A Spark job with a task for each partition, which finds by itself what it needs.

Tuples and states are in files that all workers see. They never pass through Java, and a job has
nothing to plan, to shuffle or to compile: a micro-batch is as short as a job of Spark's can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from pyspark import SparkContext

from runtime.data.microbatches import read_share
from runtime.spark.state_files import StateFiles
from runtime.spark.worker import load_program, only_while, step_through

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PartitionTask:
    """What the workers of a run are sent: a program, folders, and the file of its lease."""

    program: str
    batches: str
    going_on: str
    results: str | None
    sketches: str | None = None

    def load(self, partition: int) -> bytes:  # noqa: ARG002
        """Import the modules of the program, and load its kernels."""
        load_program(self.program)
        return b""

    def step(self, states: str, number: int, partition: int) -> tuple[bytes, bytes | None]:
        """Run one micro-batch, from the state that is kept to the next.

        The totals so far are returned, and the sketch of its tuples where they are watched.
        """
        kept, given = StateFiles(states), read_share(Path(self.batches), number, partition)
        before = kept.before(number, partition)
        with only_while(self.going_on):
            after = step_through(
                self.program,
                before,
                [(number, given)],
                partition,
                self.results,
                sketching=self.sketches,
            )
        kept.keep(number, partition, after.state)
        return after.totals, after.sketch

    def replay(self, batches: int, notes: str, partition: int) -> bytes:
        """Run so many micro-batches, one after the other; the totals of all."""
        folder = Path(self.batches)
        given = ((number, read_share(folder, number, partition)) for number in range(batches))
        with only_while(self.going_on):
            after = step_through(self.program, None, given, partition, self.results, notes)
        return after.totals


def run_tasks(context: SparkContext, partitions: int, task: Callable[[int], T]) -> list[T]:
    """What the task of each partition returns, in their order."""
    numbered = context.parallelize(range(partitions), partitions)
    return numbered.mapPartitionsWithIndex(partial(_run, task)).collect()


def _run(task: Callable[[int], T], partition: int, _: Iterable[int]) -> Iterator[T]:
    yield task(partition)

"""What programs do alike: carry sums and counters from batch to batch, and add partitions up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from planner.plan.cost import Cost
from runtime.data.batch import Batch, pack, unpack
from runtime.data.feed import Span
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.protocol import BatchStep, TakenOver, Tally


class KernelCounters(Protocol):
    """Counters of a kernel: arrays under their names, of which those of partitions add up."""

    def __iter__(self) -> Iterator[np.ndarray]:
        """The arrays in turn."""

    @property
    def comparisons(self) -> np.ndarray:
        """Stored tuples examined."""

    @property
    def replicas(self) -> np.ndarray:
        """Tuples stored in a partition that does not count them."""

    @property
    def held(self) -> np.ndarray:
        """How long tuples were held, in tuple-microseconds."""


Counts = TypeVar("Counts", bound=KernelCounters)


class Done(NamedTuple):
    """What a kernel made of a batch; `kept` is what the next batch needs of it.

    `extras` are added to the totals as they are then: what partitions put together. A kernel that
    counts how long a tuple was held only when it leaves says by `still_held` what is to be added
    for those that have not left.
    """

    results: int
    digest: int
    rows: np.ndarray
    state_tuples: int
    kept: list[np.ndarray]
    extras: tuple[np.ndarray, ...] = ()
    still_held: Callable[[], np.ndarray] | None = None


def stepped(
    state: bytes | None,
    zero: Counts,
    begin: Callable[[], list[np.ndarray]],
    work: Callable[[Counts, list[np.ndarray]], Done],
) -> BatchStep:
    """Run one batch: `work` is given the counters, to add to, and what the last batch kept.

    Without a state counting starts at `zero`, and `begin` says what a last batch would have kept.
    """
    if state is None:
        sums, digest = np.zeros(4, np.int64), np.zeros(1, np.uint64)
        counters, kept = zero, begin()
    else:
        sums, digest, *rest = (array.copy() for array in unpack(state))
        count = len(list(zero))
        before = zip(zero, rest, strict=False)
        counters, kept = type(zero)(*(grown(*pair) for pair in before)), rest[count:]
    # The processor's seconds of this thread: what else the machine does must not count.
    begun = time.thread_time_ns()
    done = work(counters, kept)
    sums += (done.results, time.thread_time_ns() - begun, 0, len(done.rows))
    sums[2] = done.state_tuples
    digest[0] = (int(digest[0]) + done.digest) % 2**64
    counted = pack([sums, digest, *counters])
    so_far = counted
    if done.still_held is not None:
        more = done.still_held()
        so_far = pack([sums, digest, *(c + more if c is counters.held else c for c in counters)])
    return BatchStep(counted + pack(done.kept), so_far + pack(done.extras), int(sums[3]), done.rows)


def taken_over(
    state: bytes, counters: int, zero: Counts, move: Callable[[list[np.ndarray]], list[np.ndarray]]
) -> TakenOver:
    """The state with what `move` makes of what was kept, for a program whose counting begins now.

    Its totals are without what is still held: that is counted when it leaves, by the new program.
    """
    sums, digest, *rest = unpack(state)
    counted, kept = rest[:counters], move(rest[counters:])
    begin = [np.zeros_like(sums), np.zeros_like(digest), *zero]
    totals = pack([sums, digest, *counted])
    return TakenOver(pack(begin) + pack(kept), totals, int(sums[3]), Cost())


def still_held(
    source: np.ndarray, since: np.ndarray, left: np.ndarray, span: Span, sources: int
) -> np.ndarray:
    """How long tuples have been held within the span, summed up by source, in microseconds."""
    held = np.minimum(left, span.end) - np.maximum(since, span.warmup)
    return np.bincount(source, np.maximum(held, 0), sources)


def grown(zero: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Counts in the shape of `zero`: a program that was changed counts more than before, or less
    where what was to come later is otherwise now. What has run stands first, and stays."""
    if counts.shape == zero.shape:
        return counts
    shared = tuple(slice(min(sizes)) for sizes in zip(zero.shape, counts.shape, strict=True))
    moved = np.zeros_like(zero)
    moved[shared] = counts[shared]
    assert np.count_nonzero(moved) == np.count_nonzero(counts), "counts of what has run are lost"
    return moved


class Sums(NamedTuple, Generic[Counts]):
    """The totals of all partitions together, and the extras of each."""

    results: int
    digest: int
    kernel_seconds: float
    state_tuples: int
    counters: Counts
    extras: list[list[np.ndarray]]

    def tally(self, comparisons: int, costs: Mapping[str, Cost], seconds: float) -> Tally:
        """With the comparisons of all kinds, and what operators cost in so many seconds."""
        return Tally(
            results=self.results,
            digest=self.digest,
            comparisons=comparisons,
            state_tuples=self.state_tuples,
            kernel_seconds=self.kernel_seconds,
            replicated_inserts=int(self.counters.replicas.sum()),
            costs={name: _per_second(cost, seconds) for name, cost in costs.items() if seconds},
        )


def _per_second(cost: Cost, seconds: float) -> Cost:
    return Cost(**{name: count / seconds for name, count in cost.as_dict().items()})


def summed(totals: Sequence[bytes], counters: type[Counts]) -> Sums[Counts]:
    """Add up the totals of the partitions."""
    parts = [unpack(total) for total in totals]
    results, kernel_ns, state_tuples, _ = np.sum([part[0] for part in parts], axis=0)
    count = 2 + len(counters.__annotations__)
    by_counter = zip(*(part[2:count] for part in parts), strict=True)
    return Sums(
        results=int(results),
        digest=sum(int(part[1][0]) for part in parts) % 2**64,
        kernel_seconds=float(kernel_ns) / 1e9,
        state_tuples=int(state_tuples),
        counters=counters(*(np.sum(counts, axis=0) for counts in by_counter)),
        extras=[part[count:] for part in parts],
    )


class _TimedEra(Protocol):
    @property
    def at(self) -> int: ...


def era_of(eras: Sequence[_TimedEra], batch: Batch[Rows]) -> int:
    """The number of the era of a batch: batches are cut where one ends."""
    if not len(batch.tuples.ts):
        return 0
    return sum(era.at <= batch.tuples.ts[0] for era in eras) - 1

"""The eager multi-way join's cost model (Golab and Özsu 2003, Appendix A), one probe at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from planner.errors import PlanError
from planner.execution import Buckets
from planner.families.join_order.coverage import distinct_values, key_columns, refusal
from planner.query import Source, TimeWindow
from planner.workload import Workload


@dataclass(frozen=True, slots=True)
class JoinWindow:
    """One source of the join: how fast it arrives, how long it is kept, and how it is probed."""

    alias: str
    stream: str
    rate: float
    seconds: float
    distinct: int
    access: Literal["scan", "hash"]
    buckets: Buckets
    zipf: float = 0.0

    @property
    def tuples(self) -> float:
        """The tuples the window holds on average."""
        return self.rate * self.seconds

    @property
    def text(self) -> str:
        """The window as the query writes it."""
        return str(TimeWindow(self.seconds))

    @property
    def printed_fraction(self) -> float:
        """The part of the window a probe scans as the paper prints it: 1/b (Section 5.3)."""
        return 1 / (self.distinct if self.buckets == "per-value" else self.buckets)


@dataclass(frozen=True, slots=True)
class JoinModel:
    """Sizes and probe costs of one join. Windows are known by their place in FROM."""

    query: str
    windows: tuple[JoinWindow, ...]

    @property
    def aliases(self) -> tuple[str, ...]:
        """The aliases in FROM order."""
        return tuple(window.alias for window in self.windows)

    def label(self, order: Sequence[int]) -> str:
        """The label of a global order."""
        return self.labels([order])[0]

    def labels(self, orders: Sequence[Sequence[int]]) -> list[str]:
        """The labels of many global orders."""
        names = self.aliases
        return [",".join([names[place] for place in order]) for order in orders]

    def least(self, members: Sequence[int]) -> int:
        """The distinct keys of a composite: those of its member with the fewest (containment)."""
        return min(self.windows[place].distinct for place in members)

    def size(self, members: Sequence[int]) -> float:
        """phi: how many results the join of these windows holds. It depends on the set alone."""
        held = math.prod(self.windows[i].tuples / self.windows[i].distinct for i in members)
        return held * self.least(members)

    def scanned(self, least: int, target: int) -> float:
        """The tuples of `target` that one probe examines, its key uniform over 1..least."""
        window = self.windows[target]
        return window.tuples * scan_fraction(least, window)

    def comparisons(self, origin: int, joined: Sequence[int], target: int) -> float:
        """Tuples of `target` examined per second by what `origin` has joined (itself included)."""
        passed = self.size(joined) / self.windows[origin].seconds
        return passed * self.scanned(self.least(joined), target)

    def matches(self, origin: int, joined: Sequence[int]) -> float:
        """Composites of these windows per second that a tuple of `origin` completes."""
        return self.size(joined) / self.windows[origin].seconds

    def expirations(self, place: int) -> float:
        """A visit of the window per arriving tuple of any source, a check per tuple that leaves.

        Where the window is hashed, the bucket of the tuple that leaves is visited too.
        """
        window = self.windows[place]
        visits = sum(other.rate for other in self.windows)
        return visits + window.rate * (2 if window.access == "hash" else 1)


def scan_fraction(least: int, window: JoinWindow) -> float:
    """The part of a window that a probe with a key uniform over 1..least examines."""
    if window.access == "scan":
        return 1.0
    if window.buckets == "per-value":
        return 1 / max(least, window.distinct)
    return bucket_fraction(least, window.distinct, window.buckets)


def bucket_fraction(least: int, distinct: int, buckets: int) -> float:
    """The exact expected part of a window in the bucket `key mod buckets`, keys over 1..least.

    It is 1/buckets where that divides both counts, and 1/max(least, distinct) for many buckets.

    >>> bucket_fraction(10, 20, 5), bucket_fraction(3, 8, 1000)
    (0.2, 0.125)
    """
    # Of 1..v, the first `rest` buckets hold one value more than `whole`, in both counts alike.
    whole_keys, rest_keys = divmod(least, buckets)
    whole, rest = divmod(distinct, buckets)
    pairs = buckets * whole_keys * whole + whole_keys * rest + whole * rest_keys
    return (pairs + min(rest_keys, rest)) / (least * distinct)


def model_of(workload: Workload) -> JoinModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, "join_order")
    query = workload.queries[0]
    keys = key_columns(query)
    windows = (_window(workload, source, keys[source.alias]) for source in query.sources)
    return JoinModel(query.name, tuple(windows))


def _window(workload: Workload, source: Source, key: str) -> JoinWindow:
    stream = workload.stream(source.name)
    attribute = stream.attributes[key]
    distinct = distinct_values(attribute)
    # `refusal` has seen that these are known.
    assert stream.rate is not None
    assert distinct is not None
    assert isinstance(source.window, TimeWindow)
    nested = workload.execution.method(source) == "nested"
    return JoinWindow(
        source.alias,
        stream.name,
        stream.rate,
        source.window.seconds,
        distinct,
        "scan" if nested else "hash",
        workload.execution.bucket_count(source),
        attribute.zipf,
    )

"""The windows of a join: how many tuples they hold, and what keeping them costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.checks import exact
from planner.execution import Buckets


@dataclass(frozen=True, slots=True)
class FilterStep:
    """One filter of a source: tuples per second that reach it and that pass."""

    text: str
    reached: float
    passed: float


@dataclass(frozen=True, slots=True)
class JoinWindow:
    """One source of the join: how fast it arrives, how much is kept, and how it is probed.

    `rate` is what passes the filters. `tuples` are those a result may use, `examined` those that a
    scan meets: where evaluation or expiration is lazy there are more of them.
    """

    alias: str
    name: str
    rate: float
    tuples: float
    examined: float
    kept: float
    # Results per second that a tuple of this source completes, per result held: 1/T.
    per_second: float
    access: Literal["scan", "hash"]
    buckets: Buckets
    distinct: int
    window: str | None
    counted: bool
    arrivals: float
    filters: tuple[FilterStep, ...] = ()
    inserts: float = 0.0
    deletes: float = 0.0

    @property
    def is_relation(self) -> bool:
        """Whether this is a table: it has no window, and its rows never start a result."""
        return self.window is None

    @property
    def seconds(self) -> float:
        """T: how long a tuple stays on average. For a window over streams alone."""
        return 1 / self.per_second if self.per_second else float("inf")


@dataclass(frozen=True, slots=True)
class Timing:
    """When results are computed and tuples removed; None is at each arrival."""

    evaluate: float | None = None
    expire: float | None = None

    @property
    def examined_extra(self) -> float:
        """Seconds of tuples that a scan meets beyond the window, on average."""
        if self.expire is None:
            return 0.0
        # At an evaluation the batch itself is there; between expirations more stays.
        return (self.expire + (self.evaluate or 0.0)) / 2

    @property
    def kept_extra(self) -> float:
        """Seconds of tuples kept beyond the window, on average over time."""
        return (self.expire or 0.0) / 2

    @property
    def expire_text(self) -> str:
        """As the operators say it: `eager`, `every 5`."""
        return "eager" if self.expire is None else f"every {exact(self.expire)}"

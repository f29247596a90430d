"""What Spark's own operators found and held, as far as Spark counts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Found:
    """The results of one query: how many in all, after the warm-up, and the sums of their hashes.

    A sum of 64-bit hashes would overflow in Spark: its halves are summed.
    """

    results: int = 0
    measured: int = 0
    low: int = 0
    high: int = 0

    def add(self, results: int, measured: int, low: int, high: int) -> None:
        """Results of one more micro-batch."""
        self.results += results
        self.measured += measured
        self.low += low
        self.high += high

    @property
    def digest(self) -> int:
        """The answer digest."""
        return ((self.high << 32) + self.low) % 2**64


@dataclass(slots=True)
class JoinMetrics:
    """One join of Spark's: the rows it found, in all and after the warm-up, and what it held.

    State is that at the end of each micro-batch after the warm-up; a batch job holds none.
    """

    rows: int = 0
    measured: int = 0
    state_rows: list[int] = field(default_factory=list)
    state_bytes: list[int] = field(default_factory=list)
    dropped: int = 0
    update_ms: int = 0
    remove_ms: int = 0
    commit_ms: int = 0

    @property
    def mean_state_rows(self) -> float | None:
        """The rows held, on average over the ends of micro-batches."""
        return sum(self.state_rows) / len(self.state_rows) if self.state_rows else None

    def as_json(self, name: str, seconds: float) -> dict[str, Any]:
        """Under its name, rows per second of so many seconds."""
        return {
            "join": name,
            "rows": self.rows,
            "rows_out": self.measured / seconds if seconds else None,
            "state_rows": self.mean_state_rows,
            "state_bytes": max(self.state_bytes, default=None),
            "rows_dropped_as_late": self.dropped,
            "update_ms": self.update_ms if self.state_bytes else None,
            "remove_ms": self.remove_ms if self.state_bytes else None,
            "commit_ms": self.commit_ms if self.state_bytes else None,
        }


@dataclass(slots=True)
class NativeTally:
    """What a run on Spark's own operators came to. `phases_ms` are of the micro-batches."""

    found: dict[int, Found] = field(default_factory=dict)
    # By join and step of it.
    joins: dict[tuple[int, int], JoinMetrics] = field(default_factory=dict)
    phases_ms: dict[str, int] = field(default_factory=dict)
    input_rows: int = 0

    def add_found(self, rows: Sequence[Mapping[str, int]]) -> None:
        """The sums of one more micro-batch, by query."""
        for row in rows:
            own = self.found.setdefault(row["query"], Found())
            own.add(row["results"], row["measured"], row["low"] or 0, row["high"] or 0)

    def join(self, join: int, step: int) -> JoinMetrics:
        """The metrics of one join."""
        return self.joins.setdefault((join, step), JoinMetrics())

    @property
    def results(self) -> int:
        """The results of all queries so far."""
        return sum(found.results for found in self.found.values())

    @property
    def state_rows(self) -> int:
        """The rows that all joins hold now."""
        return sum(j.state_rows[-1] for j in self.joins.values() if j.state_rows)

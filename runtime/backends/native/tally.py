"""What Spark's own operators found and held, as far as Spark counts it, laid over the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.plan.plan import Plan
from runtime.backends.native.description import NativePlan


@dataclass(slots=True)
class QueryTally:
    """The results of one query: how many in all, after the warm-up, and the sum of their hashes."""

    results: int = 0
    measured: int = 0
    hashes: int = 0


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

    found: dict[int, QueryTally] = field(default_factory=dict)
    # By join and step of it.
    joins: dict[tuple[int, int], JoinMetrics] = field(default_factory=dict)
    phases_ms: dict[str, int] = field(default_factory=dict)
    input_rows: int = 0

    def add_found(self, rows: Sequence[Mapping[str, int]]) -> None:
        """The sums of one more micro-batch, by query."""
        for row in rows:
            own = self.query(row["query"])
            own.results += row["rows"]
            own.measured += row["measured"]
            # A sum of 64-bit hashes would overflow in Spark: it sums their halves.
            own.hashes += (row["high"] << 32) + row["low"]

    def query(self, number: int) -> QueryTally:
        """The results of one query."""
        return self.found.setdefault(number, QueryTally())

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

    def as_json(self, plan: Plan, described: NativePlan, seconds: float) -> dict[str, Any]:
        """What Spark counted, and where it is what an operator of the plan does.

        What Spark has no count of, comparisons above all, is left out.
        """
        operators: dict[str, dict[str, float]] = {}
        # What an aggregation passes on are changes of groups, which Spark does not count.
        if seconds and described.blocks is None:
            for root in plan.roots:
                own = self.query(described.queries.index(str(root.param("query"))))
                operators[root.id] = {"rows_out": own.measured / seconds}
        cost = {"rows_out": sum(own["rows_out"] for own in operators.values())} if operators else {}
        joins = []
        for number, join in enumerate(described.joins):
            metrics = [self.join(number, step) for step in range(len(join.steps))]
            for step, own_metrics in zip(join.steps, metrics, strict=True):
                joins.append(own_metrics.as_json(step.name, seconds))
            if join.found is not None and seconds:
                operators.setdefault(join.found, {})["rows_out"] = metrics[-1].measured / seconds
            if join.stored is not None and metrics[-1].mean_state_rows is not None:
                held = metrics[-1].mean_state_rows
                operators.setdefault(join.stored, {})["state_tuples"] = held
        means = [metrics.mean_state_rows for metrics in self.joins.values()]
        if any(mean is not None for mean in means):
            cost["state_tuples"] = sum(mean for mean in means if mean is not None)
        return {
            "cost": cost,
            "operators": operators,
            "joins": joins,
            "phases_ms": dict(self.phases_ms),
            "input_rows": self.input_rows or None,
        }

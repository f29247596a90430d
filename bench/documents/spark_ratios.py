"""What Spark costs Sluice, as ratios: before micro-batches were jobs of our own, and since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]
# The same benchmarks, run on the version that kept windows in Spark's state store.
BEFORE = Path(__file__).parents[1] / "spark" / "before.json"
_NOT_AGAIN = "not measured again"
HEAD = ("ratio", "before", "now", "goal")


def ratios(summary: Record) -> Iterator[tuple[str, ...]]:
    """A row for each ratio that has been measured; nothing where the other version has not."""
    before: Record = json.loads(BEFORE.read_text())
    for what, goal, read in _ROWS:
        was, now = _figure(before, read), _figure(summary, read)
        if now:
            yield what, was, _NOT_AGAIN if was == now else now, goal


def _figure(found: Record, read: Callable[[Record], float]) -> str:
    try:
        return f"{read(found):.2f}"
    except KeyError:
        return ""


def _times_spark(join: str, at_least: int) -> Callable[[Record], float]:
    def read(found: Record) -> float:
        runs = found["against-spark"][join]
        return float(next(run["times Spark"] for run in runs if run["tuples"] >= at_least))

    return read


_ROWS: tuple[tuple[str, str, Callable[[Record], float]], ...] = (
    (
        "first run of a process over a bare Spark session",
        "1.3",
        lambda found: found["first-run"]["times a bare session"],
    ),
    (
        "from a click to the results of two plans, over the seconds of their runs",
        "1.5",
        lambda found: found["to-results"]["times the runs"],
    ),
    (
        "micro-batch over that of an identity `applyInPandasWithState`",
        "0.6",
        lambda found: found["micro-batches"]["times the identity"],
    ),
    *(
        (
            f"tuples/s streamed over replayed, {rows:,} a batch",
            goal,
            lambda found, rows=rows: found["spark-modes"]["stream over replay"][str(rows)],
        )
        for rows, goal in ((100_000, "0.4"), (500_000, "0.7"), (1_000_000, "0.85"))
    ),
    (
        "kernel seconds over all seconds of a replay, one partition",
        "0.85",
        lambda found: found["spark-modes"]["kernel's share of a replay"],
    ),
    (
        "two-way join of 100,000 tuples over Spark's own, tuples/s",
        "4",
        _times_spark("two-way", 90_000),
    ),
    (
        "two-way join of 1 million tuples over Spark's own, tuples/s",
        "20",
        _times_spark("two-way", 900_000),
    ),
    (
        "four-way join of 200,000 tuples over Spark's own, tuples/s",
        "25",
        _times_spark("four-way", 190_000),
    ),
    (
        "two-way join of 1 million tuples from Parquet over DuckDB, tuples/s",
        "2.5",
        lambda found: found["against-duckdb"]["times DuckDB"],
    ),
    (
        "memory in the last quarter of 10 million streamed tuples, over the second quarter",
        "1",
        lambda found: found["long-stream"]["last quarter over second"],
    ),
)

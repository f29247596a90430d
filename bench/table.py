"""The README's table of figures, made from `bench/results.json`: `python -m bench.table`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bench import RESULTS


def table() -> str:
    """The figures as Markdown."""
    rows = ["| what | measured | beside |", "|---|---|---|"]
    rows += [f"| {what} | {measured} | {beside} |" for what, measured, beside in _rows(_results())]
    return "\n".join(rows)


def _results() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text())
    return results


def _rows(results: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    kernels = results["kernels"]
    paper = kernels["times the paper's prototype"]
    for name, rate in kernels["tuples per second"].items():
        beside = f"{paper[name]:,.0f}x the paper's Java prototype of 2003" if name in paper else ""
        yield f"kernel, Table 5, {name}", _rate(rate), beside
    for way in ("replay", "stream"):
        figures = results["ways"][way]
        seconds = figures["seconds"]
        yield (
            f"{way} on Spark, Table 5, {figures['micro-batches']} micro-batches, end to end",
            _rate(figures["tuples per second, end to end"]),
            f"{seconds['kernel']:.1f} s of {seconds['total']:.1f} s in kernels",
        )
    for name, runs in results["spark"].items():
        if name not in ("two-way", "four-way"):
            continue
        for run in runs:
            yield (
                f"{name} join of {run['tuples']:,} tuples, streamed",
                _rate(run["Sluice, tuples per second"]),
                f"{run['times Spark']:.1f}x Spark's own stream-stream join",
            )
    duck = results["duckdb"]
    yield (
        f"two-way join of {duck['tuples']:,} tuples, kernel with its Parquet read",
        _rate(duck["Sluice, tuples per second"]),
        f"{duck['times DuckDB']:.1f}x DuckDB",
    )
    for name, seconds in results["planning"]["seconds"].items():
        yield f"planner, {name}", f"{seconds:.2f} s", ""


def _rate(tuples_per_second: float) -> str:
    return f"{tuples_per_second / 1000:,.0f} k tuples/s"


if __name__ == "__main__":
    print(table())

"""Every benchmark: its name, where it is, and what it measures.

Modules are imported when a benchmark is run: listing them needs no package at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

# Installed by ./check --setup, not by ./start --setup.
TEST_PACKAGES = ("duckdb", "playwright")


class MissingPackageError(Exception):
    """A package that a benchmark needs is not installed; the message says how to install it."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A function named after the benchmark in a module; it takes nothing and returns a record."""

    name: str
    module: str
    about: str

    def load(self) -> Callable[[], dict[str, Any]]:
        """The function; a MissingPackageError where it needs what only ./check installs."""
        try:
            module = import_module(f"bench.{self.module}")
        except ModuleNotFoundError as error:
            if error.name not in TEST_PACKAGES:
                raise
            raise MissingPackageError(
                f"{self.name} needs {error.name}: install it with ./check --setup"
            ) from error
        found: Callable[[], dict[str, Any]] = getattr(module, self.name.replace("-", "_"))
        return found


BENCHMARKS = {
    known.name: known
    for known in (
        Benchmark("planning", "planning", "seconds to rank and search join orders"),
        Benchmark("kernels", "kernels", "tuples per second of the join kernel"),
        Benchmark("first-run", "spark.first_run", "a command's first run beside bare Spark"),
        Benchmark("micro-batches", "spark.micro_batches", "a micro-batch beside Spark's floor"),
        Benchmark("spark-modes", "spark.modes", "streamed beside replayed, by size of batch"),
        Benchmark("long-stream", "spark.long_stream", "memory while ten million tuples stream"),
        Benchmark("to-results", "spark.to_results", "from a click to the results of two runs"),
        Benchmark("against-spark", "spark.against_spark", "streams beside Spark's own join"),
        Benchmark("against-duckdb", "against_duckdb", "the join kernel beside DuckDB"),
        Benchmark("join-accuracy", "joins.accuracy", "200 random joins, predicted and counted"),
        Benchmark("join-figures", "papers", "the points of Golab & Özsu's figures and Table 8"),
        Benchmark("aggregation", "aggregation.speed", "early beside late aggregation"),
        Benchmark(
            "aggregation-accuracy",
            "aggregation.accuracy",
            "172 aggregations, predicted and counted",
        ),
        Benchmark("adapting", "adapting.benchmark", "runs that adapt beside plans that stay"),
        Benchmark("watching", "adapting.watching", "sketches of tuples beside the kernels"),
        Benchmark("aggregation-figures", "papers", "the points of Tran & Lee's figures"),
        Benchmark(
            "chain-accuracy", "chains.accuracy", "204 shared workloads, predicted and counted"
        ),
        Benchmark("chain-figures", "papers", "the points of Wang et al.'s figures"),
        Benchmark("c-sys", "chains.c_sys", "the cost of entering a slice; is CPU-Opt fastest?"),
        Benchmark(
            "schedules", "schedules", "which policy waits least; all policies beside pull-up"
        ),
        Benchmark("schedule-figures", "papers", "the points of Hammad et al.'s figures"),
        Benchmark("shedding", "shedding.policies", "what policies keep, beside the optimum"),
        Benchmark("shedding-figures", "papers", "the points of Towne et al.'s figures"),
        Benchmark("calibration", "calibration", "kernel seconds, predicted and measured"),
        Benchmark("clock", "clock.choices", "is the plan predicted fastest the fastest, unseen"),
        Benchmark("diagnosis", "diagnosis.accuracy", "how often a diagnosis names what is wrong"),
        Benchmark("sessions", "sessions", "ten browser sessions at once: seconds per click"),
    )
}

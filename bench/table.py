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
    early = results["aggregation"]
    yield (
        "kernel, early aggregation, default two-way hash setting, EAP-11",
        _rate(early["tuples per second"]["EAP-11"]),
        f"{early['EAP-11 over LAP, measured']:.1f}x LAP "
        f"(predicted: {early['EAP-11 over LAP, predicted']:.1f}x in seconds, "
        f"{early['EAP-11 over LAP, predicted in operations']:.1f}x in operations)",
    )
    if "aggregation-cells" in results:
        yield from _cells(results["aggregation-cells"])
    yield from _paper(results["figures"]["told"])
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
    yield from _accuracy(results["accuracy"])
    yield from _chains(results["chains"])
    if "calibration" in results:
        yield from _calibration(results["calibration"])
    for name, seconds in results["planning"]["seconds"].items():
        yield f"planner, {name}", f"{seconds:.2f} s", ""

    if "sessions" in results:
        yield from _sessions(results["sessions"])


def _accuracy(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    joins = f"{found['workloads']} random joins"
    yield (
        f"{joins}, all {found['plans']:,} plans measured: "
        "predicted best within 5% of measured best",
        f"in {100 * found['predicted best within 5% of measured best']:.1f}%",
        f"at worst {100 * (found['regret, worst'] - 1):.1f}% above it",
    )
    for which in ("all plans", "predicted best"):
        error = found[f"q-error, {which}"]
        yield (
            f"{joins}, q-error of comparisons, {which}",
            f"{error['median']:.3f} at the median",
            f"{error['95th percentile']:.3f} at the 95th percentile, {error['worst']:.2f} at worst",
        )
    tau = found["rank agreement (Kendall's tau-b), mean"]
    yield f"{joins}, rank agreement of plans (Kendall's tau-b), mean", f"{tau:.3f}", ""
    yield (
        f"{joins}, lazy ones: general within 5% of the best lazy and naive order",
        f"in {100 * found['general within 5% of lazy and naive']:.1f}%",
        "",
    )


def _calibration(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Seconds of kernels, by the machine's own unit costs."""
    errors = {"all families": found["q-error"], **found["by family"]}
    for name, error in errors.items():
        yield (
            f"samples, {error['plans']} plans, q-error of kernel seconds after calibration, {name}",
            f"{error['median']:.2f} at the median",
            f"{error['95th percentile']:.2f} at the 95th percentile, {error['worst']:.2f} at worst",
        )


def _cells(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Early aggregation over the ranges of the paper's figures."""
    cells = f"{found['cells']} settings of early aggregation"
    for unit, told in (("operations", "operations"), ("seconds", "processor seconds")):
        chosen = found[f"chosen by operations, {unit}"]
        yield (
            f"{cells}, all {found['plans']:,} plans run: plan predicted cheapest within 10% of the "
            f"measured cheapest, in {told}",
            f"in {100 * chosen['within 10% of the cheapest']:.1f}%",
            f"at worst {100 * (chosen['regret, worst'] - 1):.1f}% above it",
        )
    for model, errors in found["q-error"].items():
        error = errors["all"]
        yield (
            f"{cells}, q-error of {error['operators']:,} counts of operators, {model}",
            f"{error['median']:.3f} at the median",
            f"{error['95th percentile']:,.2f} at the 95th percentile, "
            f"{error['worst']:,.2f} at worst",
        )


def _chains(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Sliced chains: states, errors, two hundred queries, and the search."""
    where = f"{found['cases']} workloads of joins"
    for what, error in found["q-error"].items():
        if what in ("state", "purge", "probe", "route", "select", "union", "survive"):
            kind = "tuples held" if what == "state" else f"comparisons, {what}"
            yield (
                f"{where}, {error['plans']} plans, q-error of {kind}",
                f"{error['median']:.3f} at the median",
                f"{error['95th percentile']:.3f} at the 95th percentile, "
                f"{error['worst']:.2f} at worst",
            )
    states = found["states"]
    yield (
        "Table 3, all settings and rates, tuples held: chain over pull-up",
        f"{states['Table 3, chain over pull-up, at most']:.3f} at most",
        f"{states['Table 3, chain over pull-up, at least']:.3f} at least",
    )
    yield (
        "joins without filters, tuples held: Mem-Opt over the largest join alone",
        f"{states['Mem-Opt over the largest join alone, furthest from 1']:.6g}",
        f"in all {states['Mem-Opt chains without filters']} workloads",
    )
    many = found["two hundred queries"]
    for name in ("mem-opt", "cpu-opt"):
        yield (
            f"{many['queries']} queries, {many['tuples']:,} tuples, {name}",
            f"{many['seconds'][name]:.3f} s",
            f"{many[f'{name} over unshared']:.3f} of the {many['seconds']['unshared']:.2f} s "
            "that unshared takes",
        )
    for name, timed in found["CPU-Opt"].items():
        short = timed["too short for the quadrangle inequality"]
        way = f"{short:,} slices too short for the quadrangle inequality"
        yield f"planner, CPU-Opt of {name}", f"{timed['seconds']:.2f} s", way


def _sessions(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """How soon pages answer many who explore at once."""
    together, alone = found["together"], found["alone, beside the run"]
    spent = found["processor seconds a click"]
    yield (
        f"{found['sessions']} browser sessions, one run going: from a click to the drawn page",
        f"{together['median ms'] / 1000:.2f} s at the median",
        f"{together['95th percentile ms'] / 1000:.2f} s at the 95th percentile; "
        f"{alone['median ms'] / 1000:.2f} s for one session; processor seconds a click: "
        f"{spent['server']:.2f} of the server, {spent['browser']:.2f} of the browsers",
    )


def _paper(told: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Some of what the paper's evaluation came to."""
    table, times = told["table-8"]["values"], told["table-8"]["times the paper"]
    for name in ("Lazy NLJ, τ = 5", "Lazy hash, τ = 5"):
        yield (
            f"general kernel, Table 8, {name}, best plan",
            _rate(table["Best plan"][name]),
            f"{times['Best plan'][name]:,.0f}x the paper's; "
            f"{table['Best plan'][name] / table['Worst plan'][name]:.1f}x the worst plan",
        )
    larger = told["figure-4a-larger"]["values"]
    yield (
        "general kernel, Figure 4(a) at 100 times the rate, 30 buckets, τ = 5",
        _rate(larger["HASH30"]["5"]),
        f"{larger['HASH30']['5'] / larger['NLJ']['5']:.1f}x nested loops",
    )
    lazy = told["figure-3b"]["values"]
    yield (
        "Figure 3(b), τ = 50, comparisons of LAZY",
        f"{lazy['LAZY']['50']:,.0f}/s",
        f"{lazy['LAZY']['50'] / lazy['NAIVE']['50']:.2f}x NAIVE (the paper's model: above NAIVE)",
    )


def _rate(tuples_per_second: float) -> str:
    return f"{tuples_per_second / 1000:,.0f} k tuples/s"


if __name__ == "__main__":
    print(table())

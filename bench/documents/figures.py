"""The tables of docs/FIGURES.md and the README's headline figures, from `bench/summary.json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bench.documents.evaluation import measured_values
from bench.documents.spark_ratios import HEAD, ratios
from planner.experiments.registry import experiment
from planner.families.load_shedding.labels import ONLINE, OPTIMUM
from planner.families.registry import FAMILIES

Record = dict[str, Any]
# What was measured, the figure, and what it is compared with.
Row = tuple[str, str, str]
_HEAD = ("what", "measured", "compared with")


def headlines(summary: Record) -> str:
    """The eight figures of the README."""
    kernel, spark = summary["kernels"], summary["against-spark"]["four-way"][-1]
    duck, joins = summary["against-duckdb"], summary["join-accuracy"]
    early, shared = summary["aggregation"], summary["chain-accuracy"]["two hundred queries"]
    seconds = summary["calibration"]["q-error"]
    return _table(
        [
            (
                "join kernel, four streams (Table 5), nested loops",
                _rate(kernel["tuples per second"]["nested loops"]),
                f"{kernel[_TIMES]['nested loops']:,.0f}x the paper's Java prototype of 2003",
            ),
            (
                f"four-way join of {_thousands(spark['tuples'])} tuples, streamed on Spark",
                _rate(spark["Sluice, tuples per second"]),
                f"{spark['times Spark']:.0f}x faster than Spark's own stream-stream join",
            ),
            (
                f"two-way join of {_thousands(duck['tuples'])} tuples from Parquet files",
                _rate(duck["Sluice, tuples per second"]),
                f"{duck['times DuckDB']:.1f}x faster than DuckDB",
            ),
            (
                f"{joins['workloads']} random joins, {joins['plans']:,} plans: "
                "the plan predicted best is within 5% of the measured best",
                f"in {100 * joins[_NEAR_BEST]:.1f}%",
                f"q-error of all plans: {_error(joins['q-error, all plans'])}",
            ),
            (
                "aggregating early instead of late, two-way join",
                f"{early['EAP-11 over LAP, measured']:.1f}x faster",
                f"predicted: {early['EAP-11 over LAP, predicted']:.1f}x",
            ),
            (
                f"{shared['queries']} alerting queries sharing one chain of sliced joins (CPU-Opt)",
                f"{1 / shared['cpu-opt over unshared']:.0f}x faster",
                "one join for each query",
            ),
            (
                "the best order of a 20-way join, found exactly",
                f"{summary['planning']['seconds']['20 streams, exact best']:.1f} s",
                "",
            ),
            (
                f"kernel seconds of {seconds['plans']} plans after calibration, q-error",
                _error(seconds),
                "",
            ),
        ]
    )


def figures(summary: Record) -> str:
    """All tables, by subject."""
    sections = {
        "Kernels": _kernels(summary),
        "On Spark, and other engines": _engines(summary),
        "Planner": _planner(summary),
        "Accuracy: join orders": _joins(summary["join-accuracy"]),
        "Accuracy: early aggregation": _aggregations(summary["aggregation-accuracy"]),
        "Accuracy: sliced chains": _chains(summary["chain-accuracy"]),
        "Scheduled joins": _schedules(summary["schedules"]),
        "Shedding": _shedding(summary["shedding"]),
        "Accuracy: seconds": _seconds(summary["calibration"]),
        "Pages": _pages(summary["sessions"]),
    }
    if "clock" in summary:
        sections["By the clock"] = _clock(summary["clock"])
    if "changing" in summary.get("adapting", {}) and "values" in summary["adapting"]:
        sections["Runs that adapt"] = _adapting(summary)
    texts = [f"## {title}\n\n{_table(rows)}" for title, rows in sections.items()]
    texts.insert(2, f"## What Spark costs\n\n{_table(ratios(summary), HEAD)}")
    return "\n\n".join([*texts, _joins_by_kind(summary["join-accuracy"])])


_TIMES = "times the paper's prototype"
_RIVAL = "best of the paper's"
_NEAR_BEST = "predicted best within 5% of measured best"


def _kernels(summary: Record) -> Iterator[Row]:
    kernels, early = summary["kernels"], summary["aggregation"]
    for name, rate in kernels["tuples per second"].items():
        times = kernels[_TIMES].get(name)
        beside = f"{times:,.0f}x the paper's Java prototype of 2003" if times else ""
        yield f"join kernel, Table 5, {name}", _rate(rate), beside
    yield from _lazy_kernel()
    yield (
        "early aggregation, two-way hash join, EAP-11",
        _rate(early["tuples per second"]["EAP-11"]),
        f"{early['EAP-11 over LAP, measured']:.1f}x LAP (predicted: "
        f"{early['EAP-11 over LAP, predicted']:.1f}x in seconds, "
        f"{early['EAP-11 over LAP, predicted in operations']:.1f}x in operations)",
    )
    many = summary["chain-accuracy"]["two hundred queries"]
    for name in ("mem-opt", "cpu-opt"):
        yield (
            f"{many['queries']} queries in one chain, {many['tuples']:,} tuples, {name}",
            f"{many['seconds'][name]:.3f} s",
            f"{1 / many[f'{name} over unshared']:.0f}x faster than a join for each query "
            f"({many['seconds']['unshared']:.2f} s)",
        )


def _lazy_kernel() -> Iterator[Row]:
    """Some of the first paper's points, which the general kernel runs."""
    known = experiment("table-8")
    table = measured_values(known)
    printed = {p.x: p.printed for p in known.curves[0].points if p.printed is not None}
    for name in ("Lazy NLJ, τ = 5", "Lazy hash, τ = 5"):
        best, worst = table["Best plan"][name], table["Worst plan"][name]
        yield (
            f"general kernel, Table 8, {name}, best plan",
            _rate(best),
            f"{best / printed[name]:,.0f}x the paper's; {best / worst:.1f}x the worst plan",
        )
    larger = measured_values(experiment("figure-4a-larger"))
    yield (
        "general kernel, Figure 4(a) at 100 times the rate, 30 buckets, τ = 5",
        _rate(larger["HASH30"][5]),
        f"{larger['HASH30'][5] / larger['NLJ'][5]:.1f}x nested loops",
    )


def _engines(summary: Record) -> Iterator[Row]:
    for mode in ("replay", "stream"):
        for found in summary["spark-modes"][mode]:
            yield (
                f"{mode} on Spark, Table 5, {_thousands(found['tuples'])} tuples in "
                f"{found['micro-batches']} micro-batches, end to end",
                _rate(found["tuples per second, end to end"]),
                f"{found['seconds']['total']:.1f} s",
            )
    for name in ("two-way", "four-way"):
        for run in summary["against-spark"][name]:
            yield (
                f"{name} join of {run['tuples']:,} tuples, streamed",
                _rate(run["Sluice, tuples per second"]),
                f"{run['times Spark']:.1f}x Spark's own stream-stream join",
            )
    duck = summary["against-duckdb"]
    yield (
        f"two-way join of {duck['tuples']:,} tuples, kernel with its Parquet read",
        _rate(duck["Sluice, tuples per second"]),
        f"{duck['times DuckDB']:.1f}x DuckDB",
    )


def _planner(summary: Record) -> Iterator[Row]:
    for name, seconds in summary["planning"]["seconds"].items():
        yield name, f"{seconds:.2f} s", ""
    for name, timed in summary["chain-accuracy"]["CPU-Opt"].items():
        short = timed["too short for the quadrangle inequality"]
        yield (
            f"CPU-Opt chain of {name}",
            f"{timed['seconds']:.2f} s",
            f"{short:,} slices too short for the quadrangle inequality" if short else "",
        )


def _joins(found: Record) -> Iterator[Row]:
    joins = f"{found['workloads']} random joins"
    yield (
        f"{joins}, all {found['plans']:,} plans: predicted best within 5% of the measured best",
        f"in {100 * found[_NEAR_BEST]:.1f}%",
        f"at worst {100 * (found['regret, worst'] - 1):.0f}% more work",
    )
    for which in ("all plans", "predicted best"):
        yield f"q-error of comparisons, {which}", _error(found[f"q-error, {which}"]), ""
    for what in ("expirations", "inserts", "state_tuples", "rows_out"):
        name = what.replace("state_tuples", "tuples held").replace("rows_out", "rows out")
        yield f"q-error of {name}, predicted best", _error(found[f"q-error, {what}"]), ""
    tau = found["rank agreement (Kendall's tau-b), mean"]
    yield "rank agreement of all plans (Kendall's tau-b), mean", f"{tau:.3f}", "1 is perfect"
    yield (
        "lazy joins: the general plan within 5% of the best lazy or naive order",
        f"in {100 * found['general within 5% of lazy and naive']:.0f}%",
        "",
    )


def _joins_by_kind(found: Record) -> str:
    """The same joins, by what was drawn for them."""
    rows = [
        (
            f"{trait}: {kind}",
            str(part["workloads"]),
            f"{100 * part[_NEAR_BEST]:.0f}%",
            _error(part["q-error, all plans"]),
        )
        for trait, kinds in found["by kind"].items()
        for kind, part in kinds.items()
        if part["workloads"]
    ]
    head = ("joins with", "joins", "predicted best within 5%", "q-error of comparisons, all plans")
    return f"## Random joins by kind\n\n{_table(rows, head)}"


def _aggregations(found: Record) -> Iterator[Row]:
    """Early aggregation over the ranges of the paper's figures."""
    cells = f"{found['cells']} settings, all {found['plans']:,} plans"
    for unit, name in (("operations", "operations"), ("seconds", "processor seconds")):
        chosen = found[f"chosen by operations, {unit}"]
        yield (
            f"{cells}: predicted cheapest within 10% of the measured cheapest, in {name}",
            f"in {100 * chosen['within 10% of the cheapest']:.0f}%",
            f"at worst {100 * (chosen['regret, worst'] - 1):.1f}% above it",
        )
    for model, errors in found["q-error"].items():
        name = "the refined model" if model == "refined" else "the paper's equations as printed"
        counts = errors["all"]
        yield f"q-error of {counts['operators']:,} operator counts, {name}", _error(counts), ""


def _chains(found: Record) -> Iterator[Row]:
    """Sliced chains: errors by kind of work, and what chains hold."""
    for what, error in found["q-error"].items():
        if isinstance(error, dict) and error["plans"] > 100:
            kind = "tuples held" if what == "state" else f"comparisons to {what}"
            yield (
                f"{found['cases']} workloads, {error['plans']} plans: q-error of {kind}",
                _error(error),
                "",
            )
    states = found["states"]
    yield (
        "Table 3, tuples held by a chain over those of pull-up",
        f"{states['Table 3, chain over pull-up, at least']:.2f} to "
        f"{states['Table 3, chain over pull-up, at most']:.2f}",
        f"{states['chains on Table 3']} chains",
    )
    yield (
        "no filters: tuples held by Mem-Opt over those of the largest join alone",
        f"{states['Mem-Opt over the largest join alone, furthest from 1']:.6g}",
        f"in all {states['Mem-Opt chains without filters']} workloads",
    )


def _schedules(found: Record) -> Iterator[Row]:
    """Delays of policies on the same arrivals, and kernel seconds of all of them together."""
    runs = found["runs of each cell"]
    for cell in found["delays"]:
        waits = ", ".join(f"{policy} {ms:.3g}" for policy, ms in cell["delay ms"].items())
        saved = "; ".join(
            f"{100 * part['mean']:.0f}% below {policy} "
            f"({100 * part['at least']:.1f} to {100 * part['at most']:.1f}%)"
            for policy, part in cell["share saved by MQT"].items()
        )
        yield (
            f"{cell['windows']}, load {cell['load']:g}: mean delay over queries, {runs} runs",
            f"{waits} ms",
            f"MQT {saved}",
        )
    for join, timed in found["all policies beside pull-up"].items():
        yield (
            f"seven windows to 600 s, {timed['tuples']:,} tuples, {join}: all policies in one run",
            f"{timed['seconds']['all policies']:.2f} s",
            f"{timed['times pull-up']:.2f} times the kernel seconds of pull-up",
        )


def _shedding(found: Record) -> Iterator[Row]:
    """What policies keep beside the optimum; leads of ours in pairs, with 95% intervals."""
    for memory, cell in found["by memory"].items():
        kept = cell["importance"]
        yield (
            f"star join, tuples live for 50 s, memory {memory}: importance, "
            f"mean of {found['data sets']} data sets",
            ", ".join(f"{label} {worth:,.0f}" for label, worth in kept.items() if label in ONLINE),
            f"optimum {kept[OPTIMUM]:,.0f}, exact {kept['exact']:,.0f}; no policy without the "
            f"future has more than {kept['bound']:,.0f} on average",
        )
        yield f"GAIN-S beside {cell[_RIVAL]}, memory {memory}", _lead(cell), ""
    for setting, cells in found["around"].items():
        for memory, cell in cells.items():
            yield f"GAIN-S beside {cell[_RIVAL]}, memory {memory}, {setting}", _lead(cell), ""
    flow = found["processor seconds of the flow"]
    yield (
        f"the optimum of {flow['tuples']:,} tuples that live for 50 s, any memory",
        f"{flow['longest']:.1f} s at most",
        "",
    )
    rates = found["online kernels, tuples per second"]
    slowest = min(rates, key=rates.__getitem__)
    yield (
        "kernels of the online policies, tuples live for 50 s, memory 40, per processor second",
        f"{_rate(rates[slowest])} ({slowest}, the slowest)",
        f"{_rate(max(rates.values()))} for the fastest",
    )


def _lead(cell: Record) -> str:
    lead = {key: 100 * share for key, share in cell["lead"].items()}
    return f"{lead['mean']:.1f}% more ({lead['at least']:.1f} to {lead['at most']:.1f}%)"


def _seconds(found: Record) -> Iterator[Row]:
    """Seconds of kernels, by the machine's own unit costs."""
    families = found["by family"]
    # A record may be older than a family.
    known, measured = len(FAMILIES), len(families)
    whole = "all families" if measured == known else f"{measured} of {known} families"
    for name, error in {whole: found["q-error"], **families}.items():
        yield f"{error['plans']} plans of the samples, {name}: q-error", _error(error), ""


def _clock(found: Record) -> Iterator[Row]:
    """Settings that nothing was fitted to: was the plan predicted fastest the fastest?"""
    for name, own in found["by family"].items():
        errors = f"q-error of seconds, {own['plans']} plans: {_error(own['q-error of seconds'])}"
        if "chosen by" not in own:
            yield f"{own['settings']} settings, {name}: one run serves all plans", "", errors
            continue
        chosen = own["chosen by"]
        best, *others = (
            f"{100 * by['within 10% of the fastest']:.0f}% by {unit}, at worst "
            f"{by['regret, worst']:.2f}x"
            for unit, by in chosen.items()
        )
        yield (
            f"{own['settings']} settings, {name}: the plan chosen is within 10% of the fastest",
            best,
            "; ".join([*others, errors]),
        )


_TRACES = {
    "changing": "rates change three times in 600 s",
    "stationary": "nothing changes in 600 s",
    "short": "nothing changes in 150 s",
    "bursts": "nothing changes, tuples come in declared bursts",
    "values": "keys take more or fewer values three times in 600 s",
}


def _adapting(summary: Record) -> Iterator[Row]:
    """The regret policy beside plans that stay, in counts; and what watching takes."""
    for name, about in _TRACES.items():
        found = summary["adapting"][name]
        best, least = found["over best plan"], found["over best of every interval"]
        switches = found["switches after warm-up"]
        yield (
            f"{len(switches)} traces, {about}: work, moving included",
            f"{best['median']:.3f} (median), {best['worst']:.3f} (worst) times the best plan "
            "that stays",
            f"{least['median']:.3f} (median), {least['worst']:.3f} (worst) times the best plan of "
            f"every interval; {min(switches)} to {max(switches)} switches",
        )
    if (watched := summary.get("watching")) is not None:
        shares = watched["share of kernel seconds"].items()
        yield (
            f"watching {_thousands(watched['tuples'])} tuples: share of kernel seconds",
            ", ".join(f"{kind} {100 * share:.1f}%" for kind, share in shares),
            "sketches and what follows from them, over the kernels' seconds of the same run",
        )


def _pages(found: Record) -> Iterator[Row]:
    together, alone = found["together"], found["alone, beside the run"]
    spent = found["processor seconds a click"]
    yield (
        f"{found['sessions']} browser sessions beside a run: from a click to the drawn page",
        f"{together['median ms'] / 1000:.2f} s (median), "
        f"{together['95th percentile ms'] / 1000:.1f} s (95th percentile)",
        f"one session alone: {alone['median ms'] / 1000:.2f} s",
    )
    # Machines that were measured before have no such figures.
    quiet = found.get("one session without a run", {"median ms": {}, "times the empty page": {}})
    least, ratios = quiet["median ms"].get("an empty page", 0), quiet["times the empty page"]
    for what in [what for what in ratios if what != "an empty page"]:
        yield (
            f"a click without a run, {what}: times a click on an empty page of Streamlit",
            f"{ratios[what]:.1f} (median)",
            f"the empty page: {least / 1000:.2f} s",
        )
    yield (
        "processor seconds per click",
        f"{spent['server']:.2f} of the server",
        f"{spent['browser']:.2f} of the browsers",
    )


def _table(rows: Iterable[tuple[str, ...]], head: tuple[str, ...] = _HEAD) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def _rate(tuples_per_second: float) -> str:
    return f"{_thousands(tuples_per_second)} tuples/s"


def _thousands(number: float) -> str:
    """Three digits: `3.07 million`, `98,000`.

    >>> _thousands(3069820), _thousands(97654)
    ('3.07 million', '97,700')
    """
    short = float(f"{number:.3g}")
    return f"{short / 1e6:.3g} million" if short >= 1e6 else f"{short:,.0f}"


def _error(error: Record) -> str:
    """A q-error: the median, and how bad it gets."""
    names = ("median", "95th percentile", "worst")
    return ", ".join(f"{_short(error[name])} ({name})" for name in names)


def _short(number: float) -> str:
    return f"{number:.3f}" if number < 2 else f"{number:,.0f}" if number >= 100 else f"{number:.3g}"

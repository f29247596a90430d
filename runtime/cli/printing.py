"""Runs, their progress, their history and calibrations printed, for people and as JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.adapt.switches import OutOfReach, Switch
from planner.files.workload_file import dump_workload
from planner.numbers import amount, figure
from planner.plan.cost import COST_FIELDS, Measurement, q_error
from planner.plan.plan_text import printable, title
from planner.seconds.calibration import CalibratedFigure, Calibration
from planner.statistics.selectivity import Provenance
from planner.whatif.rates import RateTrace
from planner.workload.workload import Workload
from runtime.diagnosis.diagnose import Diagnosis
from runtime.runs.records import Progress, Run
from runtime.runs.run_json import run_document
from runtime.runs.run_summary import RunSummary

if TYPE_CHECKING:
    from runtime.backends.kernels.hindsight import Graded, Hindsight


def run_text(run: Run) -> str:
    """Predicted beside measured, in all and by operator, and the answer."""
    document = run_document(run)
    lines = [f"{run.plan.label} ({run.request.way}): {run.status}, run {run.id}"]
    if run.error:
        lines.append(run.error)
    if run.measurement is None:
        return "\n".join(lines) + "\n"
    lines += _outcome(run.measurement)
    lines += map(switch_text, run.switches)
    lines += map(out_of_reach_text, run.out_of_reach)
    cost = document["cost"]
    rows = list(_rows("in all", cost["predicted"], cost["measured"]))
    for operator, entry in zip(run.plan.operators(), document["operators"], strict=True):
        # Spark's own operators count little of what ours would do: only that is shown.
        if entry["measured"] is not None or not run.measurement.spark:
            rows += _rows(title(operator), entry["predicted"], entry["measured"])
    text = [_spark_join(join) for join in run.measurement.spark.get("joins", ())]
    return "\n".join([*lines, "", *_table(rows), *text]) + "\n"


def switch_text(switch: Switch) -> str:
    """When, from which plan to which, and why."""
    return f"at {switch.at / 1e6:g} s from {switch.before} to {switch.after}: {switch.reason}"


def out_of_reach_text(plan: OutOfReach) -> str:
    """A plan that would have been better, and why the run could not be switched to it."""
    return f"at {plan.at / 1e6:g} s {plan.label} was the best plan, out of reach: {plan.reason}"


def hindsight_text(found: Hindsight) -> str:
    """A run that adapts beside plans that stay: their work, or what else they are ranked by."""
    if (graded := found.graded) is not None:
        values = graded.adaptive, graded.static[found.best], graded.static[found.worst]
        unit = graded.by.unit
    else:
        adaptive, best = float(found.adaptive.sum()), float(found.static[found.best].sum())
        values = adaptive, best, float(found.static[found.worst].sum())
        unit = "operations"
    names = (
        "this run",
        f"the best plan that stays, {found.best}",
        f"the worst plan that stays, {found.worst}",
    )
    rows = list(zip(names, values, strict=True))
    if graded is None:
        rows.append(("the best plan of every micro-batch", found.oracle()))
    width = max(len(name) for name, _ in rows)
    said = [f"{name:{width}}  {figure(value):>12} {unit}" for name, value in rows]
    return "\n".join([*map(switch_text, found.switches), *said]) + "\n"


def _graded(graded: Graded) -> dict[str, Any]:
    return {graded.by.figure: {"run": graded.adaptive, "static": dict(graded.static)}}


def hindsight_document(found: Hindsight) -> dict[str, Any]:
    """The same as JSON, with the work of every micro-batch."""
    return {
        "work": float(found.adaptive.sum()),
        "best": {"label": found.best, "work": float(found.static[found.best].sum())},
        "worst": {"label": found.worst, "work": float(found.static[found.worst].sum())},
        "best_of_every_batch": found.oracle(),
        **(_graded(found.graded) if found.graded else {}),
        "switches": [asdict(switch) for switch in found.switches],
        "batches": {
            "ends": list(found.ends),
            "adaptive": found.adaptive.tolist(),
            "static": {label: work.tolist() for label, work in found.static.items()},
        },
    }


def _spark_join(metrics: Mapping[str, Any]) -> str:
    """One join of Spark's, and what Spark counted of it."""
    counts = [f"{metrics['rows']:,} rows"]
    if metrics["state_rows"] is not None:
        counts.append(f"{amount(metrics['state_rows'])} rows of state")
        counts.append(f"{metrics['state_bytes'] / 2**20:,.1f} MB at most")
    return f"Spark's join of {metrics['join']}: {', '.join(counts)}"


def _in_kernels(seconds: float | None) -> str:
    return "on Spark's own operators" if seconds is None else f"{seconds:.2f} s in kernels"


def _outcome(measurement: Measurement) -> Iterator[str]:
    """Results and seconds; of an interrupted run, how far it got."""
    if measurement.reached is not None:
        yield f"interrupted after {measurement.reached:g} s of stream time; counts until then:"
    for query, results in measurement.results.items():
        digest = measurement.answers.get(query)
        yield f"{query}: {results:,} results, " + (f"answer {digest}" if digest else "no answer")
    timings = measurement.timings
    read = "" if measurement.reached else f"; {sum(measurement.rows.values()):,} tuples"
    yield (
        f"{timings.total:.2f} s in total, {timings.engine:.2f} s in Spark, "
        f"{_in_kernels(timings.kernel)}{read}"
    )


def _rows(
    name: str, predicted: Mapping[str, float], measured: Mapping[str, float] | None
) -> Iterator[tuple[str, ...]]:
    for field in COST_FIELDS:
        expected, found = predicted[field], measured[field] if measured else None
        if not expected and not found:
            continue
        error = q_error(expected, found)
        arrow = "" if not error or error == 1 else "over" if expected > (found or 0) else "under"
        yield (
            name,
            field.replace("_", " "),
            f"predicted {amount(expected)}",
            f"measured {'-' if found is None else amount(found)}",
            f"q-error {'-' if error is None else f'{error:.3f}'} {arrow}".rstrip(),
        )
        name = ""


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def diagnosis_text(found: Sequence[Diagnosis]) -> str:
    """What the model is wrong about and why, or what differs from what was declared; nothing where
    it is right."""
    if not found:
        return ""
    wrong = any(one.suspects for one in found)
    head = "Where the model is wrong" if wrong else "What differs from the workload"
    return f"\n{head}:\n" + "".join(f"- {one.sentence}\n" for one in found)


def progress_text(progress: Progress) -> str:
    """One line that says how far a run is."""
    if not progress.batches_done:
        return progress.phase
    left = progress.seconds_left or 0.0
    done = f"{progress.phase}: {progress.batches_done} of {progress.batches}"
    if progress.step != "batch":
        return f"{done} {progress.step}s, {left:.0f} s left"
    return f"{done} micro-batches, {progress.results:,} results, {left:.0f} s left"


def history_text(runs: Sequence[RunSummary], skipped: int, count: int) -> str:
    """One line a run, newest first, and how to list those that follow."""
    if not count:
        return "No runs.\n"
    lines = [
        f"{run.id} {'*' if run.baseline else ' '} "
        f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(run.started))}  "
        f"{run.status:<11}  {run.way or '':<6}  {run.workload}: {run.label}"
        f"{f'  ({printable(run.note)})' if run.note else ''}"
        for run in runs
    ]
    if any(run.baseline for run in runs):
        lines.append("* baseline: other runs of the workload are compared with it")
    if (last := skipped + len(runs)) < count:
        lines.append(f"{len(runs):,} of {count:,} runs; --skip {last} lists more")
    return "".join(f"{line}\n" for line in lines)


def rates_document(run_id: str, trace: RateTrace) -> dict[str, Any]:
    """The rates of a run, by interval."""
    return {
        "run": run_id,
        "intervals": [
            {"from": begin, "to": end, "rates": dict(zip(trace.streams, rates, strict=True))}
            for (begin, end), rates in zip(trace.spans, trace.rates, strict=True)
        ],
    }


def statistics_document(workload: Workload, origins: Sequence[Provenance]) -> dict[str, Any]:
    """The workload with its statistics filled in, and where each came from."""
    return {
        "workload": dump_workload(workload),
        "digest": workload.digest,
        "statistics": [
            {"place": o.place, "value": o.value, "origin": o.origin, "detail": o.detail}
            for o in origins
        ],
    }


def origins_comment(origins: Sequence[Provenance]) -> str:
    """Where each statistic came from, as comments below the workload file."""
    return "".join(
        f"# {o.place}: {o.value} ({o.origin}{f'; {o.detail}' if o.detail else ''})\n"
        for o in origins
    )


def generated_text(folder: Path, rows: Mapping[str, int]) -> str:
    """What was written where."""
    listed = ", ".join(f"{name} {count:,}" for name, count in rows.items())
    return f"{sum(rows.values()):,} rows in {folder}: {listed}\n"


KERNEL_NAMES = {
    "multiway": "eager join on one attribute",
    "loops": "joins of every other kind",
    "relations": "joins with relations",
    "aggregation": "aggregations",
    "slices": "sliced joins",
}


def calibration_document(found: Calibration) -> dict[str, Any]:
    """What `python -m runtime calibrate --json` prints: seconds, spreads and errors by kernel."""
    return {
        "machine": found.machine,
        "kernels": found.kernels,
        "versions": dict(found.versions),
        "made": found.made,
        "seconds": found.seconds,
        "units": {
            kernel: {name: _figure(figure) for name, figure in figures.items()}
            for kernel, figures in found.figures.items()
        },
        "fit": {
            kernel: {
                "runs": fit.runs,
                "q_error": {"median": fit.median, "worst": fit.worst, "held_out": fit.held_out},
            }
            for kernel, fit in found.fits.items()
        },
        "c_sys": found.c_sys and {"comparisons": found.c_sys.value, "spread": found.c_sys.spread},
        "micro_batch": found.batch and _figure(found.batch),
    }


def _figure(figure: CalibratedFigure) -> dict[str, float]:
    return {"seconds": figure.value, "spread": figure.spread}


def calibration_text(found: Calibration) -> str:
    """The figures as tables."""
    from planner.report.plans_text import aligned

    made = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.made))
    lines = [f"{found.machine}, {made}: measured in {found.seconds:.0f} s"]
    for kernel, figures in found.figures.items():
        fit = found.fits[kernel]
        lines += ["", f"{kernel}: {KERNEL_NAMES[kernel]}", ""]
        rows = [("each", "nanoseconds", "spread")]
        rows += [(name, nanoseconds(f.value), nanoseconds(f.spread)) for name, f in figures.items()]
        lines += aligned(rows)
        lines.append(
            f"q-error of {fit.runs} runs: {fit.median:.2f} at the median, {fit.worst:.2f} at "
            f"worst; {fit.held_out:.2f} at the median when predicted from the others"
        )
    lines.append("")
    if found.c_sys is not None:
        c_sys = found.c_sys
        lines.append(f"C_sys: {c_sys.value:.1f} comparisons, spread {c_sys.spread:.1f}")
    if found.batch is not None:
        value, spread = 1e3 * found.batch.value, 1e3 * found.batch.spread
        lines.append(f"a micro-batch of Spark: {value:.0f} ms, spread {spread:.0f} ms")
    return "\n".join(lines) + "\n"


def nanoseconds(seconds: float) -> str:
    """To three digits."""
    return f"{1e9 * seconds:,.3g}" if seconds < 1e-6 else f"{1e9 * seconds:,.0f}"

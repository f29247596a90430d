"""`python -m planner plans | explain | sweep | replan | advise`: plans and what they cost."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import PlanError, within
from planner.families.protocol import Family
from planner.families.registry import FAMILIES, applicable, chosen_plan, family
from planner.report.command import as_json, read_bytes, read_workload, run_command
from planner.time_limit import listing_seconds, planning_limit
from planner.workload.changes import check_times
from planner.workload.validation import microseconds, whole
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from planner.files.tuple_table import Table
    from planner.whatif.axes import Axis
    from planner.whatif.rates import RateTrace

DEFAULT_TOP = 10


def _workload(options: argparse.Namespace) -> Workload:
    """The workload asked for, with what the user's own data says where they are given."""
    return _with_data(options)[0]


def _with_data(options: argparse.Namespace) -> tuple[Workload, dict[str, Table]]:
    """The workload, and the tuples of the user's own data; none where they are not given."""
    workload = read_workload(options.workload, options.query)
    if options.data is None:
        # How long own data are is known when they are run.
        end = microseconds(workload.warmup + workload.run.duration)
        check_times(workload.run.changes, 0, end, own_data=False)
        return workload, {}
    from planner.files.own_data import read_folder
    from planner.statistics.inference import infer

    data = read_folder(options.data, workload, options.sort)
    for warning in data.warnings:
        sys.stderr.write(f"warning: {warning}\n")
    return infer(workload, data.tables)[0], data.tables


def _applicable(options: argparse.Namespace, workload: Workload) -> Family:
    """The family asked for, or the first that applies."""
    if options.family is not None:
        return family(options.family)
    return applicable(workload, options.workload)


# Every command loads what it needs itself: loading takes longer than planning a query.


def _plans(options: argparse.Namespace) -> str:
    from planner.report.plans_report import plans_document
    from planner.report.plans_text import plans_text
    from planner.seconds.calibration import calibrated_units

    workload = _workload(options)
    families = FAMILIES if options.family is None else (family(options.family),)
    top = None if options.all else options.top or DEFAULT_TOP
    units = calibrated_units()
    with planning_limit(listing_seconds() if options.all else None):
        document = plans_document(workload, families, top, units, options.rank)
    return as_json(document) if options.json else f"{plans_text(document)}\n"


def _explain(options: argparse.Namespace) -> str:
    from planner.plan import dot, plan_text
    from planner.report.explain_report import explain_document, models_text

    workload = _workload(options)
    with planning_limit():
        chosen = _applicable(options, workload)
        space = chosen.space(workload)
        plan = chosen_plan(space, options.plan)
        estimate = space.estimate(plan)
    if options.json:
        return as_json(explain_document(workload, plan, estimate))
    if options.dot:
        return dot.to_dot(plan, estimate)
    loops = plan_text.to_loops(plan, estimate)
    with planning_limit():
        why = "\n".join(space.explanation(space.rank(top=1)).why)
    models = models_text(plan, estimate)
    parts = [plan_text.to_text(plan, estimate), loops, why, models]
    return "\n\n".join(filter(None, parts)) + "\n"


def _sweep(options: argparse.Namespace) -> str:
    from planner.report.sweep_report import sweep_csv, sweep_document, sweep_text
    from planner.seconds.calibration import calibrated_units
    from planner.whatif.axes import parse_axis
    from planner.whatif.cells import MOST_SECONDS
    from planner.whatif.sweeps import sweep

    workload = _workload(options)
    axes = [parse_axis(text) for text in options.vary]
    if options.robust is not None:
        return _robust(options, workload, axes)
    with planning_limit(MOST_SECONDS):
        chosen = _swept_family(options, workload)
        found = sweep(workload, axes, chosen, options.rank, calibrated_units())
    if options.json:
        return as_json(sweep_document(found))
    return sweep_csv(found) if options.csv else f"{sweep_text(found)}\n"


def _swept_family(options: argparse.Namespace, workload: Workload) -> Family:
    """The family asked for; `across` compares all that give the whole answer."""
    from planner.families.across import NAME, family_or_all

    asked = options.family == NAME
    return family_or_all(NAME) if asked else _applicable(options, workload)


def _robust(options: argparse.Namespace, workload: Workload, axes: list[Axis]) -> str:
    from planner.report.robust_report import robust_document, robust_text
    from planner.seconds.calibration import calibrated_units
    from planner.whatif.cells import MOST_SECONDS
    from planner.whatif.robust import MOST_SAMPLES, robust_choice
    from planner.whatif.sweeps import checked_ranges

    if options.csv:
        raise PlanError("has no table; leave out --csv", "--robust")
    samples = whole(options.robust, "--robust", MOST_SAMPLES)
    with planning_limit(MOST_SECONDS):
        ranges = checked_ranges(workload, axes)
        chosen = _swept_family(options, workload)
        units = calibrated_units()
        found = robust_choice(workload, ranges, chosen, options.rank, samples, units)
    return as_json(robust_document(found)) if options.json else f"{robust_text(found)}\n"


def _replan(options: argparse.Namespace) -> str:
    from planner.report.replanning_report import replan_csv, replan_document, replan_text
    from planner.seconds.calibration import calibrated_units
    from planner.whatif.replanning import MOST_SECONDS, replan

    workload, tables = _with_data(options)
    trace = _trace(options, workload, tables)
    with planning_limit(MOST_SECONDS):
        # Rates that the workload leaves out may be in the trace.
        chosen = _swept_family(options, trace.at(0, workload))
        units = calibrated_units()
        found = replan(workload, trace, chosen, options.threshold, options.rank, units)
    if options.json:
        return as_json(replan_document(workload, chosen.name, found))
    return replan_csv(found) if options.csv else f"{replan_text(workload, found)}\n"


def _trace(options: argparse.Namespace, workload: Workload, tables: dict[str, Table]) -> RateTrace:
    """The rates over time: of the file, or counted from the user's own data."""
    from planner.files.rate_files import read_trace
    from planner.whatif.rates import counted_rates

    if options.trace is not None and options.every is not None:
        raise PlanError("counts own data, and --trace gives the rates; leave one out", "--every")
    if options.trace is not None:
        read = read_trace(read_bytes(options.trace), options.trace)
        with within(options.trace, ": "):
            return read.of(workload)
    if options.data is None:
        raise PlanError("is missing; give a CSV file of rates, or --data DIR --every S", "--trace")
    return counted_rates(workload, tables, options.every)


def _advise(options: argparse.Namespace) -> str:
    from planner.families.capabilities import IndexAdvice
    from planner.report import advice_report
    from planner.seconds.units import declared_units

    workload = _workload(options)
    with planning_limit():
        chosen = _applicable(options, workload)
        adviser = chosen.space(workload).capability(IndexAdvice)
        if adviser is None:
            raise PlanError(f"{chosen.name} has no index advice", "--family")
        units = declared_units(workload) if options.upkeep else None
        advice = adviser.advise(options.buckets, options.upkeep, units)
    document = advice_report.document(workload, advice)
    return as_json(document) if options.json else f"{advice_report.text(document)}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a bad input, 130 for Ctrl-C."""
    commands = {
        "plans": _plans,
        "explain": _explain,
        "sweep": _sweep,
        "replan": _replan,
        "advise": _advise,
    }
    file = Path(__file__).with_name("commands.toml")
    return run_command(__doc__, file, commands, arguments)


if __name__ == "__main__":
    sys.exit(main())

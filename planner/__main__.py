"""`python -m planner plans | explain | sweep | replan | advise`: plans and what they cost."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import PlanError, within
from planner.families.protocol import Family
from planner.families.registry import FAMILIES, applicable, chosen_plan, family
from planner.report.command import Parser, as_json, carry_out, read_bytes, read_workload
from planner.workload.changes import check_times
from planner.workload.validation import microseconds
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from planner.files.tuple_table import Table
    from planner.whatif.rates import RateTrace

DEFAULT_TOP = 10

Command = Callable[[argparse.Namespace], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a bad input, 130 for Ctrl-C."""

    def command() -> str:
        options = _parser().parse_args(arguments)
        chosen: Command = options.command
        return chosen(options)

    return carry_out(command)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m planner", description=__doc__)
    commands = parser.add_subparsers(
        required=True, metavar="plans | explain | sweep | replan | advise"
    )

    plans = _command(commands, "plans", "list plans, best first", _plans)
    listing = plans.add_mutually_exclusive_group()
    listing.add_argument("--all", action="store_true", help="every plan, up to 50,000")
    listing.add_argument("--top", type=_count, metavar="K", help="the K best and the baseline")
    _add_rank(plans)

    explain = _command(commands, "explain", "draw one plan", _explain)
    explain.add_argument("--plan", required=True, metavar="LABEL", help="a label, or `best`")
    explain.add_argument("--dot", action="store_true", help="as DOT")

    varied = _command(commands, "sweep", "vary numbers of the workload", _sweep)
    varied.add_argument("--vary", action="append", required=True, metavar="PATH=FROM:TO:STEPS")
    varied.add_argument("--csv", action="store_true", help="as CSV")
    _add_rank(varied)

    rates = _command(commands, "replan", "follow rates that change", _replan)
    rates.add_argument("--trace", metavar="FILE", help="a CSV file of rates over time")
    rates.add_argument("--every", metavar="S", type=float, help="count rates of --data every S")
    rates.add_argument("--threshold", metavar="X", type=float, default=0.2, help="0.2 is 20 %%")
    rates.add_argument("--csv", action="store_true", help="as CSV")
    _add_rank(rates)

    advised = _command(commands, "advise", "say which windows to index", _advise)
    advised.add_argument("--buckets", type=_count, required=True, metavar="N", help="the budget")
    advised.add_argument("--upkeep", action="store_true", help="count expiring and inserting too")
    return parser


def _command(
    commands: argparse._SubParsersAction[Parser], name: str, text: str, run: Command
) -> Parser:
    """A command with the options that all of them take."""
    parser: Parser = commands.add_parser(name, help=text, allow_abbrev=False)
    parser.add_argument("workload", metavar="WORKLOAD", help="a workload file")
    parser.add_argument("--family", metavar="F", help="one family of plans")
    parser.add_argument("--query", metavar="Q", help="one query of the workload")
    parser.add_argument("--data", metavar="DIR", type=Path, help="infer statistics from own data")
    parser.add_argument("--sort", action="store_true", help="accept rows out of ts order")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(command=run)
    return parser


def _add_rank(parser: Parser) -> None:
    parser.add_argument("--rank", metavar="work | seconds | state", help="by what the best wins")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text}")
    return int(text)


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
        sys.stderr.write(f"{warning}\n")
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
    document = plans_document(workload, families, top, units, options.rank)
    return as_json(document) if options.json else f"{plans_text(document)}\n"


def _explain(options: argparse.Namespace) -> str:
    from planner.plan import dot, plan_text
    from planner.report.explain_report import explain_document, models_text

    workload = _workload(options)
    chosen = _applicable(options, workload)
    space = chosen.space(workload)
    plan = chosen_plan(space, options.plan)
    estimate = space.estimate(plan)
    if options.json:
        return as_json(explain_document(workload, plan, estimate))
    if options.dot:
        return dot.to_dot(plan, estimate)
    loops = plan_text.to_loops(plan, estimate)
    why = "\n".join(space.explanation(space.rank(top=1)).why)
    models = models_text(plan, estimate)
    parts = [plan_text.to_text(plan, estimate), loops, why, models]
    return "\n\n".join(filter(None, parts)) + "\n"


def _sweep(options: argparse.Namespace) -> str:
    from planner.report.sweep_report import sweep_csv, sweep_document, sweep_text
    from planner.whatif.sweeps import parse_axis, sweep

    workload = _workload(options)
    axes = [parse_axis(text) for text in options.vary]
    found = sweep(workload, axes, _applicable(options, workload), options.rank)
    if options.json:
        return as_json(sweep_document(found))
    return sweep_csv(found) if options.csv else f"{sweep_text(found)}\n"


def _replan(options: argparse.Namespace) -> str:
    from planner.report.replanning_report import replan_csv, replan_document, replan_text
    from planner.whatif.replanning import replan

    workload, tables = _with_data(options)
    trace = _trace(options, workload, tables)
    # Rates that the workload leaves out may be in the trace.
    chosen = _applicable(options, trace.at(0, workload))
    found = replan(workload, trace, chosen, options.threshold, options.rank)
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
    chosen = _applicable(options, workload)
    adviser = chosen.space(workload).capability(IndexAdvice)
    if adviser is None:
        raise PlanError(f"{chosen.name} has no index advice", "--family")
    units = declared_units(workload) if options.upkeep else None
    advice = adviser.advise(options.buckets, options.upkeep, units)
    document = advice_report.document(workload, advice)
    return as_json(document) if options.json else f"{advice_report.text(document)}\n"


if __name__ == "__main__":
    sys.exit(main())

"""`python -m planner plans | explain | sweep`: what plans a workload has and what they cost."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from planner import dot, drawing, printing, report
from planner.command import Parser, as_json, carry_out, read_workload
from planner.errors import PlanError
from planner.families import FAMILIES, chosen_plan, family
from planner.family import Family
from planner.whatif import parse_axis, sweep
from planner.workload import Workload

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
    commands = parser.add_subparsers(required=True, metavar="plans | explain | sweep")

    plans = _command(commands, "plans", "list plans, best first", _plans)
    listing = plans.add_mutually_exclusive_group()
    listing.add_argument("--all", action="store_true", help="every plan, up to 50,000")
    listing.add_argument("--top", type=_count, metavar="K", help="the K best and the baseline")
    plans.add_argument("--rank", choices=("comparisons", "seconds"), default="comparisons")

    explain = _command(commands, "explain", "draw one plan", _explain)
    explain.add_argument("--plan", required=True, metavar="LABEL", help="a label, or `best`")
    explain.add_argument("--dot", action="store_true", help="as DOT")

    varied = _command(commands, "sweep", "vary numbers of the workload", _sweep)
    varied.add_argument("--vary", action="append", required=True, metavar="PATH=FROM:TO:STEPS")
    varied.add_argument("--csv", action="store_true", help="as CSV")
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


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text}")
    return int(text)


def _workload(options: argparse.Namespace) -> Workload:
    """The workload asked for, with what the user's own data says where they are given."""
    workload = read_workload(options.workload, options.query)
    if options.data is None:
        return workload
    # Loaded when needed: what reads files takes longer to load than to plan a query.
    from planner.own_data import read_folder
    from planner.statistics import infer

    data = read_folder(options.data, workload, options.sort)
    for warning in data.warnings:
        sys.stderr.write(f"{warning}\n")
    return infer(workload, data.tables)[0]


def _applicable(options: argparse.Namespace, workload: Workload) -> Family:
    """The family asked for, or the first that applies."""
    if options.family is not None:
        return family(options.family)
    for known in FAMILIES:
        if known.refuses(workload) is None:
            return known
    reasons = "; ".join(f"{known.name}: {known.refuses(workload)}" for known in FAMILIES)
    raise PlanError(f"no family applies: {reasons}", options.workload)


def _plans(options: argparse.Namespace) -> str:
    workload = _workload(options)
    families = FAMILIES if options.family is None else (family(options.family),)
    by_seconds = options.rank == "seconds"
    units = report.units_of(workload, needed=by_seconds)
    top = None if options.all else options.top or DEFAULT_TOP
    document = report.plans_document(workload, families, top, units, by_seconds)
    return as_json(document) if options.json else f"{printing.plans_text(document)}\n"


def _explain(options: argparse.Namespace) -> str:
    workload = _workload(options)
    chosen = _applicable(options, workload)
    plan = chosen_plan(chosen, workload, options.plan)
    estimate = chosen.estimate(plan, workload)
    if options.json:
        return as_json(report.explain_document(workload, plan, estimate))
    if options.dot:
        return dot.to_dot(plan, estimate)
    loops = drawing.to_loops(plan, estimate)
    why = "\n".join(chosen.why(workload))
    return "\n\n".join(filter(None, [drawing.to_text(plan, estimate), loops, why])) + "\n"


def _sweep(options: argparse.Namespace) -> str:
    workload = _workload(options)
    axes = [parse_axis(text) for text in options.vary]
    found = sweep(workload, axes, _applicable(options, workload))
    if options.json:
        return as_json(report.sweep_document(found))
    return printing.sweep_csv(found) if options.csv else f"{printing.sweep_text(found)}\n"


if __name__ == "__main__":
    sys.exit(main())

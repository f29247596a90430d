"""`python -m runtime export`: a plan written as a PySpark program of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from planner.errors import PlanError
from planner.families.registry import applicable, chosen_plan, family
from planner.report.command import as_json, read_workload


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to export, and where to."""
    parser.add_argument("workload", metavar="WORKLOAD")
    parser.add_argument("folder", metavar="DIR", type=Path, help="where the files are written")
    parser.add_argument("--family", metavar="F", help="default: the first that applies")
    parser.add_argument("--plan", metavar="LABEL", default="best", help="a label, or `best`")
    parser.add_argument("--query", metavar="Q", help="one query of the workload")
    parser.add_argument("--data", metavar="DIR", type=Path, help="infer statistics from own data")
    parser.add_argument("--sort", action="store_true", help="accept rows that are not in ts order")


def export(options: argparse.Namespace) -> str:
    """Write the program and its README; what was written."""
    from runtime.backends.native.export import write_export
    from runtime.control.prepare import with_data

    given = read_workload(options.workload).only(options.query)
    workload, _, _ = with_data(given, options.data, options.sort)
    chosen = family(options.family) if options.family else applicable(workload, options.workload)
    if reason := chosen.refuses(workload):
        raise PlanError(reason, chosen.name)
    plan = chosen_plan(chosen, workload, options.plan)
    files = [str(file) for file in write_export(plan, workload, options.folder)]
    if options.json:
        return as_json({"family": plan.family, "label": plan.label, "files": files})
    return f"{plan.family} {plan.label}: {', '.join(files)}\n"

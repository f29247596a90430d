"""`python -m runtime run | resume | calibrate | history | rates | ...`: plans measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from planner.errors import PlanError
from planner.families.registry import applicable
from planner.report.command import Parser, as_json, carry_out, read_workload
from planner.workload.workload import Workload
from runtime.cli import export_command, history_command, printing
from runtime.runs.records import (
    BACKENDS,
    MOST_DISK_MB,
    MOST_SECONDS,
    WAYS,
    Progress,
    Run,
    RunRequest,
)
from runtime.spark.masters import usual_shared


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, or 2 for a bad input."""

    def command() -> str:
        options = _parser().parse_args(arguments)
        return options.command(options)

    return carry_out(command)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m runtime", description=__doc__)
    commands = parser.add_subparsers(
        required=True,
        metavar="run | resume | calibrate | history | rates | statistics | export | generate",
    )

    def add(name: str, text: str, command: Callable[[argparse.Namespace], str]) -> Parser:
        added: Parser = commands.add_parser(name, help=text, allow_abbrev=False)
        added.add_argument("--json", action="store_true", help="print JSON and nothing else")
        added.set_defaults(command=command)
        return added

    run = add("run", "run a plan and measure it", _run)
    run.add_argument("workload", metavar="WORKLOAD")
    run.add_argument("--family", metavar="F", help="the first that applies, if not given")
    run.add_argument("--plan", metavar="LABEL", default="best", help="a label, or `best`")
    run.add_argument("--query", metavar="Q", help="one query of the workload")
    run.add_argument("--data", metavar="DIR", type=Path, help="run on own data")
    run.add_argument("--sort", action="store_true", help="accept rows out of ts order")
    run.add_argument("--results", metavar="DIR", type=Path, help="write the results there")
    run.add_argument("--way", choices=WAYS, default="stream")
    run.add_argument(
        "--backend", choices=BACKENDS, default="kernels", help="native: Spark's own operators"
    )
    run.add_argument("--master", metavar="URL", help="a Spark master; by default this machine")
    run.add_argument(
        "--shared", metavar="DIR", type=Path, help="a folder that all machines of a cluster see"
    )
    run.add_argument("--partitions", metavar="N", type=int)
    run.add_argument("--batch-rows", metavar="N", type=int)
    run.add_argument(
        "--most-seconds", metavar="S", type=float, default=MOST_SECONDS, help="end it after so long"
    )
    run.add_argument(
        "--pace", metavar="X", type=float, help="seconds of stream time per second (1: real time)"
    )
    run.add_argument(
        "--most-disk", metavar="MB", type=float, default=MOST_DISK_MB, help="end it beyond that"
    )
    _span(run)

    resume = add("resume", "go on with a run that was interrupted", _resume)
    resume.add_argument("run", metavar="RUN")
    calibrate = add("calibrate", "measure the unit costs of this machine", _calibrate)
    calibrate.add_argument("--no-spark", action="store_true", help="leave micro-batches out")
    history_command.add_options(
        add("history", "list, search, note, pin and delete runs", history_command.history)
    )
    rates = add("rates", "the rates that a run had over time", _rates)
    rates.add_argument("run", metavar="RUN")
    rates.add_argument("--every", metavar="S", type=float, help="count arrivals every S seconds")

    statistics = add("statistics", "fill in statistics from own data", _statistics)
    statistics.add_argument("workload", metavar="WORKLOAD")
    statistics.add_argument("--data", metavar="DIR", type=Path, required=True)
    statistics.add_argument("--sort", action="store_true")

    export = add("export", "write a plan as a PySpark program", export_command.export)
    export_command.add_arguments(export)

    generate = add("generate", "write a workload's tuples as own data", _generate)
    generate.add_argument("workload", metavar="WORKLOAD")
    generate.add_argument("folder", metavar="DIR", type=Path)
    _span(generate)
    return parser


def _span(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", metavar="N", type=int)
    parser.add_argument("--warmup", metavar="S", type=float)
    parser.add_argument("--duration", metavar="S", type=float)


def _workload(options: argparse.Namespace, query: str | None = None) -> Workload:
    from runtime.control.prepare import with_run_settings

    workload = read_workload(options.workload)
    try:
        return with_run_settings(
            workload.only(query), options.seed, options.warmup, options.duration
        )
    except PlanError as error:
        # The file's own settings were checked when it was read: an option is what is wrong.
        raise PlanError(error.message, error.place.replace("run.", "--")) from error


def _family(options: argparse.Namespace, workload: Workload) -> str:
    """The first family that applies, to the workload with the statistics of its data."""
    from runtime.control.prepare import with_data

    return applicable(with_data(workload, options.data, options.sort)[0], options.workload).name


def _run(options: argparse.Namespace) -> str:
    from runtime.control.execute import run

    workload = _workload(options, options.query)
    request = RunRequest(
        workload=workload,
        family=options.family or _family(options, workload),
        label=options.plan,
        way=options.way,
        partitions=options.partitions,
        batch_rows=options.batch_rows,
        data=options.data,
        sort=options.sort,
        results=options.results,
        master=options.master,
        most_seconds=options.most_seconds,
        most_disk_mb=options.most_disk,
        pace=options.pace,
        shared=options.shared.resolve() if options.shared else usual_shared(options.master),
        backend=options.backend,
    )
    return _shown(run(request, _say_progress), options)


def _resume(options: argparse.Namespace) -> str:
    from runtime.control.resume import resume

    return _shown(resume(options.run, _say_progress), options)


def _calibrate(options: argparse.Namespace) -> str:
    from runtime.calibration.calibrate import CalibrationRequest, calibrate
    from runtime.cli.calibration_text import calibration_document, calibration_text

    found = calibrate(CalibrationRequest(with_spark=not options.no_spark), _say_progress)
    return as_json(calibration_document(found)) if options.json else calibration_text(found)


def _shown(run: Run, options: argparse.Namespace) -> str:
    from runtime.diagnosis.diagnose import diagnosed
    from runtime.runs.run_json import run_document
    from runtime.runs.run_tuples import few_tuples_of

    for warning in run.warnings:
        sys.stderr.write(f"warning: {warning}\n")
    if options.json:
        return as_json(run_document(run))
    return printing.run_text(run) + printing.diagnosis_text(diagnosed(run, few_tuples_of(run)))


def _say_progress(progress: Progress) -> None:
    # Until the micro-batches are there an input may yet be refused, and then that alone is said.
    if progress.batches:
        sys.stderr.write(f"{printing.progress_text(progress)}\n")


def _rates(options: argparse.Namespace) -> str:
    from planner.files.rate_files import write_trace
    from runtime.runs.history import History
    from runtime.runs.run_tuples import run_rates

    trace = run_rates(History().get(options.run), options.every)
    if options.json:
        return as_json(printing.rates_document(options.run, trace))
    return write_trace(trace)


def _statistics(options: argparse.Namespace) -> str:
    from planner.files.own_data import read_folder
    from planner.files.workload_file import dump_workload
    from planner.statistics.inference import infer

    workload = read_workload(options.workload)
    own = read_folder(options.data, workload, options.sort)
    for warning in own.warnings:
        sys.stderr.write(f"warning: {warning}\n")
    inferred, origins = infer(workload, own.tables)
    if options.json:
        return as_json(printing.statistics_document(inferred, origins))
    return dump_workload(inferred) + printing.origins_comment(origins)


def _generate(options: argparse.Namespace) -> str:
    from runtime.control.prepare import generated
    from runtime.data.generate import write_folder

    rows = write_folder(generated(_workload(options)), options.folder)
    if options.json:
        return as_json({"folder": str(options.folder), "rows": rows})
    return printing.generated_text(options.folder, rows)


if __name__ == "__main__":
    sys.exit(main())

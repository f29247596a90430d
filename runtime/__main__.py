"""`python -m runtime run | resume | calibrate | history | rates | ...`: plans measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from planner.errors import PlanError
from planner.families.registry import applicable, chosen_plan, family
from planner.report.command import as_json, read_workload, run_command
from planner.time_limit import planning_limit
from planner.workload.adapt import POLICIES, Adapt, PolicyName
from planner.workload.workload import Workload
from runtime.cli import history_command, printing
from runtime.cli.termination import cleaning_up_when_terminated
from runtime.runs.masters import usual_shared
from runtime.runs.records import (
    BACKENDS,
    MOST_DISK_MB,
    MOST_SECONDS,
    WAYS,
    Progress,
    Run,
    RunRequest,
)


def _workload(options: argparse.Namespace, query: str | None = None) -> Workload:
    from runtime.data.run_data import with_run_settings

    workload = read_workload(options.workload)
    try:
        return with_run_settings(
            workload.only(query), options.seed, options.warmup, options.duration
        )
    except PlanError as error:
        # The file's own settings were checked when it was read: an option is what is wrong.
        raise PlanError(error.message, error.place.replace("run.", "--")) from error


def _run(options: argparse.Namespace) -> str:
    from runtime.control.execute import run

    workload, asked = _workload(options, options.query), options.family or ""
    if options.adapt is not None:
        workload = adapting(workload, options.adapt)
    if not asked and options.data is None:
        asked = applicable(workload, options.workload).name
    request = RunRequest(
        workload=workload,
        family=asked,
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
        watch=options.watch,
        shared=options.shared.resolve() if options.shared else usual_shared(options.master),
        backend=options.backend,
    )
    return _shown(run(request, _say_progress), options)


def adapting(workload: Workload, policy: PolicyName) -> Workload:
    """The workload whose plan follows its tuples, by this policy and else as it says."""
    settings = replace(workload.run.adapt or Adapt(), policy=policy)
    return replace(workload, run=replace(workload.run, adapt=settings))


def _hindsight(options: argparse.Namespace) -> str:
    from planner.seconds.calibration import calibrated_units
    from runtime.backends.kernels.hindsight import hindsight

    workload, asked = _workload(options, options.query), options.family or ""
    policy = options.adapt or (workload.run.adapt or Adapt()).policy
    request = RunRequest(
        adapting(workload, policy),
        asked or applicable(workload, options.workload).name,
        options.plan,
        data=options.data,
        sort=options.sort,
        units=calibrated_units(),
    )
    found = hindsight(request)
    if options.json:
        return as_json(printing.hindsight_document(found))
    return printing.hindsight_text(found)


def _resume(options: argparse.Namespace) -> str:
    from runtime.control.resume import resume

    return _shown(resume(options.run, _say_progress), options)


def _calibrate(options: argparse.Namespace) -> str:
    from runtime.calibration.calibrate import CalibrationRequest, calibrate

    found = calibrate(CalibrationRequest(with_spark=not options.no_spark), _say_progress)
    if options.json:
        return as_json(printing.calibration_document(found))
    return printing.calibration_text(found)


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


def _export(options: argparse.Namespace) -> str:
    from runtime.backends.native.export import write_export
    from runtime.data.run_data import with_data

    given = read_workload(options.workload).only(options.query)
    workload, _, _ = with_data(given, options.data, options.sort)
    chosen = family(options.family) if options.family else applicable(workload, options.workload)
    with planning_limit():
        plan = chosen_plan(chosen.space(workload), options.plan)
    files = [str(file) for file in write_export(plan, workload, options.folder)]
    if options.json:
        return as_json({"family": plan.family, "label": plan.label, "files": files})
    return f"{plan.family} {plan.label}: {', '.join(files)}\n"


def _generate(options: argparse.Namespace) -> str:
    from runtime.data.data_writer import write_folder
    from runtime.data.run_data import generated

    rows = write_folder(generated(_workload(options)), options.folder)
    if options.json:
        return as_json({"folder": str(options.folder), "rows": rows})
    return printing.generated_text(options.folder, rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a bad input, 130 for Ctrl-C, 143 for SIGTERM."""
    commands = {
        "run": _run,
        "resume": _resume,
        "hindsight": _hindsight,
        "calibrate": _calibrate,
        "history": history_command.history,
        "rates": _rates,
        "statistics": _statistics,
        "export": _export,
        "generate": _generate,
    }
    known: dict[str, dict[str, object]] = {
        "--way": {"choices": WAYS},
        "--adapt": {"choices": POLICIES},
        "--backend": {"choices": BACKENDS},
        "--most-seconds": {"default": MOST_SECONDS},
        "--most-disk": {"default": MOST_DISK_MB},
    }
    file = Path(__file__).with_name("commands.toml")
    more = {"history": history_command.add_options}
    with cleaning_up_when_terminated():
        return run_command(__doc__, file, commands, arguments, known, more)


if __name__ == "__main__":
    sys.exit(main())

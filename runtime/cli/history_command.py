"""`python -m runtime history`: runs listed, searched, noted, pinned and deleted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, get_args

from planner.families.registry import FAMILIES
from planner.report.command import as_json
from runtime.cli import printing
from runtime.runs.history import MOST_LISTED, History, delete_run, mark_interrupted
from runtime.runs.records import BACKENDS, WAYS, Status
from runtime.runs.run_json import run_document
from runtime.runs.run_summary import RunFilter, RunSummary

MOST_SKIPPED = 1_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "--search",
        metavar="TEXT",
        default="",
        help="words in workload, plan, note, error or id",
    )
    parser.add_argument("--status", choices=get_args(Status))
    parser.add_argument("--workload", metavar="NAME", help="runs of the workload with this name")
    parser.add_argument("--family", choices=[family.name for family in FAMILIES])
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--backend", choices=BACKENDS)
    parser.add_argument("--most", metavar="N", type=_count, default=MOST_LISTED)
    parser.add_argument("--skip", metavar="N", type=_count, default=0, help="skip the first N runs")
    parser.add_argument("--note", nargs=2, metavar=("RUN", "TEXT"), help="add a note to a run")
    parser.add_argument("--pin", metavar="RUN", help="compare other runs of the workload with it")
    parser.add_argument("--unpin", metavar="RUN")
    parser.add_argument("--delete", nargs="+", metavar="RUN", help="also delete their files")


def _count(text: str) -> int:
    value = int(text)
    if not 0 <= value <= MOST_SKIPPED:
        raise argparse.ArgumentTypeError(f"must be from 0 to {MOST_SKIPPED:,}, got {text}")
    return value


def history(options: argparse.Namespace) -> str:
    """Do what is asked of single runs, or list those that are wanted."""
    kept = History()
    mark_interrupted(kept)
    done = _changed(kept, options)
    if done and options.json:
        return as_json([{"run": run_id, "done": told} for run_id, told in done])
    if done:
        return "".join(f"{run_id}: {told}\n" for run_id, told in done)
    wanted = RunFilter(
        search=options.search,
        status=options.status,
        family=options.family,
        way=options.way,
        backend=options.backend,
        workload=options.workload,
    )
    runs = kept.summaries(wanted, options.most, options.skip)
    if options.json:
        return as_json(documents(kept, runs))
    return printing.history_text(runs, options.skip, kept.count(wanted))


def _changed(kept: History, options: argparse.Namespace) -> list[tuple[str, str]]:
    """Runs, and what was done to them; none where nothing was asked for."""
    done: list[tuple[str, str]] = []
    if options.note:
        run_id, text = options.note
        kept.note(run_id, text)
        done.append((run_id, "noted"))
    if options.pin:
        kept.pin(options.pin)
        done.append((options.pin, "pinned"))
    if options.unpin:
        kept.unpin(options.unpin)
        done.append((options.unpin, "no longer pinned"))
    for run_id in options.delete or ():
        delete_run(run_id, kept)
        done.append((run_id, "deleted"))
    return done


def documents(kept: History, runs: Sequence[RunSummary]) -> list[dict[str, Any]]:
    """What `run --json` prints of each run, with what the history knows beside it."""
    by_id = {run.id: run for run in runs}
    return [
        run_document(run)
        | {
            "workload": {"name": summary.workload, "digest": summary.workload_digest},
            "started": summary.started,
            "finished": summary.finished,
            "note": summary.note,
            "baseline": summary.baseline,
        }
        for run in kept.records(list(by_id))
        for summary in (by_id[run.id],)
    ]

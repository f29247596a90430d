"""Delete a run: its record, and the files that it keeps in the data folder."""

from __future__ import annotations

import shutil

from planner.errors import RunError
from runtime.control.execute import run_folder
from runtime.control.processes import is_there
from runtime.control.resume import mark_interrupted
from runtime.data.folders import answers_home
from runtime.runs.history import History
from runtime.runs.run_summary import RunFilter


def delete_run(run_id: str, history: History | None = None) -> None:
    """Forget the run, with its checkpoint and kept answer; one that still runs is refused.

    Files that a user asked for elsewhere (`--results`) stay, as do micro-batches that others share.
    """
    history = history or History()
    mark_interrupted(history)
    if run_id in history.processes():
        raise RunError("is running; cancel it first", run_id)
    folders = history.forget(run_id)
    shutil.rmtree(run_folder(run_id, folders.get("shared")), ignore_errors=True)
    results = folders.get("results")
    if results is not None and results.parent == answers_home():
        shutil.rmtree(results, ignore_errors=True)


def gone_runs(history: History) -> int:
    """The runs that were interrupted, those included whose process has ended since it was asked."""
    if not history.file.exists():
        return 0
    running = history.processes().values()
    gone = sum(known is None or not is_there(known) for known in running)
    return gone + history.count(RunFilter(status="interrupted"))

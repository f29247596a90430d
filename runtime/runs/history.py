"""Runs kept in SQLite: what was asked, what came of it, and what its user says of it."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.errors import RunError
from runtime.data.folders import answers_home, home, run_folder
from runtime.data.private_folders import make_private
from runtime.runs.history_damage import is_damage, set_aside_if_damaged
from runtime.runs.history_schema import bring_up_to_date
from runtime.runs.processes import Process, is_there
from runtime.runs.run_summary import (
    RECORDED_COLUMNS,
    SUMMARY_COLUMNS,
    RunFilter,
    RunSummary,
    Value,
    own_columns,
)

if TYPE_CHECKING:
    from runtime.runs.records import Run, Status

logger = logging.getLogger(__name__)

MOST_LISTED = 200
LONGEST_NOTE = 2_000
EVERY_RUN = RunFilter()
_SEARCHED = ("id", "workload", "family", "label", "note", "error")


class DamagedHistoryError(RunError):
    """The file of the history is damaged; another one takes its place."""


class History:
    """The runs of one data folder. Safe to use from any thread: every call opens its own file."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or home() / "history.sqlite"

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            make_private(self.file.parent)
            set_aside_if_damaged(self.file)
            with closing(sqlite3.connect(self.file, timeout=30)) as connection, connection:
                # A text that is no text any more must not hide the others.
                connection.text_factory = partial(str, encoding="utf-8", errors="replace")
                bring_up_to_date(connection, str(self.file))
                yield connection
        except (sqlite3.DatabaseError, OSError) as error:
            if is_damage(error):
                aside = set_aside_if_damaged(self.file, anew=True)
                kept = f"it is kept as {aside.name}, and a new one begins" if aside else "try again"
                raise DamagedHistoryError(f"was damaged; {kept}", str(self.file)) from error
            raise RunError(f"the history cannot be used: {error}", str(self.file)) from error

    def save(self, run: Run, process: Process | None = None) -> None:
        """Keep this record, in place of an earlier one with its id; its note and pin stay."""
        from runtime.runs.run_json import run_to_json

        record = run_to_json(run)
        text = json.dumps(record, allow_nan=False)
        number, began = process or (None, None)
        of_process = {"process": number, "process_began": began}
        row = own_columns(run, record) | of_process | {"record": text}
        columns = (*RECORDED_COLUMNS, *of_process, "record")
        anew = ", ".join(f"{name} = excluded.{name}" for name in columns if name != "id")
        statement = (
            f"INSERT INTO runs ({', '.join(columns)}) "
            f"VALUES ({', '.join(f':{name}' for name in columns)}) "
            f"ON CONFLICT (id) DO UPDATE SET {anew}"
        )
        try:
            self._write(statement, row)
        except DamagedHistoryError:
            # The damaged file is aside now: this record is not to be lost with it.
            self._write(statement, row)

    def _write(self, statement: str, row: Mapping[str, object]) -> None:
        with self._open() as connection:
            connection.execute(statement, row)

    def get(self, run_id: str) -> Run:
        """The run with this id."""
        with self._open() as connection:
            (record,) = _row(connection, "record", run_id)
        return _opened(record, run_id)

    def records(self, run_ids: Sequence[str]) -> list[Run]:
        """The runs with these ids, in their order; those that cannot be read are left out."""
        with self._open() as connection:
            places = ", ".join("?" * len(run_ids))
            query = f"SELECT id, record FROM runs WHERE id IN ({places})"
            found = dict(connection.execute(query, tuple(run_ids)).fetchall())
        return list(_readable({run_id: found[run_id] for run_id in run_ids if run_id in found}))

    def runs(
        self,
        workload_digest: str | None = None,
        most: int = MOST_LISTED,
        status: Status | None = None,
    ) -> list[Run]:
        """The latest runs, newest first; of one workload or with one status, if it is named.

        A run that this version of Sluice cannot read is left out: one must not hide the others.
        """
        wanted = RunFilter(workload_digest=workload_digest, status=status)
        return self.records([summary.id for summary in self.summaries(wanted, most)])

    def summaries(
        self, wanted: RunFilter = EVERY_RUN, most: int = MOST_LISTED, offset: int = 0
    ) -> list[RunSummary]:
        """The runs that are wanted, newest first, without reading their records."""
        condition, values = _condition(wanted)
        with self._searching() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(SUMMARY_COLUMNS)} FROM runs WHERE {condition} "
                "ORDER BY started DESC, id LIMIT ? OFFSET ?",
                (*values, most, offset),
            ).fetchall()
        return [_summary(row) for row in rows]

    def count(self, wanted: RunFilter = EVERY_RUN) -> int:
        """How many runs are wanted."""
        condition, values = _condition(wanted)
        with self._searching() as connection:
            query = f"SELECT count(*) FROM runs WHERE {condition}"
            found: int = connection.execute(query, values).fetchone()[0]
        return found

    def note(self, run_id: str, text: str) -> None:
        """Keep what the user says of a run, in place of what was said before."""
        if len(text) > LONGEST_NOTE:
            raise RunError(f"has {len(text):,} letters; at most {LONGEST_NOTE:,} are kept", "note")
        self._change(run_id, "UPDATE runs SET note = ? WHERE id = ?", text.strip())

    def pin(self, run_id: str) -> None:
        """Compare runs of this run's workload with it from now on."""
        with self._open() as connection:
            digest, measured = _row(connection, "workload_digest, measured", run_id)
            if measured is None:
                raise RunError("has nothing measured to compare with; pin another run", run_id)
            connection.execute("UPDATE runs SET baseline = 0 WHERE workload_digest = ?", (digest,))
            connection.execute("UPDATE runs SET baseline = 1 WHERE id = ?", (run_id,))

    def unpin(self, run_id: str) -> None:
        """Compare with this run no longer."""
        self._change(run_id, "UPDATE runs SET baseline = ? WHERE id = ?", 0)

    def forget(self, run_id: str) -> dict[str, Path]:
        """Take the run out of the history. Which folders it named: for `results`, and `shared`.

        Its files stay: `delete_run` takes them away, too.
        """
        with self._open() as connection:
            (record,) = _row(connection, "record", run_id)
            connection.execute("DELETE FROM runs WHERE id = ?", (run_id,))
        return _folders(record)

    def processes(self) -> dict[str, Process | None]:
        """The process of every run that is recorded as running."""
        with self._open() as connection:
            query = "SELECT id, process, process_began FROM runs WHERE status = 'running'"
            found = connection.execute(query).fetchall()
        return {
            run_id: None if number is None else Process(number, began)
            for run_id, number, began in found
        }

    def give_up(self, run_id: str, why: str) -> None:
        """Record as interrupted a run whose record cannot be read."""
        status = "UPDATE runs SET status = 'interrupted', process = NULL, error = ? WHERE id = ?"
        self._change(run_id, status, why)

    def _change(self, run_id: str, statement: str, value: Value) -> None:
        with self._open() as connection:
            if not connection.execute(statement, (value, run_id)).rowcount:
                raise _unknown(run_id)

    @contextmanager
    def _searching(self) -> Iterator[sqlite3.Connection]:
        with self._open() as connection:
            # SQLite alone folds just the letters of ASCII.
            connection.create_function("folded", 1, str.casefold, deterministic=True)
            yield connection


def _summary(row: Sequence[Any]) -> RunSummary:
    columns = dict(zip(SUMMARY_COLUMNS, row, strict=True))
    return RunSummary(**columns | {"baseline": bool(columns["baseline"])})


def _row(connection: sqlite3.Connection, columns: str, run_id: str) -> tuple[Any, ...]:
    """These columns of a run."""
    query = f"SELECT {columns} FROM runs WHERE id = ?"
    row: tuple[Any, ...] | None = connection.execute(query, (run_id,)).fetchone()
    if row is None:
        raise _unknown(run_id)
    return row


def _unknown(run_id: str) -> RunError:
    return RunError(f"no run {run_id!r}; `python -m runtime history` lists them", "run")


def _condition(wanted: RunFilter) -> tuple[str, tuple[str, ...]]:
    """A condition on runs, and the values in it."""
    named = ("status", "family", "way", "backend", "workload", "workload_digest")
    given = {name: value for name in named if (value := getattr(wanted, name)) is not None}
    text = " || char(10) || ".join(f"coalesce({name}, '')" for name in _SEARCHED)
    words = wanted.search.casefold().split()
    parts = [f"{name} = ?" for name in given] + [f"instr(folded({text}), ?)" for _ in words]
    return " AND ".join(parts) or "1", (*given.values(), *words)


def _opened(record: object, run_id: str) -> Run:
    # Imported when a record is opened: a list of runs needs no plans.
    from runtime.runs.run_json import run_from_json

    try:
        content = json.loads(record) if isinstance(record, str) else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise RunError("its record is damaged; delete it, and run the plan again", run_id)
    return run_from_json(content)


def _readable(records: Mapping[str, object]) -> Iterator[Run]:
    for run_id, record in records.items():
        try:
            yield _opened(record, run_id)
        except RunError as error:
            logger.warning("a run is left out of the list: %s", error)


def _folders(record: str) -> dict[str, Path]:
    """The folders that a run's request names. Its record may be of a version that has others."""
    try:
        request = json.loads(record)["request"]
        named = {name: request.get(name) for name in ("results", "shared")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: Path(folder) for name, folder in named.items() if isinstance(folder, str)}


def mark_interrupted(history: History) -> list[str]:
    """Record as interrupted every run whose process is gone; their ids."""
    running = history.processes().items()
    gone = {run_id for run_id, known in running if known is None or not is_there(known)}
    why = "its process ended before it did"
    for run in history.records(sorted(gone)):
        history.save(run.ended("interrupted", time.time(), why))
        gone.discard(run.id)
    for run_id in gone:
        # Its record cannot be read: it is listed, and can be deleted.
        history.give_up(run_id, why)
    return [run_id for run_id, _ in running if run_id not in history.processes()]


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

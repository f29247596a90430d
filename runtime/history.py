"""Runs kept in SQLite: what was asked, what came of it, and when."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from planner.errors import RunError
from runtime.home import home
from runtime.records import Run, Status
from runtime.run_json import run_from_json, run_to_json

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 1
MOST_LISTED = 200
_TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY,
    started REAL NOT NULL,
    status TEXT NOT NULL,
    process INTEGER,
    workload TEXT NOT NULL,
    workload_digest TEXT NOT NULL,
    family TEXT NOT NULL,
    label TEXT NOT NULL,
    record TEXT NOT NULL
)
"""


class History:
    """The runs of one data folder. Safe to use from any thread: every call opens its own file."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or home() / "history.sqlite"

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.file, timeout=30)) as connection, connection:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                if version > SCHEMA_VERSION:
                    raise RunError(
                        f"was written by a newer Sluice (version {version}); update Sluice",
                        str(self.file),
                    )
                if version < SCHEMA_VERSION:
                    connection.execute(_TABLE)
                    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                yield connection
        except (sqlite3.DatabaseError, OSError) as error:
            raise RunError(f"the history cannot be used: {error}", str(self.file)) from error

    def save(self, run: Run, process: int | None = None) -> None:
        """Keep this record, in place of an earlier one with its id."""
        row = (
            run.id,
            run.started,
            run.status,
            process,
            run.request.workload.name,
            run.request.workload.digest,
            run.plan.family,
            run.plan.label,
            json.dumps(run_to_json(run), allow_nan=False),
        )
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?)", row)

    def get(self, run_id: str) -> Run:
        """The run with this id."""
        with self._open() as connection:
            row = connection.execute("SELECT record FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise RunError(f"no run {run_id!r}; `python -m runtime history` lists them", "run")
        return run_from_json(json.loads(row[0]))

    def runs(
        self,
        workload_digest: str | None = None,
        most: int = MOST_LISTED,
        status: Status | None = None,
    ) -> list[Run]:
        """The latest runs, newest first; of one workload or with one status, if it is named.

        A run that this version of Sluice cannot read is left out: one must not hide the others.
        """
        with self._open() as connection:
            rows = connection.execute(
                """
                SELECT record FROM runs
                WHERE workload_digest = coalesce(?, workload_digest)
                AND status = coalesce(?, status)
                ORDER BY started DESC, id LIMIT ?
                """,
                (workload_digest, status, most),
            ).fetchall()
        return list(_readable(record for (record,) in rows))

    def processes(self) -> dict[str, int | None]:
        """The process of every run that is recorded as running."""
        with self._open() as connection:
            query = "SELECT id, process FROM runs WHERE status = 'running'"
            return dict(connection.execute(query).fetchall())


def _readable(records: Iterable[str]) -> Iterator[Run]:
    for record in records:
        try:
            yield run_from_json(json.loads(record))
        except RunError as error:
            logger.warning("a run is left out of the list: %s", error)

"""The tables of the history, and how a file of an earlier version becomes one of this version."""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path

from planner.errors import RunError
from runtime.runs.run_summary import recorded_columns

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 4

_TABLES = Path(__file__).with_name("history.sql")


def bring_up_to_date(connection: sqlite3.Connection, file: str) -> None:
    """Make the tables, or carry over all runs of an earlier version; a newer one is refused."""
    if _version(connection, file) == SCHEMA_VERSION:
        return
    # Another process may have the same in mind: who comes second finds it done.
    connection.execute("BEGIN IMMEDIATE")
    version = _version(connection, file)
    if version == SCHEMA_VERSION:
        return
    if version:
        _carry_over(connection)
    else:
        _create(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _version(connection: sqlite3.Connection, file: str) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise RunError(f"was written by a newer Sluice (version {version}); update Sluice", file)
    return version


def _create(connection: sqlite3.Connection) -> None:
    # Not as a script, which would end the transaction.
    for statement in _TABLES.read_text().split(";"):
        connection.execute(statement)


def _carry_over(connection: sqlite3.Connection) -> None:
    """The runs of an earlier version, with all that it knew of them.

    Version 1 had no summaries, notes or baselines, versions 2 and 3 fewer columns: what is missing
    is taken from the records.
    """
    connection.execute("ALTER TABLE runs RENAME TO runs_before")
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'runs_before' "
        "AND sql IS NOT NULL"
    ).fetchall():
        connection.execute(f"DROP INDEX {name}")
    _create(connection)
    known = {row[1] for row in connection.execute("PRAGMA table_info(runs)")}
    had = [row[1] for row in connection.execute("PRAGMA table_info(runs_before)")]
    kept = ", ".join(name for name in had if name in known)
    connection.execute(f"INSERT INTO runs ({kept}) SELECT {kept} FROM runs_before")
    for run_id, record in connection.execute("SELECT id, record FROM runs_before"):
        try:
            columns = recorded_columns(json.loads(record))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            logger.warning("%s stays in the history without a summary: %s", run_id, error)
            continue
        assignments = ", ".join(f"{name} = :{name}" for name in columns)
        connection.execute(
            f"UPDATE runs SET {assignments} WHERE id = :id", columns | {"id": run_id}
        )
    connection.execute("DROP TABLE runs_before")

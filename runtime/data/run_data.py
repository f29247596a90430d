"""The tuples of a run: the user's own or generated ones, their digest, and the time they cover."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from planner.files.own_data import read_folder
from planner.files.text_codes import coded_texts
from planner.files.tuple_table import Table
from planner.statistics.generate import check_tuples, generate, used_inputs
from planner.statistics.inference import infer
from planner.workload.changes import with_every_query
from planner.workload.validation import microseconds
from planner.workload.workload import Workload, plain
from runtime.data.feed import Span
from runtime.data.microbatches import MicroBatches


def with_run_settings(
    workload: Workload, seed: int | None, warmup: float | None, duration: float | None
) -> Workload:
    """The workload with these run settings in place of its own, where they are given."""
    asked: dict[str, Any] = {"seed": seed, "warmup": warmup, "duration": duration}
    given = {name: value for name, value in asked.items() if value is not None}
    return replace(workload, run=replace(workload.run, **given))


def with_data(
    workload: Workload, data: Path | None, sort: bool = False
) -> tuple[Workload, dict[str, Table] | None, tuple[str, ...]]:
    """The workload with its statistics, and the user's own tuples if there are any."""
    if data is None:
        return workload, None, ()
    everything = with_every_query(workload)
    own = read_folder(data, everything, sort)
    inferred, _ = infer(everything, own.tables)
    return replace(inferred, queries=workload.queries), own.tables, own.warnings


class Covered(NamedTuple):
    """From when to when tuples arrive, in microseconds."""

    first_ts: int
    last_ts: int


def covered(streams: Sequence[Table]) -> Covered:
    """The times that the tuples of these streams cover."""
    times = [table.ts for table in streams if len(table.ts)]
    first = min((int(ts[0]) for ts in times), default=0)
    return Covered(first, max((int(ts[-1]) for ts in times), default=0))


def span_of(
    workload: Workload, batches: MicroBatches | Covered, own_data: bool
) -> tuple[Span, tuple[str, ...]]:
    """What is measured, and warnings where that is less than a user may think."""
    warmup = workload.warmup
    begin = batches.first_ts if own_data else 0
    end = batches.last_ts if own_data else microseconds(run_seconds(workload))
    span = Span(begin + microseconds(warmup), end)
    warnings = []
    if warmup < workload.longest_window:
        warnings.append(
            f"the warm-up of {warmup:g} s is shorter than the longest window "
            f"({workload.longest_window:g} s): windows were not yet full when counting began"
        )
    if not span.seconds:
        warnings.append(
            f"nothing was left to measure: the data cover {(end - begin) / 1e6:g} s, and the "
            f"warm-up takes {warmup:g} s"
        )
    return span, tuple(warnings)


def generated(workload: Workload) -> dict[str, Table]:
    """The tuples that a run of the workload generates."""
    return generate(with_every_query(workload), run_seconds(workload), workload.run.seed)


def check_size(workload: Workload) -> None:
    """Refuse a run that would generate too many tuples."""
    streams, relations = used_inputs(with_every_query(workload))
    check_tuples(
        workload, [s for _, s in streams], [r for _, r in relations], run_seconds(workload)
    )


def run_seconds(workload: Workload) -> float:
    """The seconds of stream time that a run on generated tuples covers."""
    return workload.warmup + workload.run.duration


def data_digest(workload: Workload, tables: dict[str, Table] | None) -> str:
    """The digest of a run's tuples: of the user's own, or of what they are generated from."""
    return _digest_of_tables(tables) if tables else _digest_of_spec(workload)


def _digest_of_spec(workload: Workload) -> str:
    streams, relations = (
        [(place, plain(used)) for place, used in inputs]
        for inputs in used_inputs(with_every_query(workload))
    )
    # 40 and 40.0 seconds are the same.
    return digest_of(streams, relations, float(run_seconds(workload)), workload.run.seed)


def _digest_of_tables(tables: dict[str, Table]) -> str:
    parts = hashlib.blake2b(digest_size=12)
    for name, table in sorted(tables.items()):
        parts.update(repr((name, len(table))).encode())
        parts.update(table.ts.tobytes())
        parts.update(table.seq.tobytes())
        for validity in (table.begin, table.end):
            parts.update(b"" if validity is None else validity.tobytes())
        for attribute, column in sorted(table.columns.items()):
            values = column.values
            parts.update(attribute.encode())
            if values.dtype == object:
                values, texts = coded_texts(values)
                for text in texts:
                    parts.update(repr(text).encode())
            parts.update(values.tobytes())
            parts.update(b"" if column.valid is None else column.valid.tobytes())
    return parts.hexdigest()


def digest_of(*parts: object) -> str:
    """The digest of plain values."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

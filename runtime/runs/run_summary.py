"""Runs in lists: a line taken from a record without building its plan, and which to list."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from planner.errors import RunError

# A list of runs needs no plans.
if TYPE_CHECKING:
    from runtime.runs.records import Run, Status

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What was run, what became of it, and what its user noted.

    `predicted` and `measured` are of what plans of its family are ranked by. `answer` is one digest
    over the answers of all queries. `baseline` says that runs of this workload are compared with
    it. What a run does not have, or another version of Sluice wrote otherwise, is None.
    """

    id: str
    started: float
    finished: float | None
    status: Status
    workload: str
    workload_digest: str
    data_digest: str | None
    family: str
    label: str
    way: str | None
    backend: str | None
    partitions: int | None
    predicted: float | None
    measured: float | None
    results: int | None
    answer: str | None
    kernel_seconds: float | None
    engine_seconds: float | None
    total_seconds: float | None
    error: str | None
    pace: float | None = None
    master: str | None = None
    start_seconds: float | None = None
    note: str = ""
    baseline: bool = False


SUMMARY_COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(RunSummary))
# Those that a record fills; the others are its user's.
RECORDED_COLUMNS = tuple(name for name in SUMMARY_COLUMNS if name not in ("note", "baseline"))


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list: all words of `search` occur in them, and what is named is as named."""

    search: str = ""
    status: str | None = None
    family: str | None = None
    way: str | None = None
    backend: str | None = None
    workload: str | None = None
    workload_digest: str | None = None


def summary_of(run: Run) -> RunSummary:
    """The summary of a run, with neither note nor pin."""
    from runtime.runs.run_json import run_to_json

    return RunSummary(**own_columns(run, run_to_json(run)))


def own_columns(run: Run, record: Mapping[str, Any]) -> dict[str, Any]:
    """Every column of a summary that is the run's own; `record` is the run as JSON."""
    return {
        **_columns(record, _scores(run)),
        "id": run.id,
        "started": run.started,
        "status": run.status,
        "workload": run.request.workload.name,
        "workload_digest": run.request.as_run.digest,
        "family": run.plan.family,
        "label": run.plan.label,
    }


def recorded_columns(record: Mapping[str, Any]) -> dict[str, Value]:
    """What a record says beside its id, its workload's name and its plan, by column.

    Records of other versions are read, too: what they do not say stays None.
    """
    from runtime.runs.run_json import run_from_json

    try:
        figures = _scores(run_from_json(record))
    except RunError:
        # Of another version: that run is listed all the same.
        figures = None, None
    return _columns(record, figures)


def _scores(run: Run) -> tuple[float | None, float | None]:
    from runtime.runs.run_costs import scores

    return scores(run)


def _columns(
    record: Mapping[str, Any], figures: tuple[float | None, float | None]
) -> dict[str, Value]:
    request = _mapping(record.get("request"))
    measured = _mapping(record.get("measured"))
    seconds = _mapping(measured.get("seconds"))
    results = _mapping(measured.get("results"))
    return {
        "finished": record.get("finished"),
        "data_digest": record.get("data_digest"),
        "way": request.get("way"),
        # Records from before there was another one do not name it.
        "backend": request.get("backend", "kernels"),
        "partitions": record.get("partitions"),
        "predicted": figures[0],
        "measured": figures[1],
        "results": sum(results.values()) if results else None,
        "answer": answer_digest(_mapping(measured.get("answers"))),
        **{f"{part}_seconds": seconds.get(part) for part in ("kernel", "engine", "total", "start")},
        "error": record.get("error"),
        "pace": request.get("pace"),
        "master": request.get("master"),
    }


def answer_digest(answers: Mapping[str, str]) -> str | None:
    """One digest for the answers of all queries; None where there are none."""
    if not answers:
        return None
    text = json.dumps(sorted(answers.items()))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _mapping(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}

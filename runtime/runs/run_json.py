"""A run as JSON: the record that the history keeps, and the document that `run --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from planner.errors import RunError, SluiceError
from planner.families.registry import family
from planner.families.stages import planned_stages, whole_plan
from planner.files.workload_file import dump_workload, load_workload
from planner.plan.cost import (
    COST_FIELDS,
    Cost,
    Estimate,
    Measurement,
    Quality,
    Timings,
    q_error,
    total,
)
from planner.plan.plan import Operator
from planner.workload.changes import queries_of_run
from planner.workload.execution import Change
from planner.workload.workload import Workload
from runtime.runs.records import KernelTime, Run, RunRequest


def run_document(run: Run) -> dict[str, Any]:
    """What `python -m runtime run --json` prints: predicted beside measured, by operator."""
    roots = [root.id for root in run.plan.roots]
    predicted = total(run.estimate.costs, roots)
    measurement = run.measurement
    measured: Mapping[str, float | None] | None = None
    if measurement and measurement.costs:
        measured = total(measurement.costs, roots).as_dict()
    elif measurement and measurement.spark:
        measured = _known(measurement.spark["cost"])
    return {
        "run": run.id,
        "family": run.plan.family,
        "label": run.plan.label,
        "backend": run.request.backend,
        "way": run.request.way,
        "status": run.status,
        "error": run.error,
        "warnings": list(run.warnings),
        "partitions": run.partitions,
        "batches": run.batches,
        "seed": run.workload.run.seed,
        "rows": dict(measurement.rows) if measurement else {},
        "results": dict(measurement.results) if measurement else {},
        "answers": dict(measurement.answers) if measurement else {},
        "cost": {
            "predicted": predicted.as_dict(),
            "measured": measured,
            "q_error": {
                name: q_error(getattr(predicted, name), measured[name] if measured else None)
                for name in COST_FIELDS
            },
        },
        "queries": {
            query.name: {
                "predicted": run.estimate.qualities.get(query.name, Quality()).as_dict(),
                "measured": _quality(measurement, query.name).as_dict(),
            }
            for query in queries_of_run(run.workload)
        },
        "operators": [
            {
                "id": operator.id,
                "kind": operator.kind,
                "params": dict(operator.params),
                "predicted": run.estimate.costs[operator.id].as_dict(),
                "measured": _measured(measurement, operator),
                **_recomputations(measurement, operator),
            }
            for operator in run.plan.operators()
        ],
        "replicated_inserts": measurement.replicated_inserts if measurement else 0,
        **({"queues": dict(measurement.queues)} if measurement and measurement.queues else {}),
        **_schedules(measurement),
        "seconds": _seconds(measurement),
        "kernel_seconds": _kernel_seconds(run),
        **({"spark": dict(measurement.spark)} if measurement and measurement.spark else {}),
        **({"reached": measurement.reached} if measurement and measurement.reached else {}),
    }


def _measured(
    measurement: Measurement | None, operator: Operator
) -> Mapping[str, float | None] | None:
    """What was measured of an operator; Spark's own operators count a part of it, if any."""
    if measurement is None:
        return None
    if measurement.costs:
        return measurement.costs[operator.id].as_dict()
    counted = measurement.spark.get("operators", {}).get(operator.id)
    return counted and _known(counted)


def _known(counted: Mapping[str, float]) -> dict[str, float | None]:
    """A cost with the parts that were counted."""
    return {name: counted.get(name) for name in COST_FIELDS}


def _recomputations(measurement: Measurement | None, operator: Operator) -> dict[str, float]:
    """Of an operator that aggregates: how often per second it looked for an extremum anew."""
    found = measurement.recomputations.get(operator.id) if measurement else None
    return {} if found is None else {"recomputations": found}


def _quality(measurement: Measurement | None, query: str) -> Quality:
    return measurement.qualities.get(query, Quality()) if measurement else Quality()


def _schedules(measurement: Measurement | None) -> dict[str, Any]:
    """As an entry of a document or a record; nothing where nothing is scheduled."""
    found = measurement.schedules if measurement else {}
    return {"schedules": {name: dict(figures) for name, figures in found.items()}} if found else {}


def _kernel_seconds(run: Run) -> dict[str, Any]:
    """Seconds inside kernels: predicted, by whose unit costs, and measured."""
    found = run.predicted_kernel
    predicted = None if found is None else found.seconds
    measured = run.measurement.timings.kernel if run.measurement else None
    return {
        "predicted": predicted,
        "measured": measured,
        "q_error": q_error(predicted, measured),
        "units": None if found is None else found.units,
    }


def _predicted_kernel(record: Mapping[str, Any]) -> KernelTime | None:
    # Runs recorded before calibration was there have none.
    found = record.get("predicted_kernel")
    return None if found is None else KernelTime(**found)


def _seconds(measurement: Measurement | None) -> dict[str, float | None]:
    timings = measurement.timings if measurement else None
    return {name: getattr(timings, name, None) for name in ("total", "engine", "kernel")}


def run_to_json(run: Run) -> dict[str, Any]:
    """The whole record, for the history."""
    measurement = run.measurement
    return {
        "id": run.id,
        "request": _request_to_json(run.request),
        "workload": dump_workload(run.workload),
        "label": run.plan.label,
        "partitions": run.partitions,
        "batches": run.batches,
        "data_digest": run.data_digest,
        "versions": dict(run.versions),
        "started": run.started,
        "finished": run.finished,
        "status": run.status,
        "error": run.error,
        "warnings": list(run.warnings),
        "predicted": _costs_to_json(run.estimate.costs),
        **_predicted_qualities(run.estimate.qualities),
        "predicted_kernel": run.predicted_kernel and asdict(run.predicted_kernel),
        "measured": measurement
        and {
            "costs": _costs_to_json(measurement.costs),
            "qualities": _qualities_to_json(measurement.qualities),
            "seconds": asdict(measurement.timings),
            "rows": dict(measurement.rows),
            "results": dict(measurement.results),
            "answers": dict(measurement.answers),
            "replicated_inserts": measurement.replicated_inserts,
            "recomputations": dict(measurement.recomputations),
            "queues": dict(measurement.queues),
            **_schedules(measurement),
            "spark": dict(measurement.spark),
            "reached": measurement.reached,
        },
    }


def run_from_json(record: Mapping[str, Any]) -> Run:
    """The run that `run_to_json` wrote: its plan is built again, its predictions are kept.

    A RunError where another version of Sluice wrote it, and this one cannot read it.
    """
    try:
        return _run(record)
    except (KeyError, TypeError, ValueError, SluiceError) as error:
        raise RunError(
            f"was recorded by another version of Sluice and cannot be read ({error}); "
            "run the plan again",
            str(record.get("id", "run")),
        ) from error


def _run(record: Mapping[str, Any]) -> Run:
    workload = _workload(record["workload"])
    request = _request_from_json(record["request"])
    measured = record["measured"]
    # What was asked for says how a plan goes on after changes; what came of it is the label.
    asked = request.label if workload.run.changes else record["label"]
    return Run(
        id=record["id"],
        request=request,
        workload=workload,
        plan=whole_plan(planned_stages(family(request.family), workload, asked)),
        partitions=record["partitions"],
        batches=record["batches"],
        data_digest=record["data_digest"],
        versions=record["versions"],
        started=record["started"],
        finished=record["finished"],
        status=record["status"],
        error=record["error"],
        warnings=tuple(record["warnings"]),
        estimate=Estimate(
            _costs_from_json(record["predicted"]),
            # Written where a family predicts any.
            _qualities_from_json(record.get("predicted_qualities", {})),
        ),
        predicted_kernel=_predicted_kernel(record),
        measurement=measured and _measurement(measured),
    )


@lru_cache(maxsize=100)
def _workload(text: str) -> Workload:
    """Many runs are of one workload: a list of them should not read it again for each."""
    return load_workload(text)


def _request_to_json(request: RunRequest) -> dict[str, Any]:
    return {
        "workload": dump_workload(request.workload),
        "family": request.family,
        "label": request.label,
        "way": request.way,
        "partitions": request.partitions,
        "batch_rows": request.batch_rows,
        "data": request.data and str(request.data.resolve()),
        "sort": request.sort,
        "results": request.results and str(request.results.resolve()),
        "master": request.master,
        "most_seconds": request.most_seconds,
        "most_disk_mb": request.most_disk_mb,
        "series": request.series,
        "repeat": request.repeat,
        "pace": request.pace,
        "shared": request.shared and str(request.shared),
        "backend": request.backend,
        "steerable": request.steerable,
        "steered": request.steered and dump_workload(_with(request.workload, request.steered)),
    }


def _request_from_json(record: Mapping[str, Any]) -> RunRequest:
    # Runs recorded before there were clusters share no folder.
    named = {name: record.get(name) for name in ("data", "results", "shared")}
    paths = {name: path and Path(path) for name, path in named.items()}
    # Runs recorded before they could be changed have none.
    steered = _workload(record["steered"]).run.changes if record.get("steered") else ()
    workload = _workload(record["workload"])
    return RunRequest(**{**record, **paths, "workload": workload, "steered": steered})


def _with(workload: Workload, changes: tuple[Change, ...]) -> Workload:
    """The workload with these changes alone: a change is written as part of one."""
    return replace(workload, run=replace(workload.run, changes=changes))


def _measurement(measured: Mapping[str, Any]) -> Measurement:
    return Measurement(
        costs=_costs_from_json(measured["costs"]),
        qualities=_qualities_from_json(measured["qualities"]),
        timings=Timings(**measured["seconds"]),
        rows=measured["rows"],
        results=measured["results"],
        answers=measured["answers"],
        replicated_inserts=measured["replicated_inserts"],
        # Runs recorded before there were aggregations, or chains, have none.
        recomputations=measured.get("recomputations", {}),
        queues=measured.get("queues", {}),
        # Of runs that schedule their work.
        schedules=measured.get("schedules", {}),
        spark=measured.get("spark", {}),
        reached=measured.get("reached"),
    )


def _costs_to_json(costs: Mapping[str, Cost]) -> dict[str, dict[str, float]]:
    return {operator: cost.as_dict() for operator, cost in costs.items()}


def _costs_from_json(costs: Mapping[str, Mapping[str, float]]) -> dict[str, Cost]:
    return {operator: Cost(**cost) for operator, cost in costs.items()}


def _predicted_qualities(qualities: Mapping[str, Quality]) -> dict[str, Any]:
    """As an entry of a record; nothing where none is predicted."""
    text = any(value is not None for q in qualities.values() for value in q.as_dict().values())
    return {"predicted_qualities": _qualities_to_json(qualities)} if text else {}


def _qualities_to_json(qualities: Mapping[str, Quality]) -> dict[str, dict[str, float | None]]:
    return {query: quality.as_dict() for query, quality in qualities.items()}


def _qualities_from_json(qualities: Mapping[str, Mapping[str, Any]]) -> dict[str, Quality]:
    return {query: Quality(**quality) for query, quality in qualities.items()}

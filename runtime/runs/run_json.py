"""A run as JSON: the record that the history keeps, and the document that `run --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from planner.adapt.switches import OutOfReach, Switch
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
    UnitCosts,
    q_error,
    total,
)
from planner.plan.plan import Operator, Plan
from planner.workload.changes import queries_of_run
from planner.workload.execution import Change
from planner.workload.workload import Workload
from runtime.data.json_records import from_json
from runtime.runs.records import KernelTime, Run, RunRequest

_NOTHING = Measurement({}, {}, Timings(0.0, 0.0, None), {}, {}, {})


def run_document(run: Run) -> dict[str, Any]:
    """What `python -m runtime run --json` prints: predicted beside measured, by operator."""
    roots = [root.id for root in run.plan.roots]
    predicted = total(run.estimate.costs, roots)
    found, timings = run.measurement or _NOTHING, run.measurement and run.measurement.timings
    measured: Mapping[str, float | None] | None = None
    if found.costs:
        measured = total(found.costs, roots).as_dict()
    elif found.spark:
        measured = _known(found.spark["cost"])
    extremes = found.recomputations
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
        "rows": dict(found.rows),
        "results": dict(found.results),
        "answers": dict(found.answers),
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
                "measured": found.qualities.get(query.name, Quality()).as_dict(),
            }
            for query in queries_of_run(run.workload)
        },
        "operators": [
            {
                "id": operator.id,
                "kind": operator.kind,
                "params": dict(operator.params),
                "predicted": run.estimate.costs[operator.id].as_dict(),
                "measured": _measured(found, operator),
                # Of an aggregation: how often per second it looked for an extremum anew.
                **({"recomputations": extremes[operator.id]} if operator.id in extremes else {}),
            }
            for operator in run.plan.operators()
        ],
        "replicated_inserts": found.replicated_inserts,
        **_present(found, "queues", "schedules", "shed"),
        "seconds": {part: getattr(timings, part, None) for part in ("total", "engine", "kernel")},
        "kernel_seconds": _kernel_seconds(run),
        **_present(found, "spark", "reached"),
        **({"statistics": _statistics(found)} if found.observed else {}),
        **(_adapting(run) if run.workload.run.adapt else {}),
    }


def _statistics(measurement: Measurement) -> dict[str, Any]:
    """What was seen of the tuples, batch by batch, and what watching took beside the kernels."""
    watch, kernel = measurement.timings.watch, measurement.timings.kernel
    return {
        "batches": [asdict(batch) for batch in measurement.observed],
        "seconds": watch,
        "share_of_kernel_seconds": watch / kernel if watch is not None and kernel else None,
    }


def _adapting(run: Run) -> dict[str, Any]:
    """What a run that adapts decided, and the seconds that took."""
    timings = run.measurement.timings if run.measurement else None
    return {
        "switches": switches_document(run),
        "out_of_reach": [asdict(plan) | {"at": plan.at / 1e6} for plan in run.out_of_reach],
        "deciding_seconds": timings and timings.decide,
    }


def switches_document(run: Run) -> list[dict[str, Any]]:
    """When the plan was switched and why, in seconds of the run; the work of moving, as priced
    before and as counted."""
    moved = run.measurement.moved if run.measurement else {}
    return [
        {
            "at": switch.at / 1e6,
            "batch": switch.batch,
            "from": switch.before,
            "to": switch.after,
            "reason": switch.reason,
            "saving": switch.saving,
            "moving": {
                "predicted": switch.moving,
                "measured": moved[str(switch.at)].operations if str(switch.at) in moved else None,
            },
        }
        for switch in run.switches
    ]


def _present(measurement: Measurement, *names: str) -> dict[str, Any]:
    return {name: found for name in names if (found := getattr(measurement, name))}


def _measured(measurement: Measurement, operator: Operator) -> Mapping[str, float | None] | None:
    """What was measured of an operator; Spark's own operators count a part of it, if any."""
    if measurement.costs:
        return measurement.costs[operator.id].as_dict()
    counted = measurement.spark.get("operators", {}).get(operator.id)
    return counted and _known(counted)


def _known(counted: Mapping[str, float]) -> dict[str, float | None]:
    """A cost with the parts that were counted."""
    return {name: counted.get(name) for name in COST_FIELDS}


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


# What a record has as the run itself does.
_BUILT = (
    *("request", "workload", "plan", "estimate", "measurement", "predicted_kernel"),
    *("switches", "out_of_reach"),
)
_PLAIN = tuple(field.name for field in fields(Run) if field.name not in _BUILT)


def run_to_json(run: Run) -> dict[str, Any]:
    """The whole record, for the history."""
    qualities = _parts(run.estimate.qualities)
    is_predicted = any(part is not None for own in qualities.values() for part in own.values())
    return {
        **{name: getattr(run, name) for name in _PLAIN},
        "request": _request_to_json(run.request),
        "workload": dump_workload(run.workload),
        "label": run.plan.label,
        "predicted": _parts(run.estimate.costs),
        **({"predicted_qualities": qualities} if is_predicted else {}),
        "predicted_kernel": run.predicted_kernel and asdict(run.predicted_kernel),
        "measured": run.measurement and _measurement_to_json(run.measurement),
        "switches": [asdict(switch) for switch in run.switches],
        "out_of_reach": [asdict(plan) for plan in run.out_of_reach],
    }


def _measurement_to_json(measurement: Measurement) -> dict[str, Any]:
    own = {field.name: getattr(measurement, field.name) for field in fields(measurement)}
    del own["timings"]
    return own | {
        "observed": [asdict(batch) for batch in measurement.observed],
        "costs": _parts(measurement.costs),
        "qualities": _parts(measurement.qualities),
        "moved": _parts(measurement.moved),
        "seconds": asdict(measurement.timings),
    }


def _parts(known: Mapping[str, Cost] | Mapping[str, Quality]) -> dict[str, dict[str, Any]]:
    """The costs of operators, or the qualities of queries, by their fields."""
    return {name: dict(one.as_dict()) for name, one in known.items()}


def run_from_json(record: Mapping[str, Any]) -> Run:
    """The run that `run_to_json` wrote: its plan is built again, its predictions are kept.

    A RunError where another version of Sluice wrote it, and this one cannot read it.
    """
    try:
        return _run(record)
    except (AttributeError, KeyError, TypeError, ValueError, SluiceError) as error:
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
    changed = workload.run.changes or request.steered
    asked = request.label if changed else record["label"]
    estimate = {"costs": record["predicted"], "qualities": record.get("predicted_qualities", {})}
    if measured:
        others = {name: part for name, part in measured.items() if name != "seconds"}
        measured = from_json(Measurement, {**others, "timings": measured["seconds"]})
    found = Run(
        **{name: record[name] for name in _PLAIN} | {"warnings": tuple(record["warnings"])},
        request=request,
        workload=workload,
        plan=Plan(request.family, record["label"], ()),
        estimate=from_json(Estimate, estimate),
        # Runs recorded before calibration was there have none.
        predicted_kernel=from_json(KernelTime | None, record.get("predicted_kernel")),
        measurement=measured,
        # Runs recorded before plans could be switched have none.
        switches=from_json(tuple[Switch, ...], record.get("switches", ())),
        out_of_reach=from_json(tuple[OutOfReach, ...], record.get("out_of_reach", ())),
    )
    stages = planned_stages(family(request.family), found.as_planned, asked, request.units)
    return replace(found, plan=whole_plan(stages))


@lru_cache(maxsize=100)
def _workload(text: str) -> Workload:
    """Many runs are of one workload: a list of them should not read it again for each."""
    return load_workload(text)


def _request_to_json(request: RunRequest) -> dict[str, Any]:
    return {field.name: getattr(request, field.name) for field in fields(request)} | {
        "workload": dump_workload(request.workload),
        "data": request.data and str(request.data.resolve()),
        "results": request.results and str(request.results.resolve()),
        "shared": request.shared and str(request.shared),
        "units": request.units and asdict(request.units),
        "steered": request.steered and dump_workload(_with(request.workload, request.steered)),
    }


def _request_from_json(record: Mapping[str, Any]) -> RunRequest:
    # Runs recorded before there were clusters share no folder.
    named = {name: record.get(name) for name in ("data", "results", "shared")}
    paths = {name: path and Path(path) for name, path in named.items()}
    # Runs recorded before they could be changed have none.
    steered = _workload(record["steered"]).run.changes if record.get("steered") else ()
    built = {
        "workload": _workload(record["workload"]),
        "steered": steered,
        # Runs recorded before they were kept have none.
        "units": from_json(UnitCosts | None, record.get("units")),
    }
    return RunRequest(**{**record, **paths, **built})


def _with(workload: Workload, changes: tuple[Change, ...]) -> Workload:
    """The workload with these changes alone: a change is written as part of one."""
    return replace(workload, run=replace(workload.run, changes=changes))

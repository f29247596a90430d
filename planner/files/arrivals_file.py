"""How a stream arrives, as a workload file says it, and as it is written again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from planner.errors import PlanError, within
from planner.files import workload_schema as schema
from planner.files.rate_files import MAX_BYTES, read_trace
from planner.workload.arrival_shapes import ArrivalTrace, Burst, Daily, Drift, Shape, Swap
from planner.workload.streams import Arrivals
from planner.workload.validation import listed

_SHAPES = ("daily", "burst", "drift", "swap", "trace")


def arrivals_of(part: str | schema.ArrivalsPart, stream: str, folder: Path | None) -> Arrivals:
    """The arrivals of a stream of this name; a trace is a file in the folder."""
    match part:
        case "regular" | "poisson":
            return Arrivals(part)
        case schema.ArrivalsPart():
            shape = _shape(part, stream, folder)
            if part.pareto is not None and part.regular is None:
                return Arrivals("pareto", part.pareto.burst, shape=shape)
            if part.regular is not None and part.pareto is None:
                return Arrivals("regular", phase=part.regular.phase, shape=shape)
            if shape is not None and part.pareto is None:
                return Arrivals(shape=shape)
    raise PlanError(f"must be one of pareto and regular, or one of {listed(_SHAPES)}", "arrivals")


def _shape(part: schema.ArrivalsPart, stream: str, folder: Path | None) -> Shape | None:
    """How the rate changes over time, if it does."""
    given = [name for name in _SHAPES if getattr(part, name) is not None]
    if len(given) > 1:
        raise PlanError(f"has {listed(given)}; a rate changes in one way", "arrivals")
    match getattr(part, given[0]) if given else None:
        case schema.DailyPart() as daily:
            return Daily(daily.period, daily.swing, daily.phase)
        case schema.RushPart() as rush:
            return Burst(rush.at, rush.lasts, rush.factor, rush.every)
        case schema.DriftPart() as drift:
            return Drift(drift.to, drift.over, drift.at)
        case schema.SwapPart() as swap:
            return Swap(swap.with_, swap.every)
        case schema.TracePart() as trace:
            return ArrivalTrace(tuple(trace.times), tuple(trace.rates), trace.end)
        case str() as name:
            with within("arrivals.trace"):
                return _trace(name, stream, folder)
    return None


def _trace(name: str, stream: str, folder: Path | None) -> ArrivalTrace:
    """The column of a stream in a trace of rates: the workload has it from then on."""
    if folder is None:
        raise PlanError(
            f"{name!r} is a file beside a workload's file, and this workload has none; "
            "write {times: [...], rates: [...], end: ...} in its place"
        )
    if Path(name).name != name or name.startswith("."):
        raise PlanError(f"must be the name of a file beside the workload's, got {name!r}")
    try:
        with (folder / name).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PlanError(f"cannot be read: {reason}", name) from None
    trace = read_trace(content, name)
    if stream not in trace.streams:
        raise PlanError(
            f"has no column for {stream}; the columns are {listed(trace.streams)}", name
        )
    place = trace.streams.index(stream)
    return ArrivalTrace(trace.times, tuple(rates[place] for rates in trace.rates), trace.end)


def arrivals_part(arrivals: Arrivals) -> Any:
    """How a workload file says it."""
    part: dict[str, Any] = {}
    if arrivals.kind == "pareto":
        part["pareto"] = {"burst": _plain(arrivals.burst)}
    elif arrivals.phase is not None:
        part["regular"] = {"phase": _plain(arrivals.phase)}
    elif arrivals.kind == "regular" and arrivals.shape is not None:
        part["regular"] = {}
    if (shape := arrivals.shape) is not None:
        given = asdict(shape)
        kind = given.pop("kind")
        part[kind] = {
            {"other": "with"}.get(name, name): _plain(value)
            for name, value in given.items()
            if value is not None
        }
    return part or arrivals.kind


def _plain(value: Any) -> Any:
    """10.0 as 10, which is how people write it."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value == int(value) else value

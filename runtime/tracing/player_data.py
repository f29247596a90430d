"""Traces as plain lists: all that a browser needs to draw every step without asking again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.plan.cost import ADDED_UP, Estimate
from planner.plan.operator_names import operator_name
from runtime.engines.trace import Event
from runtime.tracing.trace import PlanTrace, TraceStep

# Of a place the newest tuples are drawn, and of a probe as many.
MOST_CHIPS = 24
UNIT = "operations"
_PARTS = ADDED_UP[UNIT]


def player_data(
    traces: Sequence[PlanTrace],
    estimates: Sequence[Estimate],
    shown: Sequence[str] = (),
    full: bool = True,
    sheds: bool = False,
) -> dict[str, Any]:
    """One plan or two on the same arrivals; `shown` are the attributes that chips bear.

    Unless windows were `full` when the steps began, nothing is predicted: the model is of full
    windows. `sheds`: answers may differ, since tuples are not kept.
    """
    sources = list(dict.fromkeys(chip.source for t in traces for chip in t.chips.values()))
    chips = {
        chip.id: [sources.index(chip.source), _values(chip.values, shown), _seconds(chip.ts)]
        for trace in traces
        for chip in trace.chips.values()
    }
    return {
        "plans": [
            _plan(trace, estimate, full) for trace, estimate in zip(traces, estimates, strict=True)
        ],
        "chips": chips,
        "sources": sources,
        "unit": UNIT,
        "sheds": sheds,
    }


def _values(values: Mapping[str, object], shown: Sequence[str]) -> str:
    return " ".join(f"{values[name]}" for name in shown if name in values)[:16]


def _seconds(ts: int) -> str:
    return f"{ts / 1e6:.2f}".rstrip("0").rstrip(".")


def _plan(trace: PlanTrace, estimate: Estimate, full: bool) -> dict[str, Any]:
    operators, rates = [], {}
    for op in trace.plan.operators():
        cost = estimate.costs.get(op.id)
        rates[op.id] = cost.operations if cost is not None and full else None
        done = _operations(trace.steps[-1].counts.get(op.id, {}))
        if done or rates[op.id]:
            operators.append(op)
    steps = [trace.start, *trace.steps]
    drawn = [_step(step, [op.id for op in operators], rates, trace.begin) for step in steps]
    return {
        "label": trace.plan.label,
        "lines": list(trace.lines),
        "places": [
            {"id": place.id, "title": place.title, "room": place.room} for place in trace.places
        ],
        "operators": [{"name": operator_name(op), "rate": rates[op.id]} for op in operators],
        "start": drawn[0],
        "steps": drawn[1:],
    }


def _operations(counts: Mapping[str, int]) -> int:
    return sum(counts.get(part, 0) for part in _PARTS)


def _step(
    step: TraceStep, operators: Sequence[str], rates: Mapping[str, float | None], begin: int
) -> dict[str, Any]:
    counts = [_operations(step.counts.get(name, {})) for name in operators]
    seconds = max(0.0, (step.ts - begin) / 1e6)
    known = [rate for name in operators if (rate := rates[name]) is not None]
    return {
        "time": _seconds(step.ts),
        "seconds": seconds,
        "arrivals": list(step.arrivals),
        "events": [_event(event) for event in step.events],
        "contents": {
            place: [len(held), list(held[-MOST_CHIPS:])] for place, held in step.contents.items()
        },
        "counts": counts,
        "total": sum(counts),
        "predicted": sum(known) * seconds if known else None,
        "results": step.results,
        "digest": str(step.digest),
    }


def _event(event: Event) -> list[Any]:
    examined, matched = (
        [len(some), list(some[-MOST_CHIPS:])] for some in (event.examined, event.matched)
    )
    return [
        event.kind, event.line, event.chip, event.place, event.to, examined, matched, event.note,
    ]  # fmt: skip

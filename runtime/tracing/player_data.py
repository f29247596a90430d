"""Traces as plain lists: all that a browser needs to draw every step without asking again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from planner.plan.cost import Estimate
from planner.plan.objective import Objective, PlanOutcome
from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.engines.trace import Event
from runtime.tracing.session import Watching, recalls
from runtime.tracing.trace import Chip, PlanTrace, SoFar, TraceStep

# Of a place the newest tuples are drawn, and of a probe as many.
MOST_CHIPS = 24
# Of what happens in one way at one place in a step, so much is drawn; the rest is a number.
MOST_EVENTS = 24
# Asked for like an attribute: when a tuple arrived.
ARRIVED = "at"
_MICROSECONDS = 1e6


def player_data(watching: Watching, shown: Sequence[str] = ()) -> dict[str, Any]:
    """One plan or two on the same arrivals; `shown` are the attributes that chips bear.

    Unless windows were full when the steps began, nothing is predicted: the model is of full
    windows.
    """
    traces, counter = watching.traces, _Counter(watching.objective, watching.workload)
    sources = list(dict.fromkeys(chip.source for t in traces for chip in t.chips.values()))
    chips = {
        chip.id: [sources.index(chip.source), _written(chip, shown), _seconds(chip.ts)]
        for trace in traces
        for chip in trace.chips.values()
    }
    pairs = zip(traces, watching.estimates, strict=True)
    return {
        "plans": [
            _plan(trace, estimate if watching.full else None, counter, watching.exact)
            for trace, estimate in pairs
        ],
        "chips": chips,
        "sources": sources,
        "unit": counter.unit,
        "counter": counter.of_operators,
        "results": counter.results,
        "lowest": watching.objective.is_lowest,
        "sheds": watching.sheds,
        "full": watching.full,
        "drawn": watching.drawn,
    }


class _Counter:
    """What runs beside a plan: the figure that plans are ranked by, and what operators add to it.

    Work and importance are added up; what is held, and delays, are means so far. The share of all
    results that was found is counted apart, where there is an exact plan.
    """

    def __init__(self, by: Objective, workload: Workload) -> None:
        self._by = by
        self._has_groups = any(query.aggregates for query in workload.queries)
        self.results = "groups" if self._has_groups else "results"
        self._run_seconds = workload.warmup + workload.run.duration
        self._adds_up = by.spread is not None and by.part != "state_tuples"
        per_second, by_second = "/s", " of work per s"
        self._factor = 1.0
        if by.name == "seconds":
            self.unit, self._factor = "µs of CPU", _MICROSECONDS
        elif self._adds_up:
            self.unit = by.unit.removesuffix(by_second).removesuffix(per_second)
        elif by.part == "state_tuples":
            self.unit = "tuples held on average"
        elif by.grows:
            self.unit = by.unit
        else:
            self.unit = f"{by.unit} {by.title[0].lower()}{by.title[1:]}"
        # Delays and importance are of no single operator: beside them stands what operators do.
        self.of_operators = self.unit if by.spread is not None else "operations"

    def figure(self, plan: Plan, step: SoFar, before: SoFar) -> float | None:
        """The figure of a plan, less what it was `before` the first step."""
        value = self._by.of(plan, step)
        if value is None or not (self._by.is_lowest or self._by.grows):
            return None
        if self._by.grows:
            return value - (self._by.of(plan, before) or 0.0)
        return self._scaled(value, step.seconds)

    def worth(self, plan: Plan, step: SoFar, before: SoFar) -> float | None:
        """The figure, if it is of the answer and not of the work: importance."""
        return self.figure(plan, step, before) if self._by.grows else None

    def predicted(self, plan: Plan, estimate: Estimate, seconds: float) -> float | None:
        """What the model predicts for so many seconds."""
        value = self._by.of(plan, estimate)
        if value is None or not (self._by.is_lowest or self._by.grows):
            return None
        if self._by.grows:
            return value * seconds / self._run_seconds
        return self._scaled(value, seconds)

    def operators(self, plan: Plan, outcome: PlanOutcome, seconds: float) -> Mapping[str, float]:
        """By operator the same, or else its operations."""
        spread = self._by.by_operator(plan, outcome) if self._by.spread is not None else None
        if self._by.spread is None:
            done = {name: cost.operations for name, cost in outcome.costs.items()}
            return {name: value * seconds for name, value in done.items()}
        return {name: self._scaled(value, seconds) for name, value in (spread or {}).items()}

    def results_before(self, trace: PlanTrace) -> int:
        """Results are counted from the first step on; the groups of an answer are those there."""
        return 0 if self._has_groups else trace.start.results

    def _scaled(self, value: float, seconds: float) -> float:
        return value * self._factor * (seconds if self._adds_up else 1.0)


def _written(chip: Chip, shown: Sequence[str]) -> str:
    """What a chip bears: values, and when it arrived if that is asked for."""
    values: Mapping[str, object] = {ARRIVED: f"{_seconds(chip.ts)} s", **chip.values}
    return " ".join(f"{values[name]}" for name in shown if name in values)[:16]


def _seconds(ts: int) -> str:
    return f"{ts / 1e6:.2f}".rstrip("0").rstrip(".")


def _plan(
    trace: PlanTrace, estimate: Estimate | None, counter: _Counter, exact: PlanTrace | None
) -> dict[str, Any]:
    steps = [trace.start, *trace.steps]
    end = counter.operators(trace.plan, trace.steps[-1].so_far, trace.steps[-1].so_far.seconds)
    rates = {} if estimate is None else counter.operators(trace.plan, estimate, 1.0)
    operators = [op for op in trace.plan.operators() if end.get(op.id) or rates.get(op.id)]
    drawn = _Drawn(trace, estimate, counter, [op.id for op in operators])
    made = [drawn.step(step) for step in steps]
    if exact is not None:
        # The exact plan may have one step more, in which it has nothing left to do.
        for step, whole in zip(made, [exact.start, *exact.steps], strict=False):
            step["exact"] = _exact(exact, whole, counter)
    predicted = [] if estimate is None else recalls(estimate)
    return {
        "label": trace.plan.label,
        "recall": predicted[0] if len(predicted) == 1 else None,
        "lines": list(trace.lines),
        "places": [
            {
                "id": place.id,
                "title": place.title,
                "room": place.room,
                "holds": "group" if place.groups else "tuple",
            }
            for place in trace.places
        ],
        "operators": [operator_name(op) for op in operators],
        "start": made[0],
        "steps": made[1:],
    }


def _exact(exact: PlanTrace, step: TraceStep, counter: _Counter) -> dict[str, Any]:
    """What the exact plan has found by a step; its figure where figures add up to the answer's."""
    return {
        "results": step.results - counter.results_before(exact),
        "figure": counter.worth(exact.plan, step.so_far, exact.start.so_far),
    }


class _Drawn:
    """The steps of a plan as they are drawn; what was found before the first step is left out."""

    def __init__(
        self,
        trace: PlanTrace,
        estimate: Estimate | None,
        counter: _Counter,
        operators: Sequence[str],
    ) -> None:
        self._trace, self._estimate, self._counter = trace, estimate, counter
        self._operators = operators

    def step(self, step: TraceStep) -> dict[str, Any]:
        plan, counter, seconds = self._trace.plan, self._counter, step.so_far.seconds
        counts = counter.operators(plan, step.so_far, seconds)
        predicted, expected = None, None
        if self._estimate is not None:
            predicted = counter.predicted(plan, self._estimate, seconds)
            expected = counter.operators(plan, self._estimate, seconds)
        newest = {place: list(held[-MOST_CHIPS:]) for place, held in step.contents.items()}
        drawn = {chip for held in newest.values() for chip in held}
        events = _first_events(step.events)
        return {
            "time": _seconds(step.ts),
            "last": step.last,
            "arrivals": list(step.arrivals),
            "events": [_event(event) for event in events],
            "more": len(step.events) - len(events),
            "contents": {
                place: [len(held), newest[place]] for place, held in step.contents.items()
            },
            "buckets": {
                place: [of.get(chip, "") for chip in newest[place]]
                for place, of in step.buckets.items()
            },
            "counts": [counts.get(name, 0.0) for name in self._operators],
            "expected": expected and [expected.get(name, 0.0) for name in self._operators],
            "figure": counter.figure(plan, step.so_far, self._trace.start.so_far),
            "predicted": predicted,
            "waited": step.waited,
            "labels": {c: text for c, text in step.labels.items() if c in drawn},
            "results": step.results - self._counter.results_before(self._trace),
            "digest": str(step.digest),
        }


def _first_events(events: Sequence[Event]) -> list[Event]:
    """A naive join probes a window thousands of times in a step: nobody would see so many."""
    seen: Counter[tuple[str, str]] = Counter()
    first = []
    for event in events:
        of = event.kind, event.place
        seen[of] += 1
        if seen[of] <= MOST_EVENTS:
            first.append(event)
    return first


def _event(event: Event) -> list[Any]:
    examined, matched = (
        [len(some), list(some[-MOST_CHIPS:])] for some in (event.examined, event.matched)
    )
    return [
        event.kind, event.line, event.chip, event.place, event.to, examined, matched, event.note,
    ]  # fmt: skip

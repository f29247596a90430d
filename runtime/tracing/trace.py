"""A plan watched one tuple at a time: the kernel's counts and results, and what each step does.

Results and counts are those of the kernel. What happens inside a step is told by the family's
watcher, and believed only where it counts the same: a difference is a fault, with its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from planner.errors import RunError
from planner.files.tuple_table import Table
from planner.plan.cost import Cost, Quality, UnitCosts
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.engines.registry import watcher
from runtime.engines.trace import Event, Place, Watched, Watcher, chip_id, values_of
from runtime.tracing.kernel_steps import (
    MOST_STEPS,
    CountsByOperator,
    KernelStep,
    Moment,
    SteppedProgram,
    stepped,
)


class WatchError(RunError):
    """The simulation that is drawn does not count what the kernel counts: a bug of ours."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A tuple as it is drawn: its name, when it arrived, and its values."""

    id: str
    source: str
    ts: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SoFar:
    """What was counted in so many seconds, in the shape of an estimate; no costs in no time."""

    seconds: float
    costs: Mapping[str, Cost]
    qualities: Mapping[str, Quality]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step: the tuples that arrive, what happens, and what is there and was counted then.

    `results` and `digest` are the kernel's, over all queries since the first tuple; `so_far` is
    what it counted since the first step, per second as predictions are. `last`: nothing more
    arrives, and what waits is worked off. Results have `waited` so many seconds on average.
    """

    ts: int
    last: bool
    arrivals: tuple[str, ...]
    events: tuple[Event, ...]
    contents: Mapping[str, Sequence[str]]
    counts: CountsByOperator
    so_far: SoFar
    results: int
    digest: int
    waited: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    buckets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlanTrace:
    """A plan's steps. `start` is what was there before the first of them; without a watcher there
    are no places, and steps have no events. At `pauses` something happened between tuples."""

    plan: Plan
    lines: tuple[str, ...]
    places: tuple[Place, ...]
    chips: Mapping[str, Chip]
    start: TraceStep
    steps: tuple[TraceStep, ...]
    begin: int
    pauses: tuple[int, ...]
    stepped: SteppedProgram
    states: tuple[bytes | None, ...]

    @property
    def ends_quietly(self) -> bool:
        """Whether nothing was left to be worked off in the last step, which has no tuple."""
        before = self.steps[-2] if len(self.steps) > 1 else self.start
        return not self.steps[-1].events and self.steps[-1].counts == before.counts

    def without_end(self) -> PlanTrace:
        """The same without its last step."""
        return replace(self, steps=self.steps[:-1], states=self.states[:-1])


def traced(
    plan: Plan,
    workload: Workload,
    tables: Mapping[str, Table],
    start: int = 0,
    most: int = MOST_STEPS,
    units: UnitCosts | None = None,
    pauses: Sequence[int] = (),
) -> PlanTrace:
    """Step a plan through its tuples, from `start` microseconds on; windows fill before that. At
    `pauses` there are steps without a tuple."""
    program = stepped(plan, workload, tables, start, most, units, pauses)
    watched = watcher(Watched(plan, workload, tables, program.feed, program.program))
    before, *taken = _watched_steps(workload, program, watched, start)
    chips = _chips(workload, tables, program, watched)
    return PlanTrace(
        plan,
        tuple(watched.lines) if watched else (),
        tuple(watched.places) if watched else (),
        chips,
        before[1],
        tuple(step for _, step in taken),
        start,
        tuple(watched.pauses()) if watched else (),
        program,
        (before[0], *(state for state, _ in taken)),
    )


def _watched_steps(
    workload: Workload, program: SteppedProgram, watched: Watcher | None, start: int
) -> Iterator[tuple[bytes | None, TraceStep]]:
    """What was there before, then every step, each with the state that the kernel has after it."""
    names = _names(workload, program, watched)
    if not program.moments[0].fills:
        contents = watched.contents() if watched else {}
        nothing = SoFar(0.0, {}, {})
        labels = dict(watched.labels()) if watched else {}
        yield (
            None,
            TraceStep(start, False, (), (), _kept(contents), {}, nothing, 0, 0, None, labels),
        )
    found = 0
    for kernel in program.steps():
        events: list[Event] = []
        contents = {}
        at = kernel.moment
        if watched is not None:
            if at.fills:
                watched.fill(at.stop - at.first, at.until)
                # What was found then was perhaps not looked for.
                found = kernel.tally.results - (watched.results() or 0)
            else:
                events = watched.advance(at.stop - at.first, at.until, at.last)
            contents = _kept(watched.contents())
            _check(kernel, watched, found)
        arrivals = [] if at.fills else [n for n in names[at.first : at.stop] if n]
        yield (
            kernel.state,
            TraceStep(
                _time(program, at),
                at.last,
                tuple(arrivals),
                tuple(events),
                contents,
                kernel.counts,
                _so_far(program, kernel, start),
                kernel.tally.results,
                kernel.tally.digest,
                watched.waited() if watched else None,
                dict(watched.labels()) if watched else {},
                watched.buckets() if watched else {},
            ),
        )


def _time(program: SteppedProgram, moment: Moment) -> int:
    """A lazy join's clock goes on to its next tick when nothing more arrives."""
    return program.program.span.end if moment.last else moment.until


def _so_far(program: SteppedProgram, kernel: KernelStep, start: int) -> SoFar:
    """Costs are per second of the whole span: as those of the time that has passed."""
    span = program.program.span
    seconds = max(0.0, (_time(program, kernel.moment) - start) / 1e6)
    if not seconds:
        return SoFar(0.0, {}, kernel.tally.qualities)
    share = span.seconds / seconds
    costs = {
        name: Cost(**{part: share * value for part, value in cost.as_dict().items()})
        for name, cost in kernel.tally.costs.items()
    }
    return SoFar(seconds, costs, kernel.tally.qualities)


def _kept(contents: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {place: tuple(chips) for place, chips in contents.items()}


def _check(kernel: KernelStep, watched: Watcher, before: int) -> None:
    """The simulation must count what the kernel counts, operator by operator, and find what it
    finds but for what was found `before` the first step."""
    step = f"step of tuple {kernel.moment.stop}"
    for operator, own in watched.counts().items():
        for part, count in own.items():
            _compare(count, kernel.counts[operator][part], f"{part} of {operator}", step)
    results = watched.results()
    if results is not None:
        _compare(before + results, kernel.tally.results, "results", step)
    for query, seen in watched.qualities().items():
        measured = kernel.tally.qualities[query].as_dict()
        for figure, value in seen.as_dict().items():
            if value is not None:
                _compare(value, measured[figure], f"{figure} of {query}", step)


def _compare(drawn: float, measured: float | None, what: str, step: str) -> None:
    if measured is None or not math.isclose(drawn, measured, rel_tol=1e-9, abs_tol=1e-6):
        raise WatchError(f"what is drawn counts {drawn} {what}, the kernel {measured}", step)


def _sources(workload: Workload, watched: Watcher | None) -> list[str]:
    """What the feed's tuples are of, by number; what has no name is not shown.

    Without a watcher those of a query are known, in the order of FROM; rows that stand for keys
    come after them.
    """
    if watched is not None:
        return list(watched.sources)
    return [*(source.alias for source in workload.queries[0].sources), ""]


def _names(workload: Workload, program: SteppedProgram, watched: Watcher | None) -> list[str]:
    """The tuples of the feed as they are known on the page."""
    tuples = program.feed.tuples
    sources = _sources(workload, watched)
    of_source: Sequence[int] = tuples.source.tolist()  # type: ignore[attr-defined]
    seqs: Sequence[int] = tuples.seq.tolist()  # type: ignore[attr-defined]
    pairs = zip(of_source, seqs, strict=True)
    return [chip_id(sources[s], seq) if sources[s] else "" for s, seq in pairs]


def _chips(
    workload: Workload,
    tables: Mapping[str, Table],
    program: SteppedProgram,
    watched: Watcher | None,
) -> dict[str, Chip]:
    tuples = program.feed.tuples
    sources = _sources(workload, watched)
    inputs = {source.alias: source.name for q in workload.queries for source in q.sources}
    named = [name if name in tables else inputs.get(name, "") for name in sources]
    values = {name: values_of(tables[name]) for name in dict.fromkeys(named) if name}
    places = {
        name: {int(seq): place for place, seq in enumerate(tables[name].seq)} for name in values
    }
    found = {}
    names = _names(workload, program, watched)
    of_source: Sequence[int] = tuples.source.tolist()  # type: ignore[attr-defined]
    seqs: Sequence[int] = tuples.seq.tolist()  # type: ignore[attr-defined]
    for chip, source, seq, ts in zip(names, of_source, seqs, tuples.ts.tolist(), strict=True):
        if not (table := named[source]):
            continue
        own = values[table][places[table][seq]]
        found[chip] = Chip(chip, sources[source], ts, own)
    return found

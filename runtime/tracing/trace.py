"""A plan watched one tuple at a time: the kernel's counts and results, and what each step does.

Results and counts are those of the kernel. What happens inside a step is told by the family's
watcher, and believed only where it counts the same: a difference is a fault, with its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.errors import RunError
from planner.files.tuple_table import Table
from planner.plan.cost import UnitCosts
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.engines.registry import watcher
from runtime.engines.trace import Event, Place, Watched, Watcher, chip_id, values_of
from runtime.tracing.kernel_steps import (
    MOST_STEPS,
    CountsByOperator,
    KernelStep,
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
class TraceStep:
    """One step: the tuples that arrive, what happens, and what is there and was counted then.

    `results` and `digest` are the kernel's, over all queries since the first tuple.
    """

    ts: int
    arrivals: tuple[str, ...]
    events: tuple[Event, ...]
    contents: Mapping[str, Sequence[str]]
    counts: CountsByOperator
    results: int
    digest: int


@dataclass(frozen=True, slots=True)
class PlanTrace:
    """A plan's steps. `start` is what was there before the first of them; without a watcher there
    are no places, and steps have no events."""

    plan: Plan
    lines: tuple[str, ...]
    places: tuple[Place, ...]
    chips: Mapping[str, Chip]
    start: TraceStep
    steps: tuple[TraceStep, ...]
    begin: int
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
) -> PlanTrace:
    """Step a plan through its tuples, from `start` microseconds on; windows fill before that."""
    program = stepped(plan, workload, tables, start, most, units)
    watched = watcher(Watched(plan, workload, tables, program.feed, program.program))
    before, *taken = _watched_steps(program, watched)
    chips = _chips(workload, tables, program, watched)
    return PlanTrace(
        plan,
        tuple(watched.lines) if watched else (),
        tuple(watched.places) if watched else (),
        chips,
        before[1],
        tuple(step for _, step in taken),
        start,
        program,
        (before[0], *(state for state, _ in taken)),
    )


def _watched_steps(
    program: SteppedProgram, watched: Watcher | None
) -> Iterator[tuple[bytes | None, TraceStep]]:
    """What was there before, then every step, each with the state that the kernel has after it."""
    names = _names(program, watched)
    if program.cuts[0] == 0:
        contents = watched.contents() if watched else {}
        yield None, TraceStep(program.program.span.warmup, (), (), _kept(contents), {}, 0, 0)
    for kernel in program.steps():
        events: list[Event] = []
        contents = {}
        if watched is not None:
            events = watched.advance(kernel.stop - kernel.first, kernel.first == program.cuts[-1])
            contents = _kept(watched.contents())
            _check(kernel, watched)
        filling = kernel.first == 0 < program.cuts[0]
        tuples = program.feed.tuples
        arrivals = [] if filling else [n for n in names[kernel.first : kernel.stop] if n]
        yield (
            kernel.state,
            TraceStep(
                int(tuples.ts[max(0, kernel.stop - 1)]),
                tuple(arrivals),
                () if filling else tuple(events),
                contents,
                kernel.counts,
                kernel.tally.results,
                kernel.tally.digest,
            ),
        )


def _kept(contents: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {place: tuple(chips) for place, chips in contents.items()}


def _check(kernel: KernelStep, watched: Watcher) -> None:
    """The simulation must count what the kernel counts, operator by operator."""
    step = f"step of tuple {kernel.stop}"
    for operator, own in watched.counts().items():
        for part, count in own.items():
            measured = kernel.counts[operator][part]
            if abs(count - measured) > 1e-6:
                raise WatchError(
                    f"what is drawn counts {count} {part} of {operator}, the kernel {measured}",
                    step,
                )
    results = watched.results()
    if results is not None and results != kernel.tally.results:
        raise WatchError(
            f"what is drawn has {results} results, the kernel {kernel.tally.results}", step
        )


def _names(program: SteppedProgram, watched: Watcher | None) -> list[str]:
    """The tuples of the feed as they are known on the page."""
    tuples = program.feed.tuples
    sources = list(watched.sources) if watched else list(program.feed.rows)
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
    sources = list(watched.sources) if watched else list(program.feed.rows)
    inputs = {source.alias: source.name for q in workload.queries for source in q.sources}
    named = [name if name in tables else inputs.get(name, "") for name in sources]
    values = {name: values_of(tables[name]) for name in dict.fromkeys(named) if name}
    places = {
        name: {int(seq): place for place, seq in enumerate(tables[name].seq)} for name in values
    }
    found = {}
    names = _names(program, watched)
    of_source: Sequence[int] = tuples.source.tolist()  # type: ignore[attr-defined]
    seqs: Sequence[int] = tuples.seq.tolist()  # type: ignore[attr-defined]
    for chip, source, seq, ts in zip(names, of_source, seqs, tuples.ts.tolist(), strict=True):
        if not (table := named[source]):
            continue
        own = values[table][places[table][seq]]
        found[chip] = Chip(chip, sources[source], ts, own)
    return found

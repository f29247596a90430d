"""A plan's own program, stepped one tuple at a time in this process.

Each step is the program's `step` on a batch of one tuple (of one instant, where what arrives
together is served together), or of none: the clock goes on until a pause that was asked for. Counts
are the program's own, and the state after every step is kept: going back is exact, since a step can
be taken again from its state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from planner.errors import RunError
from planner.files.tuple_table import Table
from planner.plan.cost import COST_FIELDS, UnitCosts
from planner.plan.plan import Plan
from planner.workload.execution import Every
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Feed, Span, Split
from runtime.engines.protocol import PlanInput, Program, Tally
from runtime.engines.registry import engine

# More steps are not looked at by anybody, and each keeps its state.
MOST_STEPS = 500
# Results are counted, not kept.
_NO_ROWS = 0
_COUNTED = tuple(name for name in COST_FIELDS if name != "state_tuples")

CountsByOperator = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Moment:
    """The tuples of a step are those of the feed from `first` until `stop`; its clock stands at
    `until`. The first step may fill the windows; the last has no tuple: what waits is worked off.
    """

    first: int
    stop: int
    until: int
    fills: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True)
class KernelStep:
    """After a step: the program's state, and what it counted so far."""

    moment: Moment
    state: bytes
    totals: bytes
    counts: CountsByOperator
    tally: Tally


@dataclass(frozen=True, slots=True)
class SteppedProgram:
    """A program, the feed it is stepped through, and the moments of its steps."""

    plan: Plan
    program: Program
    feed: Feed
    moments: tuple[Moment, ...]

    def steps(self) -> Iterator[KernelStep]:
        """All steps in turn, the filling of the windows first where there is any."""
        state: bytes | None = None
        for moment in self.moments:
            step = self.step(state, moment)
            state = step.state
            yield step

    def step(self, state: bytes | None, moment: Moment) -> KernelStep:
        """One step from a state: the same state gives the same step, whenever it is taken."""
        tuples = self.feed.tuples.take(slice(moment.first, moment.stop))
        batch = Batch(tuples, moment.until, moment.last).pack()
        done = self.program.step(state, batch, 0, _NO_ROWS)
        tally = self.program.tally([done.totals], self.plan)
        return KernelStep(moment, done.state, done.totals, self._counts(tally), tally)

    def _counts(self, tally: Tally) -> CountsByOperator:
        """Costs are per second of the span: as whole counts again."""
        seconds = self.program.span.seconds
        return {
            name: {part: round(getattr(cost, part) * seconds) for part in _COUNTED}
            for name, cost in tally.costs.items()
        }


def stepped(
    plan: Plan,
    workload: Workload,
    tables: Mapping[str, Table],
    start: int = 0,
    most: int = MOST_STEPS,
    units: UnitCosts | None = None,
    pauses: Sequence[int] = (),
) -> SteppedProgram:
    """The program of a plan, to be stepped from the first tuple at `start` microseconds on.

    At `pauses`, in microseconds and in order, there is a step without a tuple.
    """
    if not 1 <= most <= MOST_STEPS:
        raise RunError(f"between 1 and {MOST_STEPS} steps can be watched", "steps")
    found = engine(plan.family)
    feed = found.feed(plan, workload)(workload, tables)
    cuts = _cuts(feed, start, most)
    if len(cuts) < 2:
        raise RunError("no tuple arrives in the time that is watched", workload.name)
    feed = Feed(feed.tuples.take(slice(0, cuts[-1])), feed.rows, feed.schema, feed.whole_instants)
    end = int(feed.tuples.ts[-1]) + 1
    if isinstance(workload.execution.evaluate, Every):
        # The tick that joins the last tuples is counted, too.
        tick = microseconds(workload.execution.evaluate.seconds)
        end = -(-end // tick) * tick
    span = Span(min(start, end - 1), end)
    split = found.split(plan, workload, 1)
    given = PlanInput(plan, workload, feed.schema, span, Split(1, split.modulus), units=units)
    program = found.compile(given)
    program.load()
    return SteppedProgram(plan, program, feed, tuple(_moments(feed, cuts, pauses)))


def _moments(feed: Feed, cuts: Sequence[int], pauses: Sequence[int]) -> Iterator[Moment]:
    """A step for each cut, with the pauses in between."""
    ts: Any = feed.tuples.ts
    end = cuts[-1]
    if cuts[0]:
        yield Moment(0, cuts[0], int(ts[cuts[0] - 1]), fills=True)
    waiting = [at for at in pauses if at > int(ts[cuts[0]])]
    for first, stop in pairwise(cuts):
        at = int(ts[stop - 1])
        yield Moment(first, stop, at)
        while waiting and (stop == end or waiting[0] < int(ts[stop])):
            yield Moment(stop, stop, waiting.pop(0))
    yield Moment(end, end, int(ts[end - 1]), last=True)


def _cuts(feed: Feed, start: int, most: int) -> tuple[int, ...]:
    """Where steps begin, and where the last one ends: between tuples, or between instants."""
    ts: Any = feed.tuples.ts
    first = int(np.searchsorted(ts, start, side="left"))
    if feed.whole_instants:
        begins = np.flatnonzero(np.diff(ts, prepend=ts[:1] - 1)) if len(ts) else np.zeros(0, int)
    else:
        begins = np.arange(len(ts))
    begins = begins[begins >= first]
    if not len(begins):
        return ()
    after = begins[most] if len(begins) > most else len(ts)
    return (*begins[:most].tolist(), int(after))

"""A run whose plan is switched while it goes on, as programs one after the other.

    batches    | 0 1 2 | 3 4 | 5 6 7 |     cut where a plan begins
    program    |   A   |  B  |   A   |     each with counters of its own
    windows    ------->----->------->      what is stored moves on (`Program.take_over`)

Each program counts from nothing; the totals of those before are kept beside its state. So a tally
is the sum of the tallies of all: every era's work is of its own plan.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from planner.plan.cost import COST_FIELDS, Cost
from planner.plan.plan import Plan
from runtime.data.batch import pack, unpack
from runtime.engines.framed import framed, unframed
from runtime.engines.protocol import BatchStep, PlanInput, Program, TakenOver, Tally


@dataclass(frozen=True)
class EraProgram(Program):
    """Programs of plans that follow each other: `eras` as JSON, each from its time `at` on.

    Times are of the stream, in microseconds, and no batch goes over one of them. `labels` and
    `roots` say which part of the run's plan is an era's.
    """

    eras: list[str]
    at: list[int]
    labels: list[str]
    roots: list[list[str]]

    @property
    def form(self) -> Any:
        """That of all plans: they have the same tuples."""
        return _program(self.eras[0]).form

    def load(self) -> None:
        for text in dict.fromkeys(self.eras):
            _program(text).load()

    def step(self, state: bytes | None, batch: bytes, partition: int, most_rows: int) -> BatchStep:
        era, inner = self._era(int(unpack(batch)[0][0])), None
        program, past = _program(self.eras[era]), _Past(era)
        if state is not None:
            own, inner = unframed(state)
            past = _Past.unpacked(own)
            if past.era != era:
                before = _program(self.eras[past.era])
                taken = program.take_over(before, inner, partition, self.at[era])
                inner, past = taken.state, past.followed_by(era, taken)
        step = program.step(inner, batch, partition, most_rows and most_rows - past.kept)
        own = past.packed()
        totals = framed([own, step.totals])
        return BatchStep(framed([own, step.state]), totals, past.kept + step.kept, step.rows)

    def _era(self, until: int) -> int:
        """Which program runs a batch that reaches this time."""
        return bisect_right(self.at, until, lo=1) - 1

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        """The sum over all eras: operators that several plans have in common are one."""
        counted: dict[int, list[bytes]] = {}
        moved: dict[int, Cost] = {}
        for own, now in map(unframed, totals):
            past = _Past.unpacked(own)
            for era, done in [*past.totals, (past.era, now)]:
                counted.setdefault(era, []).append(done)
            for era, work in past.moved:
                moved[era] = moved.get(era, Cost()) + work
        whole = reduce(
            _added,
            (
                _program(self.eras[era]).tally(done, self._plan(era, plan), reached)
                for era, done in sorted(counted.items())
            ),
        )
        if len(counted) > 1:
            every = [done for era in sorted(counted) for done in counted[era]]
            whole = _program(self.eras[max(counted)]).of_all_eras(whole, every, reached)
        costs: Mapping[str, Cost] = {}
        if whole.costs:
            costs = {op.id: whole.costs.get(op.id, Cost()) for op in plan.operators()}
        return replace(whole, costs=costs, moved={self.at[era]: moved[era] for era in moved})

    def _plan(self, era: int, plan: Plan) -> Plan:
        """The part of the run's plan that is this era's."""
        roots = tuple(root for root in plan.roots if root.id in self.roots[era])
        return Plan(plan.family, self.labels[era], roots)


def eras_compiled(compiled: Callable[[PlanInput], Program], given: PlanInput) -> EraProgram:
    """The plans of all stages, each compiled by itself."""
    programs = [
        compiled(replace(given, plan=stage.plan, workload=stage.workload, stages=()))
        for stage in given.stages
    ]
    return EraProgram(
        eras=[program.to_json() for program in programs],
        at=[given.begin + (stage.at or 0) for stage in given.stages],
        labels=[stage.plan.label for stage in given.stages],
        roots=[[root.id for root in stage.plan.roots] for stage in given.stages],
        span=given.span,
        partitions=programs[0].partitions,
    )


@lru_cache(maxsize=32)
def _program(text: str) -> Program:
    # The registry knows the engines, which know this module.
    from runtime.engines.registry import program_from_json

    return program_from_json(text)


@dataclass(frozen=True, slots=True)
class _Past:
    """The era that runs, and what those before it counted: totals, work of moving, rows kept."""

    era: int
    kept: int = 0
    totals: tuple[tuple[int, bytes], ...] = ()
    moved: tuple[tuple[int, Cost], ...] = ()

    def followed_by(self, era: int, taken: TakenOver) -> _Past:
        """What is past when another era begins."""
        return _Past(
            era,
            self.kept + taken.kept,
            (*self.totals, (self.era, taken.totals)),
            (*self.moved, (era, taken.moved)),
        )

    def packed(self) -> bytes:
        """As one binary value."""
        numbers = np.array([self.era, self.kept, *(era for era, _ in self.totals)], np.int64)
        work = [[getattr(cost, name) for name in COST_FIELDS] for _, cost in self.moved]
        counts = np.array(work, np.float64).reshape(-1, len(COST_FIELDS))
        began = np.array([era for era, _ in self.moved], np.int64)
        return framed([pack([numbers, began, counts]), *(done for _, done in self.totals)])

    @classmethod
    def unpacked(cls, whole: bytes) -> _Past:
        """What `packed` made."""
        arrays, *totals = unframed(whole)
        numbers, began, counts = unpack(arrays)
        era, kept, *ended = numbers.tolist()
        moved = tuple((int(e), Cost(*row)) for e, row in zip(began, counts.tolist(), strict=True))
        return cls(era, kept, tuple(zip(ended, totals, strict=True)), moved)


def _added(before: Tally, after: Tally) -> Tally:
    """Two eras together: answers and work add up, and what is there now is the later one's."""
    by_query = {
        name: (
            before.by_query[name][0] + after.by_query[name][0],
            (before.by_query[name][1] + after.by_query[name][1]) % 2**64,
        )
        for name in after.by_query
    }
    names = dict.fromkeys([*before.costs, *after.costs])
    return replace(
        after,
        results=before.results + after.results,
        digest=(before.digest + after.digest) % 2**64,
        comparisons=before.comparisons + after.comparisons,
        kernel_seconds=before.kernel_seconds + after.kernel_seconds,
        replicated_inserts=before.replicated_inserts + after.replicated_inserts,
        costs={
            name: before.costs.get(name, Cost()) + after.costs.get(name, Cost()) for name in names
        },
        recomputations=_sums(before.recomputations, after.recomputations),
        by_query=by_query,
    )


def _sums(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: one.get(name, 0.0) + other.get(name, 0.0) for name in {**one, **other}}

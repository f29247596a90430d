"""What the Teach page sees of a star join: its memories, who probes them, and who is shed.

The simulation is the planner's own, which predicts what policies find.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.families.load_shedding.labels import EXACT, OFFLINE
from planner.families.load_shedding.simulation.policies import POLICIES, NoChoice
from planner.families.load_shedding.simulation.run import SheddingSimulation
from planner.families.load_shedding.simulation.settings import (
    EXPIRED,
    NO_MATCH,
    NOT_ADMITTED,
    RELATION_ENDED,
    REPLACED,
    Settings,
)
from planner.families.load_shedding.simulation.simulate import Simulation
from planner.families.load_shedding.simulation.state import InstantChange
from planner.families.load_shedding.star import star_of
from planner.families.load_shedding.star_tuples import MILLIONTHS
from planner.plan.cost import Quality
from runtime.engines.trace import Counts, Event, Place, Watched, Watcher, WatcherBase, chip_id

LEAVE, CHOOSE, PROBE, STORE = range(4)
_LINES = (
    "Tuples that are too old, or whose row of the relation has ended, leave the memory.",
    "If a new tuple does not fit in, the policy chooses who is not kept.",
    "Each new tuple is compared with what is kept of the other streams, even if it is not kept.",
    "New tuples that were chosen are stored.",
)
_WHY = {
    EXPIRED: "too old",
    RELATION_ENDED: "its row has ended",
    REPLACED: "makes room for a new tuple",
    NOT_ADMITTED: "not kept",
    NO_MATCH: "no row of the relation joins it",
}


class _WatchedRun(SheddingSimulation):
    """The simulated run, with what happens at an instant."""

    events: list[Event]
    names: list[list[str]]
    aliases: list[str]

    def step(self, number: int, change: InstantChange) -> None:
        before = [set(held) for held in self.state.held]
        super().step(number, change)
        for arm, held in enumerate(self.state.held):
            for new in held:
                if new not in before[arm]:
                    chip = self.names[arm][new]
                    self.events.append(Event("insert", STORE, chip, "", self.aliases[arm]))

    def _drop(self, arm: int, old: int, reason: str, left: int) -> None:
        super()._drop(arm, old, reason, left)
        place, chip = self.aliases[arm], self.names[arm][old]
        if reason == REPLACED:
            self.events.append(Event("shed", CHOOSE, chip, place, note=_WHY[reason]))
        else:
            self.events.append(Event("expire", LEAVE, chip, place, note=_WHY[reason]))

    def _choice(self, arm: int, change: InstantChange) -> tuple[list[int], list[int]]:
        reasons = dict(self.evictions[arm])
        dropped, entered = super()._choice(arm, change)
        no_match = self.evictions[arm][NO_MATCH] - reasons[NO_MATCH]
        for new in change.arrivals[arm]:
            if new not in entered:
                has_row = bool(self.state.active[arm][self.instants.key[arm][new]])
                why = NO_MATCH if no_match and not has_row else NOT_ADMITTED
                chip = self.names[arm][new]
                self.events.append(Event("shed", CHOOSE, chip, self.aliases[arm], note=_WHY[why]))
        return dropped, entered

    def _probe(
        self, arm: int, new: int, change: InstantChange, by_arm: Sequence[dict[int, int]]
    ) -> None:
        results = self.results
        super()._probe(arm, new, change, by_arm)
        rows = self.state.active[arm][self.instants.key[arm][new]]
        for other in self.instants.others[arm] if rows else ():
            together = change.arrivals[other] if other < arm else ()
            keys = {self.instants.rows[row][other] for row in rows}
            valid = {u for row in rows for u in self.state.valid(other, row)}
            valid |= {u for u in together if self.instants.key[other][u] in keys}
            looked = [*self.state.held[other], *together]
            examined, matched = (
                tuple(self.names[other][u] for u in some)
                for some in (looked, [u for u in looked if u in valid])
            )
            self.events.append(
                Event(
                    "probe", PROBE, self.names[arm][new], self.aliases[other], "", examined, matched
                )
            )
        if self.results > results:
            chip, found = self.names[arm][new], self.results - results
            note = f"{found} result{'' if found == 1 else 's'}"
            self.events.append(Event("emit", PROBE, chip, matched=(chip,), note=note))


class StarWatcher(WatcherBase):
    """A star join under a policy, watched; a step is an instant."""

    lines: tuple[str, ...] = _LINES

    def __init__(self, given: Watched) -> None:
        workload, star = given.workload, star_of(given.workload)
        shedding, span = workload.execution.shedding, given.program.span
        settings = Settings(
            shedding.alpha, shedding.beta, shedding.prefilter, workload.run.seed, None,
            span.warmup, span.end,
        )  # fmt: skip
        simulation = Simulation(star, given.tables)
        policy, shares = given.plan.label, [arm.share for arm in star.arms]
        if policy == EXACT:
            self._run = _WatchedRun(simulation.instants, None, NoChoice, settings)
        elif policy in OFFLINE:
            leaves = simulation.leaves(policy, settings, shares)
            self._run = _WatchedRun(simulation.instants, shares, NoChoice, settings, leaves)
        else:
            self._run = _WatchedRun(simulation.instants, shares, POLICIES[policy], settings)
        (query,) = workload.queries
        self.sources = tuple(source.alias for source in query.sources)
        if star.relation is None:
            # Streams then meet through rows that stand for keys.
            self.sources = (*self.sources, "")
        self._aliases = [arm.source.alias for arm in star.arms]
        self._run.aliases = self._aliases
        self._run.names = [
            [
                chip_id(own.arm.source.alias, int(given.tables[own.arm.source.name].seq[row]))
                for row in own.row.tolist()
            ]
            for own in simulation.tuples.arms
        ]
        keeps = {
            str(op.param("source")): op.id for op in given.plan.operators() if op.kind == "keep"
        }
        self.places = tuple(
            Place(
                alias,
                f"{alias} memory",
                keeps.get(alias, ""),
                None if policy == EXACT else share,
            )
            for alias, share in zip(self._aliases, shares, strict=True)
        )
        self._plan, self._query = given.plan, query.name
        self._ts: list[int] = given.feed.tuples.ts.tolist()
        self._at = self._change = 0

    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """The instants up to the last tuple that is taken."""
        del until, last
        self._run.events = []
        self._at += count
        changes = self._run.instants.changes
        reached = self._ts[self._at - 1] if self._at else -1
        while self._change < len(changes) and changes[self._change].ts <= reached:
            self._run.step(self._change, changes[self._change])
            self._change += 1
        return self._run.events

    def contents(self) -> dict[str, list[str]]:
        """What is kept."""
        pairs = enumerate(zip(self._aliases, self._run.state.held, strict=True))
        return {alias: [self._run.names[arm][u] for u in held] for arm, (alias, held) in pairs}

    def counts(self) -> Counts:
        """Of what is kept and probed."""
        by_alias = dict(zip(self._aliases, self._run.counts, strict=True))
        found: dict[str, dict[str, float]] = {}
        for op in self._plan.operators():
            params: dict[str, Any] = dict(op.params)
            counts = by_alias.get(str(params.get("origin", params.get("source"))))
            if counts is None:
                continue
            if op.kind == "keep":
                found[op.id] = {
                    "comparisons": counts.compared,
                    "inserts": counts.admitted,
                    "expirations": counts.expiry_checks,
                }
            elif op.kind == "probe":
                found[op.id] = {"comparisons": counts.probed, "rows_out": counts.found}
        return found

    def results(self) -> int:
        """As many as were found."""
        return self._run.results

    def qualities(self) -> dict[str, Quality]:
        """The importance of what was found."""
        return {self._query: Quality(importance=self._run.importance / MILLIONTHS)}


def watcher(given: Watched) -> Watcher | None:
    """None where tuples wait for a processor: that is measured, not simulated."""
    return None if given.program.join.processor is not None else StarWatcher(given)

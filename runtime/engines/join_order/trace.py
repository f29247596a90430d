"""What the Teach page sees of a join: windows, probes of them in turn, and what leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from planner.plan.loop_orders import pipelines
from runtime.engines.join_order.simulation import JoinWatch, LoopSimulation
from runtime.engines.trace import (
    Counts,
    Event,
    Place,
    TracedTuple,
    Watched,
    WatcherBase,
    chip_id,
    members,
    values_of,
    window_title,
)

FILLS_QUICKLY = True


class _Algorithm(NamedTuple):
    """Its lines in the order in which they are executed, and which of them does what."""

    lines: tuple[str, ...]
    expire: int
    probe: int
    emit: int
    insert: int


_EAGER = _Algorithm(
    (
        "Drop every stored tuple that is now too old for its window.",
        "Compare the new tuple with the next window of its order; continue with each match.",
        "A match in every window is a result.",
        "Store the new tuple in its own window.",
    ),
    expire=0, probe=1, emit=2, insert=3,
)  # fmt: skip
_LAZY = _Algorithm(
    (
        "Between ticks: only store the new tuple.",
        "At a tick: compare the tuples that came since the last tick, window by window.",
        "All members were in their windows when the last one arrived: a result.",
        "After that: drop what is too old for its window.",
    ),
    insert=0, probe=1, emit=2, expire=3,
)  # fmt: skip


def _chip(member: TracedTuple) -> str:
    return chip_id(member.alias, member.seq)


class _JoinRecorder(JoinWatch):
    def __init__(self, algorithm: _Algorithm) -> None:
        self.algorithm = algorithm
        self.events: list[Event] = []
        self.waits: list[int] = []
        self._now: int | None = None

    def ticked(self, now: int, fresh: int) -> None:
        self._now = now
        came = f"{fresh} tuple{' has' if fresh == 1 else 's have'} come since the last tick"
        note = f"ticks at {now / 1e6:g} s: {came}"
        self.events.append(Event("check", self.algorithm.probe, "The clock", note=note))

    def expired(self, alias: str, gone: Sequence[TracedTuple]) -> None:
        self.events += [Event("expire", self.algorithm.expire, _chip(u), alias) for u in gone]

    def probed(
        self,
        bound: Sequence[TracedTuple],
        alias: str,
        examined: Sequence[TracedTuple],
        fitting: Sequence[TracedTuple],
    ) -> None:
        by = " + ".join(map(_chip, bound))
        looked, matched = (tuple(map(_chip, some)) for some in (examined, fitting))
        self.events.append(Event("probe", self.algorithm.probe, by, alias, "", looked, matched))

    def found(self, members: Mapping[str, TracedTuple]) -> None:
        parts = tuple(map(_chip, members.values()))
        last = max(member.ts for member in members.values())
        # A lazy join is run at a tick; without a clock a result is there at once.
        self.waits.append(0 if self._now is None else max(0, self._now - last))
        self.events.append(Event("emit", self.algorithm.emit, matched=parts))

    def inserted(self, member: TracedTuple) -> None:
        chip = _chip(member)
        self.events.append(Event("insert", self.algorithm.insert, chip, "", member.alias))


class JoinWatcher(WatcherBase):
    """A join by nested loops, watched."""

    def __init__(self, given: Watched) -> None:
        workload, plan = given.workload, given.plan
        (query,) = workload.queries
        self._plan = plan
        self._seen = _JoinRecorder(_EAGER)
        chains = pipelines(plan)
        orders = {
            origin: [str(op.param("source")) for op in chain] for origin, chain in chains.items()
        }
        access: dict[str, tuple[str, int | str]] = {s.alias: ("scan", 1) for s in query.sources}
        inserts = {}
        for op in plan.operators():
            params = dict(op.params)
            if op.kind == "insert":
                inserts[str(params["source"])] = op.id
            if op.kind in ("insert", "probe") and params.get("access") == "hash":
                buckets = params["buckets"]
                at = buckets if isinstance(buckets, str) else int(buckets)
                access[str(params["source"])] = ("hash", at)
        schema, span = given.feed.schema, given.program.span
        codes: Sequence[int] = schema.codes  # type: ignore[attr-defined]
        self._simulation = LoopSimulation(
            workload, orders, access, codes, span.warmup, span.end, self._seen
        )
        if self._simulation.lazy:
            self._seen.algorithm = _LAZY
        self.lines = self._seen.algorithm.lines
        self.sources = tuple(source.alias for source in query.sources)
        self.places = tuple(
            Place(s.alias, window_title(s), inserts.get(s.alias, "")) for s in query.sources
        )
        values = {s.name: values_of(given.tables[s.name]) for s in query.sources}
        self._arrivals = members(workload, given.feed.tuples, values)

    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """Take the next tuples; at the end, let the clock run out."""
        del until
        self._seen.events = []
        for member in islice(self._arrivals, count):
            self._simulation.arrive(member)
        if last:
            self._simulation.finish()
        return self._seen.events

    def fill(self, count: int, until: int) -> None:
        """Windows are the same whether they are probed or not."""
        self._simulation.probes = False
        self.advance(count, until, False)
        self._simulation.probes = True

    def contents(self) -> dict[str, list[str]]:
        """The windows."""
        return {a: [_chip(u) for u in held] for a, held in self._simulation.window.items()}

    def buckets(self) -> dict[str, dict[str, str]]:
        """Those of windows that are hashed."""
        found = {
            alias: [(_chip(u), self._simulation.bucket(alias, u)) for u in held]
            for alias, held in self._simulation.window.items()
        }
        return {
            alias: {chip: str(bucket) for chip, bucket in own}
            for alias, own in found.items()
            if own and own[0][1] is not None
        }

    def counts(self) -> Counts:
        """Of probes, stores and expiries."""
        simulation, found = self._simulation, {}
        for op in self._plan.operators():
            params, own = dict(op.params), {}
            if op.kind == "probe":
                at = str(params["origin"]), int(params["step"])
                own = {"comparisons": simulation.examined[at], "rows_out": simulation.matched[at]}
            if op.kind in ("insert", "table"):
                own["inserts"] = simulation.inserts[str(params["source"])]
            if op.kind in ("expire", "table"):
                own["expirations"] = simulation.expirations[str(params["source"])]
            found[op.id] = own
        return found

    def waited(self) -> float | None:
        """How long results have waited for the clock, on average, in seconds."""
        waits = self._seen.waits
        return sum(waits) / len(waits) / 1e6 if waits else None

    def results(self) -> int:
        """As many as there were combinations."""
        return len(self._simulation.results)


watcher = JoinWatcher

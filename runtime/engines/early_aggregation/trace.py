"""What the Teach page sees of an aggregation: windows, aggregation sets, and the groups."""

from __future__ import annotations

from itertools import islice

from planner.files.tuple_table import LAST
from planner.plan.plan import Operator
from runtime.engines.early_aggregation.simulation import (
    FOREVER,
    AggregationSimulation,
    AggregationWatch,
    Entry,
    Tuple,
)
from runtime.engines.trace import (
    Counts,
    Event,
    Place,
    Watched,
    WatcherBase,
    chip_id,
    members,
    values_of,
    window_title,
)

LEAVE, STORE, PROBE, UPDATE = range(4)
_LINES = (
    "Every tuple that is too old leaves its window (and its aggregation set), and is undone.",
    "The new tuple enters its window; an aggregation set adds it to its group.",
    "It probes the other windows. Where there is an aggregation set, a group is one entry.",
    "Each combination that is found updates its group of the answer.",
)
ANSWER = "answer"
_UPDATED = ("comparisons", "group_updates", "rows_out")
# By kind of operator what the simulation counts of it.
_COUNTED = {
    "probe": _UPDATED,
    "aggregate": _UPDATED,
    "update": _UPDATED,
    "output": _UPDATED,
    "insert": ("inserts",),
    "expire": ("expirations",),
    "table": ("inserts", "expirations"),
}


def _group(alias: str, key: tuple[int, ...]) -> str:
    return f"{alias}⟨{', '.join(map(str, key))}⟩"


class _AggregationRecorder(AggregationWatch):
    def __init__(self) -> None:
        self.events: list[Event] = []

    def entered(self, alias: str, one: Tuple, cell: tuple[int, ...] | None) -> None:
        self.events.append(Event("insert", STORE, one.name, "", alias))
        if cell is not None:
            self.events.append(Event("update", STORE, _group(alias, cell), f"{alias} set"))

    def left(self, alias: str, one: Tuple, cell: tuple[int, ...] | None) -> None:
        self.events.append(Event("expire", LEAVE, one.name, alias))
        if cell is not None:
            self.events.append(Event("update", LEAVE, _group(alias, cell), f"{alias} set"))

    def probed(
        self, step: Operator, by: dict[str, Tuple], examined: list[Entry], fitting: list[Entry]
    ) -> None:
        alias, is_set = str(step.param("source")), step.param("content") == "set"

        def chip(entry: Entry) -> str:
            return self.cell(alias, entry[0]) if is_set else entry[0].name

        looked, matched = (tuple(map(chip, some)) for some in (examined, fitting))
        place = f"{alias} set" if is_set else alias
        who = " ".join(one.name for one in by.values())
        self.events.append(Event("probe", PROBE, who, place, "", looked, matched))

    def updated(self, key: tuple[int, ...], rows: int) -> None:
        note = f"{rows:+d} row{'' if abs(rows) == 1 else 's'}"
        self.events.append(Event("update", UPDATE, _group("", key), ANSWER, note=note))

    def cell(self, alias: str, one: Tuple) -> str:
        return _group(alias, tuple(one.values[name] for name in self.early[alias]))

    early: dict[str, list[str]]


class AggregationWatcher(WatcherBase):
    """A late or early aggregation, watched."""

    lines: tuple[str, ...] = _LINES

    def __init__(self, given: Watched) -> None:
        workload = given.workload
        (query,) = workload.queries
        self._seen = _AggregationRecorder()
        self._simulation = AggregationSimulation(workload, given.plan, 1_000_000, self._seen)
        self._simulation.warmup = given.program.span.warmup
        self._seen.early = self._simulation.early
        self.sources = tuple(source.alias for source in query.sources)
        stores = {
            (op.kind, str(op.param("source"))): op.id
            for op in given.plan.operators()
            if op.kind in ("insert", "aggregate")
        }
        places = []
        for s in query.sources:
            places.append(Place(s.alias, window_title(s), stores.get(("insert", s.alias), "")))
            if s.alias in self._simulation.early:
                by = ", ".join(self._simulation.early[s.alias]) or "one group"
                title = f"{s.alias} aggregation set by {by}"
                own = stores["aggregate", s.alias]
                places.append(Place(f"{s.alias} set", title, own, groups=True))
        update = next((op.id for op in given.plan.operators() if op.kind == "update"), "")
        self.places = (*places, Place(ANSWER, "Groups of the answer", update, groups=True))
        values = {s.name: values_of(given.tables[s.name]) for s in query.sources}
        self._arrivals = members(workload, given.feed.tuples, values)

    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """Take the next tuples."""
        del until, last
        self._seen.events = []
        for one in islice(self._arrivals, count):
            name = chip_id(one.alias, one.seq)
            ends = one.until if 0 < one.until < LAST else FOREVER
            self._simulation.arrive(
                one.alias, Tuple(one.ts, dict(one.values), name, one.keys, ends, one.rank)
            )
        return self._seen.events

    def contents(self) -> dict[str, list[str]]:
        """Windows, sets and groups."""
        found = {}
        for alias, holder in self._simulation.holders.items():
            found[alias] = [one.name for one in holder.tuples]
            if alias in self._simulation.early:
                found[f"{alias} set"] = [_group(alias, cell) for cell in holder.cells]
        found[ANSWER] = [_group("", key) for key in self._simulation.groups]
        return found

    def labels(self) -> dict[str, str]:
        """How many tuples an entry of a set stands for, and how many rows a group has."""
        found = {
            _group(alias, cell): f"×{len(members)}"
            for alias, holder in self._simulation.holders.items()
            for cell, members in holder.cells.items()
        }
        rows = self._simulation.groups
        return found | {_group("", key): f"{count} rows" for key, count in rows.items()}

    def counts(self) -> Counts:
        """Of all operators but those that only pass tuples on."""
        counted = self._simulation.counted
        return {
            name: {part: counted[name, part] for part in _COUNTED[op.kind]}
            for name, op in self._simulation.operators.items()
            if op.kind in _COUNTED
        }

    def results(self) -> int:
        """Groups that are there, and those of blocks that have ended."""
        return self._simulation.closed + len(self._simulation.groups)


watcher = AggregationWatcher

"""What is looked at inside a step of a program, for those who watch a plan work.

Kernels count what they do and do not say which tuples they looked at. A family's watcher is a plain
simulation of the same semantics, one tuple at a time: it yields events and its own counts, which
the tracer compares with those of the kernel after every step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from planner.files.tuple_table import Table
from planner.plan.cost import Quality
from planner.plan.plan import Plan
from planner.workload.query import CountWindow, Source, TimeWindow, TumblingWindow
from planner.workload.workload import Workload
from runtime.data.feed import Feed

# What an event does to tuples: they leave, are compared, enter, go from place to place, are not
# kept, wait for the server, or become a result; a group is updated.
EventKind = Literal["expire", "probe", "insert", "move", "shed", "wait", "emit", "update", "check"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where tuples are: a window, a slice, an aggregation set, a queue or a memory.

    `operator` is the id of the operator that it belongs to, `room` how many tuples it may keep.
    """

    id: str
    title: str
    operator: str = ""
    room: int | None = None
    # Chips of a place are tuples, or groups that are made of tuples.
    groups: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens: `line` is the line of the algorithm, `chip` the tuple that acts.

    `place` is where, `to` where it goes; of a probe `examined` are the tuples that were compared,
    and `matched` those of them that fit.
    """

    kind: EventKind
    line: int
    chip: str = ""
    place: str = ""
    to: str = ""
    examined: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    note: str = ""


# By operator id and part of a cost: what was counted so far.
Counts = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watcher is made of: the plan, the tuples, and the feed that the program is given."""

    plan: Plan
    workload: Workload
    tables: Mapping[str, Table]
    feed: Feed
    program: Any


class Watcher(Protocol):
    """A plain simulation of one plan, stepped like its program: so many tuples of the feed more.

    `lines` is the algorithm in plain words, `sources` the names of what the feed's tuples are of;
    what has no name is not shown.
    """

    lines: tuple[str, ...]
    places: tuple[Place, ...]
    sources: tuple[str, ...]

    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """Take the next tuples of the feed, and let the clock go on until then, in microseconds;
        `last`: nothing comes after them."""

    def fill(self, count: int, until: int) -> None:
        """The same before the first step: what happens then is not looked at, nor what is found."""

    def contents(self) -> Mapping[str, Sequence[str]]:
        """By place its tuples, the oldest first."""

    def counts(self) -> Counts:
        """What it counted so far; what is not there is not compared."""

    def results(self) -> int | None:
        """The results so far; None where the kernel counts them at another time."""

    def qualities(self) -> Mapping[str, Quality]:
        """What is known of queries so far; what is None is not compared."""

    def labels(self) -> Mapping[str, str]:
        """What is written on chips that are no tuples."""

    def buckets(self) -> Mapping[str, Mapping[str, str]]:
        """By place that is hashed the bucket of each of its tuples."""

    def waited(self) -> float | None:
        """How long results waited to be delivered after their last tuple, on average in seconds."""

    def pauses(self) -> Sequence[int]:
        """When something happened between tuples, in microseconds."""


class WatcherBase(ABC):
    """What most watchers have in common: nothing is known of the quality of answers, and nothing
    happens between tuples."""

    @abstractmethod
    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """The next tuples, and all that happens with them."""

    def fill(self, count: int, until: int) -> None:
        """Windows fill as they do in any step."""
        self.advance(count, until, False)

    def qualities(self) -> Mapping[str, Quality]:
        """Nothing."""
        return {}

    def labels(self) -> Mapping[str, str]:
        """Nothing."""
        return {}

    def buckets(self) -> Mapping[str, Mapping[str, str]]:
        """None."""
        return {}

    def waited(self) -> float | None:
        """Not known."""
        return None

    def pauses(self) -> Sequence[int]:
        """None."""
        return ()


def window_title(source: Source) -> str:
    """A window as people call it, with how much it holds."""
    window = source.window
    if window is None:
        return f"{source.alias} relation"
    if isinstance(window, TimeWindow):
        reach = f"last {window.seconds:g} s"
    elif isinstance(window, CountWindow):
        reach = f"last {window.rows} tuples"
    elif isinstance(window, TumblingWindow):
        reach = f"blocks of {window.seconds:g} s"
    else:
        reach = "everything so far"
    return f"{source.alias} window ({reach})"


def chip_id(source: str, seq: int) -> str:
    """How a tuple is known on the page: by what it is of and its number, from 1."""
    return f"{source}·{seq + 1}"


def values_of(table: Table) -> list[dict[str, Any]]:
    """The rows of a table as Python values; a missing one is None."""
    columns = {}
    for name, column in table.columns.items():
        values = column.values.tolist()
        if column.valid is not None:
            pairs = zip(values, column.valid.tolist(), strict=True)
            values = [value if valid else None for value, valid in pairs]
        columns[name] = values
    return [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ] or [{} for _ in range(len(table))]


@dataclass(frozen=True, slots=True)
class TracedTuple:
    """A tuple, or a row of a relation that begins; `rank` is its place in the order of arrival.

    `keys` are by class of equal attributes; a row ends at `until`.
    """

    rank: int
    alias: str
    seq: int
    ts: int
    keys: Sequence[int]
    values: Mapping[str, Any]
    until: int = 0


def members(
    workload: Workload, tuples: Any, values: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[TracedTuple]:
    """The tuples of a join's feed, in order of arrival; `values` are by stream or relation."""
    (query,) = workload.queries
    places = tuples.place if hasattr(tuples, "place") else tuples.seq
    keys = tuples.keys if hasattr(tuples, "keys") else tuples.key[:, None]
    until = getattr(tuples, "until", None)
    for rank in range(len(tuples.ts)):
        source = query.sources[int(tuples.source[rank])]
        place = int(places[rank])
        yield TracedTuple(
            rank,
            source.alias,
            int(tuples.seq[rank]),
            int(tuples.ts[rank]),
            keys[rank].tolist(),
            values[source.name][place],
            int(until[rank, 0]) if until is not None and until.shape[1] else 0,
        )

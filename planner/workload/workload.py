"""The workload: everything a plan or a run depends on, frozen and checked when made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace

from planner.errors import PlanError
from planner.workload.arrival_shapes import Swap
from planner.workload.execution import Execution, RunSettings, Statistics
from planner.workload.query import CountWindow, Query, Source, TimeWindow, TumblingWindow, Window
from planner.workload.streams import Relation, Stream
from planner.workload.validation import MAX_QUERIES, listed, name_of, suggestion, unique


@dataclass(frozen=True, slots=True)
class Workload:
    """Everything a plan or a run depends on."""

    name: str
    streams: tuple[Stream, ...]
    queries: tuple[Query, ...]
    relations: tuple[Relation, ...] = ()
    execution: Execution = field(default_factory=Execution)
    statistics: Statistics = field(default_factory=Statistics)
    run: RunSettings = field(default_factory=RunSettings)
    description: str = field(default="", compare=False)
    # Worked out when it is first asked for: of hundreds of queries it takes a while.
    _digest: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        name_of(self.name, "name")
        if not self.streams:
            raise PlanError("has no stream; declare at least one", "streams")
        if not self.queries:
            raise PlanError("has no query; write at least one", "queries")
        if len(self.queries) > MAX_QUERIES:
            raise PlanError(f"{len(self.queries)} queries; at most {MAX_QUERIES}", "queries")
        unique(
            [s.name for s in self.streams] + [r.name for r in self.relations],
            "streams and relations",
        )
        unique([q.name for q in self.queries], "queries")
        for stream in self.streams:
            if isinstance(stream.arrivals.shape, Swap):
                self._check_swap(stream, stream.arrivals.shape)

    def _check_swap(self, stream: Stream, swap: Swap) -> None:
        others = {s.name: s.rate for s in self.streams if s.name != stream.name}
        place = f"streams.{stream.name}.arrivals.swap.with"
        if swap.other not in others:
            raise PlanError(
                f"no other stream {swap.other!r}{suggestion(swap.other, list(others))}", place
            )
        if others[swap.other] is None:
            raise PlanError(f"{swap.other} has no rate; declare it", place)

    def stream(self, name: str) -> Stream:
        for stream in self.streams:
            if stream.name == name:
                return stream
        raise PlanError(f"no stream {name!r}; there are {listed(s.name for s in self.streams)}")

    def query(self, name: str) -> Query:
        for query in self.queries:
            if query.name == name:
                return query
        raise PlanError(f"no query {name!r}; there are {listed(q.name for q in self.queries)}")

    def only(self, query: str | None) -> Workload:
        """The workload with this query alone; itself when none is named.

        A warm-up that is not stated stays that of the whole workload, so that every query of it is
        run on the same tuples.
        """
        if query is None or [known.name for known in self.queries] == [query]:
            return self
        run = self.run
        if run.warmup is None and len(self.queries) > 1:
            run = replace(run, warmup=self.longest_window)
        return replace(self, queries=(self.query(query),), run=run)

    @property
    def longest_window(self) -> float:
        """The longest window of any query, in seconds: a count window's are those its rows take."""
        return max((self.window_seconds(s) for q in self.queries for s in q.sources), default=0.0)

    @property
    def warmup(self) -> float:
        """The stated warm-up, or the longest window: its seconds, or the time its rows take."""
        return self.longest_window if self.run.warmup is None else self.run.warmup

    @property
    def middle(self) -> float:
        """The middle of what is measured: what grows all the time has no other mean."""
        return self.warmup + self.run.duration / 2

    def window_seconds(self, source: Source) -> float:
        """How long a tuple may stay in a window; 0 where it never leaves."""
        window = source.window
        if isinstance(window, TimeWindow | TumblingWindow):
            return window.seconds
        if isinstance(window, CountWindow):
            return window.rows / (self.stream(source.name).rate or 1.0)
        return 0.0

    @property
    def digest(self) -> str:
        """The same for equal workloads in every process, whatever they are called."""
        if not self._digest:
            content = plain(replace(self, name="-"))
            text = json.dumps(content, sort_keys=True, ensure_ascii=False)
            digest = hashlib.blake2s(text.encode(), digest_size=12).hexdigest()
            object.__setattr__(self, "_digest", digest)
        return self._digest


def plain(value: object) -> object:
    """What a dataclass is compared by, as plain dicts and lists; equal values give equal ones.

    Each kind of window stands under its type's name.
    """
    if is_dataclass(value) and not isinstance(value, type):
        members = {
            f.name: plain(getattr(value, f.name))
            for f in fields(value)
            if f.compare and not ("later" in f.metadata and getattr(value, f.name) == f.default)
        }
        return {"type": type(value).__name__, **members} if isinstance(value, Window) else members
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    # 10 and 10.0 are equal, so they must not differ in a digest.
    return int(value) if isinstance(value, float) and value.is_integer() else value

"""A processor that takes time, in plain Python: who waits, who is dropped, who is served when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from tests.oracles.shedding import Item, Row, Shed


@dataclass(slots=True)
class Served(Shed):
    """A join under a policy on a processor that takes so many microseconds for a comparison and for
    a result. `access` is how rows are found: none where streams meet without a relation."""

    access: str | None = None
    compare: float = 0.0
    output: float = 0.0
    buffer: float = inf
    waiting: list[Item] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    clock: float = -inf
    compared: int = 0
    last_served: float = -inf

    def run(self) -> Served:
        self.evictions = [Counter() for _ in self.arms]
        self.kept = [[] for _ in self.arms]
        for now in sorted({item.ts for arm in self.arms for item in arm}):
            self._serve(now)
            for item in [item for arm in self.arms for item in arm if item.ts == now]:
                self.waiting.append(item)
                if len(self.waiting) > self.buffer:
                    victim = min(self.waiting, key=self._worth)
                    self.waiting.remove(victim)
                    self.evictions[victim.arm]["processor short"] += 1
        self._serve(inf)
        return self

    def _serve(self, until: float) -> None:
        """Those whose service begins by then, each instant whole."""
        while self.waiting:
            now = self.waiting[0].ts
            start = max(self.clock, float(now))
            if start > until:
                return
            group = [item for item in self.waiting if item.ts == now]
            del self.waiting[: len(group)]
            self.waits += [start - now] * len(group)
            compared, results = self.compared, len(self.results)
            self._look_up(group)
            self._instant(now, [[i for i in group if i.arm == n] for n in range(len(self.arms))])
            self.last_served = now
            work = self.compared - compared, len(self.results) - results
            self.clock = start + work[0] * self.compare + work[1] * self.output

    def _look_up(self, group: Sequence[Item]) -> None:
        for item in group:
            whole = [row for row in self.rows if row.is_whole and row.is_active(item.ts)]
            if self.access == "scan":
                self.compared += len(whole)
            elif self.access == "index":
                self.compared += sum(row.joins(item) for row in whole)

    def _worth(self, item: Item) -> tuple[float, ...]:
        """What it is worth by what was kept when the last tuple was served."""
        if self.policy == "SIMP-S":
            return (item.importance,)
        matches = self._matches(item, self.kept, [r for r in self.rows if r.end > self.last_served])
        ties = (matches,) if self.policy == "DGL-S" else ()
        return (item.importance * matches, item.importance, *ties)

    def _rank(self, item: Item, matches: dict[Item, int]) -> tuple[float, ...]:
        self.compared += 1
        return Shed._rank(self, item, matches)

    def _probe(self, new: Item, arriving: list[list[Item]], active: Sequence[Row]) -> None:
        if any(row.joins(new) for row in active):
            others = [n for n in range(len(self.arms)) if n != new.arm]
            self.compared += sum(len(self.kept[n]) for n in others)
            self.compared += sum(len(arriving[n]) for n in others if n < new.arm)
        Shed._probe(self, new, arriving, active)

"""Star joins by definition, in plain Python: all results, and what a policy keeps and finds.

Nothing is looked up and nothing is remembered: matches are counted by trying all combinations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

REASONS = ("no match", "relation ended", "not admitted", "replaced", "expired")


@dataclass(frozen=True, slots=True)
class Item:
    """A tuple of an arm; `nth` is its place in its table, and importance is in millionths."""

    arm: int
    nth: int
    ts: int
    key: int | None
    importance: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the relation: its key for each arm, and when it is active."""

    nth: int
    keys: tuple[int | None, ...]
    begin: int
    end: int

    def is_active(self, now: int) -> bool:
        return self.begin <= now < self.end

    @property
    def is_whole(self) -> bool:
        """A row with a missing key can be in no result: it is nobody's partner."""
        return None not in self.keys

    def joins(self, item: Item) -> bool:
        return self.is_whole and self.keys[item.arm] == item.key


Result = tuple[tuple[int, ...], int]


def all_results(
    arms: Sequence[Sequence[Item]], rows: Sequence[Row], lifetimes: Sequence[int]
) -> dict[Result, int]:
    """Every result without a bound, as its members and its row, and its importance."""
    found = {}
    for members in product(*arms):
        last = max(item.ts for item in members)
        if all(last - item.ts < lifetimes[item.arm] for item in members):
            for row in rows:
                if all(row.joins(item) and row.is_active(item.ts) for item in members):
                    result = tuple(item.nth for item in members), row.nth
                    found[result] = min(item.importance for item in members)
    return found


@dataclass(slots=True)
class Shed:
    """What a policy keeps and finds; `shares` is how many tuples each arm may keep."""

    arms: Sequence[Sequence[Item]]
    rows: Sequence[Row]
    lifetimes: Sequence[int]
    shares: Sequence[int]
    policy: str
    prefilter: bool = True
    beta: float = 0.0
    results: dict[Result, int] = field(default_factory=dict)
    evictions: list[Counter[str]] = field(default_factory=list)
    kept: list[list[Item]] = field(default_factory=list)
    priority: dict[Item, float] = field(default_factory=dict)
    used: Counter[Item] = field(default_factory=Counter)

    def run(self) -> Shed:
        """All instants, one after the other."""
        self.evictions = [Counter() for _ in self.arms]
        self.kept = [[] for _ in self.arms]
        for now in sorted({item.ts for arm in self.arms for item in arm}):
            self._instant(now, [[i for i in arm if i.ts == now] for arm in self.arms])
        return self

    def _instant(self, now: int, arriving: list[list[Item]]) -> None:
        active = [row for row in self.rows if row.is_active(now)]
        for item in [item for kept in self.kept for item in kept]:
            if now - item.ts >= self.lifetimes[item.arm]:
                self._drop(item, "expired")
            elif self.prefilter and not self._valid(item, active):
                self._drop(item, "relation ended")
        before = [list(kept) for kept in self.kept]
        matches = {
            item: self._matches(item, before, active)
            for item in (i for group in (*before, *arriving) for i in group)
        }
        admitted = [self._admit(arm, matches, before) for arm in arriving]
        self.used.clear()
        for item in [item for arm in arriving for item in arm]:
            self._probe(item, arriving, active)
        if self.policy == "DGL-S":
            for item in [item for kept in self.kept for item in kept]:
                self._gain_or_lose(item, now)
        for kept, new in zip(self.kept, admitted, strict=True):
            kept.extend(new)

    def _drop(self, item: Item, reason: str) -> None:
        self.kept[item.arm].remove(item)
        self.evictions[item.arm][reason] += 1

    def _valid(self, item: Item, active: Sequence[Row]) -> list[Row]:
        return [row for row in active if row.joins(item) and row.begin <= item.ts]

    def _matches(self, item: Item, stored: list[list[Item]], active: Sequence[Row]) -> int:
        others = [arm for n, arm in enumerate(stored) if n != item.arm]
        return sum(
            all(row.joins(other) and row.begin <= other.ts for other in combination)
            for row in self._valid(item, active)
            for combination in product(*others)
        )

    def _admit(
        self, arriving: list[Item], matches: dict[Item, int], before: list[list[Item]]
    ) -> list[Item]:
        if len(self.arms) == 1:
            return self._only(arriving)
        admitted: list[Item] = []
        for new in arriving:
            old, reasons = self.kept[new.arm], self.evictions[new.arm]
            if self.prefilter and not self._rows_now(new):
                reasons["no match"] += 1
                continue
            self.priority[new] = new.importance * matches[new]
            admitted.append(new)
            candidates = [*old, *admitted]
            if len(candidates) > self.shares[new.arm]:
                victim = min(candidates, key=lambda item: self._rank(item, matches))
                if self.shares[new.arm] == 0:
                    victim = new
                if victim in before[new.arm]:
                    self._drop(victim, "replaced")
                else:
                    admitted.remove(victim)
                    reasons["not admitted" if victim == new else "replaced"] += 1
        return admitted

    def _only(self, arriving: list[Item]) -> list[Item]:
        missed = sum(self.prefilter and not self._rows_now(new) for new in arriving)
        self.evictions[0]["no match"] += missed
        return []

    def _rows_now(self, new: Item) -> list[Row]:
        return self._valid(new, [row for row in self.rows if row.is_active(new.ts)])

    def _rank(self, item: Item, matches: dict[Item, int]) -> tuple[float, ...]:
        """The lowest goes; of equal ones the first, which is the oldest."""
        if self.policy == "SIMP-S":
            return (item.importance,)
        if self.policy == "DIMPPROB-S":
            return (item.importance * matches[item], item.importance)
        return (self.priority[item], item.importance, matches[item])

    def _probe(self, new: Item, arriving: list[list[Item]], active: Sequence[Row]) -> None:
        groups = [
            [new] if n == new.arm else self.kept[n] + (arriving[n] if n < new.arm else [])
            for n in range(len(self.arms))
        ]
        for row in active:
            for members in product(*groups):
                if all(row.joins(item) and row.begin <= item.ts for item in members):
                    result = tuple(item.nth for item in members), row.nth
                    assert result not in self.results, "a result is found once"
                    self.results[result] = min(item.importance for item in members)
                    self.used.update(members)

    def _gain_or_lose(self, item: Item, now: int) -> None:
        if self.used[item]:
            lifetime = self.lifetimes[item.arm]
            gain = float(item.importance * self.used[item])
            self.priority[item] += gain * float(item.ts + lifetime - now) / float(lifetime)
        else:
            self.priority[item] = max(0.0, self.priority[item] - self.beta)

"""One simulated run: expire, choose who stays, probe, insert; instant after instant."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from planner.families.load_shedding.simulation.policy import EvictionPolicy
from planner.families.load_shedding.simulation.settings import (
    EXPIRED,
    NO_MATCH,
    NOT_ADMITTED,
    REASONS,
    RELATION_ENDED,
    REPLACED,
    ArmCounts,
    Settings,
)
from planner.families.load_shedding.simulation.state import InstantChange, Instants, SimulationState
from planner.files.tuple_table import LAST
from planner.time_limit import check


class SheddingSimulation:
    """A simulation of one policy; `leaves` are the times until which offline plans keep tuples.

    Without shares nothing is shed. With a single arm nothing is kept.
    """

    def __init__(
        self,
        instants: Instants,
        shares: Sequence[int] | None,
        policy: type[EvictionPolicy],
        settings: Settings,
        leaves: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self.instants, self.settings = instants, settings
        self.state = SimulationState(instants)
        self.policy = policy(self.state, settings)
        most = [len(own) for own in instants.ts]
        self.shares = most if shares is None else list(shares)
        self.leaves = leaves
        self.results = self.importance = 0
        self.early_results = self.early_importance = 0
        self.evictions = [dict.fromkeys(REASONS, 0) for _ in instants.arms]
        self.counts = [ArmCounts() for _ in instants.arms]
        self.counted = False
        last = instants.changes[-1].ts if instants.changes else 0
        self.until = last + 1 if settings.until == LAST else settings.until

    def whole(self) -> SheddingSimulation:
        """All instants; the same run, done."""
        for number, change in enumerate(self.instants.changes):
            check()
            self.step(number, change)
        for arm in self.instants.arms:
            for old in self.state.held[arm]:
                self._leave(arm, old, self.instants.ts[arm][old] + self.instants.lifetime[arm])
        return self

    def step(self, number: int, change: InstantChange) -> None:
        """One instant."""
        state, policy = self.state, self.policy
        state.now, state.number = change.ts, number
        self.counted = self.settings.since <= change.ts < self.settings.until
        self._expire(change)
        for arm, arrivals in enumerate(change.arrivals):
            for new in arrivals:
                policy.arrive(arm, new)
        admitted = self._choose(change) if len(self.instants.arms) > 1 else self._only(change)
        found: list[dict[int, int]] = [{} for _ in self.instants.arms] if policy.watches else []
        for arm, arrivals in enumerate(change.arrivals):
            for new in arrivals:
                self._probe(arm, new, change, found)
        old = [list(held) for held in state.held] if policy.watches else []
        for arm, new_ones in enumerate(admitted):
            for new in new_ones:
                state.insert(arm, new)
        if policy.watches:
            policy.end(old, found)
        if change.ts < self.settings.since:
            self.early_results, self.early_importance = self.results, self.importance

    # --- who leaves ------------------------------------------------------------------------------

    def _expire(self, change: InstantChange) -> None:
        state, instants = self.state, self.instants
        arrived = sum(map(len, change.arrivals))
        for arm in instants.arms:
            held, ts, lifetime = state.held[arm], instants.ts[arm], instants.lifetime[arm]
            while held and change.ts - ts[held[0]] >= lifetime:
                left = ts[held[0]] + lifetime
                if self.settings.since <= left < self.settings.until:
                    self.counts[arm].expiry_checks += 1
                self._drop(arm, held[0], EXPIRED, left)
            if self.counted:
                self.counts[arm].expiry_checks += arrived
        state.change_rows(change)
        if self.settings.prefilter and change.ends:
            for arm in instants.arms:
                # Only what a row that has ended was joined with can have lost its last one.
                touched = {instants.rows[row][arm] for row in change.ends}
                for old in [u for key in touched for u in state.by_key[arm][key]]:
                    if not state.has_row(arm, old):
                        self._drop(arm, old, RELATION_ENDED, change.ts)

    def _drop(self, arm: int, old: int, reason: str, left: int) -> None:
        self.state.remove(arm, old)
        self.evictions[arm][reason] += 1
        self._leave(arm, old, left)

    def _leave(self, arm: int, old: int, left: int) -> None:
        stayed = min(left, self.until) - max(self.instants.ts[arm][old], self.settings.since)
        self.counts[arm].held += max(0, stayed)

    def _choose(self, change: InstantChange) -> list[list[int]]:
        """The arrivals that are admitted to each arm; who makes room for them is dropped.

        Priorities are of the state before: all arms choose, and only then tuples are dropped.
        """
        chosen = [self._choice(arm, change) for arm in self.instants.arms]
        admitted = []
        for arm, (dropped, entered) in enumerate(chosen):
            for old in dropped:
                self._drop(arm, old, REPLACED, change.ts)
            admitted.append(entered)
            if self.counted:
                self.counts[arm].admitted += len(entered)
        return admitted

    def _choice(self, arm: int, change: InstantChange) -> tuple[list[int], list[int]]:
        """The old tuples of an arm that go at an instant, and the new ones that stay."""
        if self.leaves is not None:
            return self._until_leave(arm, change, self.leaves[arm])
        dropped: list[int] = []
        entered: list[int] = []
        if not change.arrivals[arm]:
            return dropped, entered
        stored, share = self.state.held[arm], self.shares[arm]
        for new in change.arrivals[arm]:
            if not self._may_enter(arm, new):
                continue
            self.policy.admit(arm, new)
            entered.append(new)
            if len(stored) + len(entered) - len(dropped) <= share:
                continue
            stay = [u for u in stored if u not in dropped] if dropped else stored
            victim = self.policy.victim(arm, stay + entered) if share else new
            if self.counted:
                self.counts[arm].compared += len(stay) + len(entered)
            if victim not in entered:
                dropped.append(victim)
                continue
            # One that was admitted at this instant, and makes room, was never stored.
            entered.remove(victim)
            self.evictions[arm][NOT_ADMITTED if victim == new else REPLACED] += 1
        return dropped, entered

    def _may_enter(self, arm: int, new: int) -> bool:
        """Whether an arrival can be joined at all, as far as the pre-filter looks."""
        has_row = bool(self.state.active[arm][self.instants.key[arm][new]])
        if self.counted:
            self.counts[arm].arrived += 1
            self.counts[arm].with_row += has_row
        if self.settings.prefilter and not has_row:
            self.evictions[arm][NO_MATCH] += 1
            return False
        return True

    def _until_leave(
        self, arm: int, change: InstantChange, leaves: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        entered = []
        for new in change.arrivals[arm]:
            if self._may_enter(arm, new):
                if change.ts < leaves[new]:
                    entered.append(new)
                else:
                    self.evictions[arm][NOT_ADMITTED] += 1
        return [old for old in self.state.held[arm] if change.ts >= leaves[old]], entered

    def _only(self, change: InstantChange) -> list[list[int]]:
        """With one arm each tuple is joined with the relation as it arrives, and forgotten."""
        for new in change.arrivals[0]:
            self._may_enter(0, new)
        return [[]]

    # --- what is found ---------------------------------------------------------------------------

    def _probe(
        self, arm: int, new: int, change: InstantChange, by_arm: Sequence[dict[int, int]]
    ) -> None:
        """The results of an arrival with old tuples of other arms, and arrivals of arms before."""
        state, instants = self.state, self.instants
        rows = state.active[arm][instants.key[arm][new]]
        if not rows:
            return
        others = instants.others[arm]
        results = 0
        for row in rows:
            partners = []
            for other in others:
                found = state.valid(other, row)
                if other < arm and (together := change.arrivals[other]):
                    key, keys = instants.rows[row][other], instants.key[other]
                    # A new list: the arrivals are not stored yet.
                    found = found + [u for u in together if keys[u] == key]
                partners.append(found)
            if all(partners):
                count = self._combine(arm, new, others, partners)
                results += count
                if self.policy.watches:
                    for other, found in zip(others, partners, strict=True):
                        for one in found:
                            so_far = by_arm[other].get(one, 0)
                            by_arm[other][one] = so_far + count // len(found)
        self.results += results
        if self.counted:
            counts = self.counts[arm]
            counts.found += results
            counts.probed += sum(len(state.held[other]) for other in others)
            counts.probed += sum(len(change.arrivals[other]) for other in others if other < arm)

    def _combine(
        self, arm: int, new: int, others: Sequence[int], partners: Sequence[Sequence[int]]
    ) -> int:
        """Count the combinations of partners, and add the least importance of each."""
        own = self.instants.importance[arm][new]
        if not partners:
            self.importance += own
            return 1
        if len(partners) == 1:
            theirs = self.instants.importance[others[0]]
            self.importance += sum([min(own, theirs[u]) for u in partners[0]])
            return len(partners[0])
        values = [
            [min(own, self.instants.importance[other][u]) for u in found]
            for other, found in zip(others, partners, strict=True)
        ]
        return self._combine_many(values)

    def _combine_many(self, values: Sequence[list[int]]) -> int:
        """Value by value: how many combinations have all members at least as high."""
        before = 0
        for value in sorted(set(chain.from_iterable(values))):
            at_least = 1
            for own in values:
                at_least *= sum(one >= value for one in own)
            self.importance += (value - before) * at_least
            before = value
        combinations = 1
        for own in values:
            combinations *= len(own)
        return combinations

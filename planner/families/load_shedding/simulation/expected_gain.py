"""GAIN-S, a policy of our own: who is expected to gain least goes.

How often keys arrive in the other arms is learned as they come. The rate of a tuple is the sum over
its rows of how often their other keys arrive, times the importance of such a result; what is the
same for all tuples of an arm is left out. Of two with about the same rate the one that lives longer
stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from planner.families.load_shedding.simulation.policy import EvictionPolicy
from planner.families.load_shedding.simulation.settings import Settings
from planner.families.load_shedding.simulation.state import SimulationState

# Counts are halved when there are so many for each key: what is learned follows changes.
MOST_PER_KEY = 16


class KeyFrequencies:
    """What has arrived in an arm: how often each key, and how important on average.

    `weight` is one more than a key came: a rare one is not one that never comes. `mean` is 0 for a
    key that did not come, or not recently.
    """

    def __init__(self, keys: int) -> None:
        self.count = [0] * keys
        self.sum = [0] * keys
        self.weight = [1.0] * keys
        self.mean = [0] * keys
        self.seen = [False] * keys
        self.known = self.total = self.ever = self.ever_sum = 0

    def add(self, key: int, importance: int) -> bool:
        """Count an arrival; whether all counts were halved then."""
        if not self.seen[key]:
            self.seen[key] = True
            self.known += 1
        self.sum[key] += importance
        self._set(key, self.count[key] + 1)
        self.total += 1
        self.ever += 1
        self.ever_sum += importance
        if self.total < MOST_PER_KEY * self.known:
            return False
        self._halve()
        return True

    def _set(self, key: int, count: int) -> None:
        self.count[key] = count
        self.weight[key] = float(count + 1)
        self.mean[key] = self.sum[key] // count if count else 0

    def _halve(self) -> None:
        for key, count in enumerate(self.count):
            if count:
                self.sum[key] = self.mean[key] * (count // 2)
                self._set(key, count // 2)
        self.total = sum(self.count)

    def any_mean(self, otherwise: int) -> int:
        """The importance to expect of a key of which nothing is known."""
        return self.ever_sum // self.ever if self.ever else otherwise


class ExpectedGain(EvictionPolicy):
    """The lowest rate goes, times the eighth root of the life that is left.

    Rates are kept until something arrives, or a row ends, that changes them.
    """

    def __init__(self, state: SimulationState, settings: Settings) -> None:
        super().__init__(state, settings)
        self.arrived = [KeyFrequencies(state.instants.tuples.keys) for _ in state.instants.arms]
        self.rates: list[dict[int, float]] = [{} for _ in state.instants.arms]
        self.when = -1

    def arrive(self, arm: int, new: int) -> None:
        state, instants = self.state, self.state.instants
        if self.when != state.number:
            self.when = state.number
            if instants.changes[state.number].ends:
                self._forget_all()
        if (key := instants.key[arm][new]) < 0:
            return
        if self.arrived[arm].add(key, instants.importance[arm][new]):
            self._forget_all()
        for row in state.active[arm][key]:
            for other in instants.others[arm]:
                for one in state.by_key[other][instants.rows[row][other]]:
                    self.rates[other].pop(one, None)

    def _forget_all(self) -> None:
        for rates in self.rates:
            rates.clear()

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        rates, now = self.rates[arm], self.state.now
        ts, lifetime = self.state.instants.ts[arm], self.state.instants.lifetime[arm]
        # Square roots are rounded alike everywhere, powers are not.
        return min(
            stored,
            key=lambda u: (
                (rates[u] if u in rates else self._rate(arm, u))
                * sqrt(sqrt(sqrt(float(ts[u] + lifetime - now))))
            ),
        )

    def _rate(self, arm: int, stored: int) -> float:
        instants = self.state.instants
        first, own = instants.first[arm], instants.importance[arm][stored]
        rate, is_known = 0.0, True
        for row in self.state.active[arm][instants.key[arm][stored]]:
            if first[row] <= stored:
                weight, least = 1.0, own
                for other in instants.others[arm]:
                    arrived, key = self.arrived[other], instants.rows[row][other]
                    weight *= arrived.weight[key]
                    mean = arrived.mean[key]
                    if not mean:
                        # It changes with every arrival.
                        mean, is_known = arrived.any_mean(own), False
                    least = min(least, mean)
                rate += weight * float(least)
        if is_known:
            self.rates[arm][stored] = rate
        return rate

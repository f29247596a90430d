"""What decides who is kept: one class for each policy. The one with the lowest priority goes."""

from __future__ import annotations

from collections.abc import Sequence

from planner.families.load_shedding.labels import (
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    RANDOM,
)
from planner.families.load_shedding.simulation.random_choice import choice
from planner.families.load_shedding.simulation.settings import BETA, Settings
from planner.families.load_shedding.simulation.state import State
from planner.families.load_shedding.star_tuples import MILLIONTHS


class Policy:
    """What a simulation asks and tells. `watches` says whether it wants to know who was in results.

    Stored tuples are listed oldest first, so that of equal ones the oldest goes.
    """

    watches = False

    def __init__(self, state: State, settings: Settings) -> None:
        self.state = state
        self.settings = settings

    def arrive(self, arm: int, new: int) -> None:
        """A tuple has arrived (filters passed), before anything is chosen at this instant."""

    def admit(self, arm: int, new: int) -> None:
        """A tuple may be stored: it is about to be compared with others, or has found a place."""

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        """Which of some tuples goes; the last one is new."""
        raise NotImplementedError

    def end(self, old: Sequence[Sequence[int]], matched: Sequence[set[int]]) -> None:
        """An instant ends; `old` tuples stayed in each arm, and `matched` ones were in results."""


class Random(Policy):
    def __init__(self, state: State, settings: Settings) -> None:
        super().__init__(state, settings)
        self.chosen = [0 for _ in state.instants.arms]

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        place = self.state.instants.tuples.arms[arm].arm.place
        number = self.chosen[arm]
        self.chosen[arm] += 1
        return stored[choice(self.settings.seed, place, number, len(stored))]


class Importance(Policy):
    def victim(self, arm: int, stored: Sequence[int]) -> int:
        return min(stored, key=self.state.instants.importance[arm].__getitem__)


class ImportanceAndMatches(Policy):
    """Importance times the matches at arrival; of equal ones the least important goes."""

    def __init__(self, state: State, settings: Settings) -> None:
        super().__init__(state, settings)
        self.priority: list[dict[int, tuple[int, int]]] = [{} for _ in state.instants.arms]

    def admit(self, arm: int, new: int) -> None:
        self.priority[arm][new] = _now(self.state, arm, new)

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        return min(stored, key=self.priority[arm].__getitem__)


class MatchesOfNow(Policy):
    """Importance times the matches at this instant."""

    def __init__(self, state: State, settings: Settings) -> None:
        super().__init__(state, settings)
        self.when = -1
        self.known: list[dict[int, tuple[int, int]]] = []

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        state = self.state
        if self.when != state.number:
            self.when, self.known = state.number, [{} for _ in state.instants.arms]
        known = self.known[arm]
        for one in stored:
            if one not in known:
                known[one] = _now(state, arm, one)
        return min(stored, key=known.__getitem__)


class ExpectedGain(Policy):
    """The importance a tuple is expected to gain per arrival, by the frequencies seen so far."""

    def __init__(self, state: State, settings: Settings) -> None:
        super().__init__(state, settings)
        keys = state.instants.tuples.keys + 1
        self.arrived = [0 for _ in state.instants.arms]
        self.count = [[0] * keys for _ in state.instants.arms]
        self.total = [[0] * keys for _ in state.instants.arms]

    def arrive(self, arm: int, new: int) -> None:
        key = self.state.instants.key[arm][new]
        self.arrived[arm] += 1
        self.count[arm][key] += 1
        self.total[arm][key] += self.state.instants.importance[arm][new]

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        return min(stored, key=lambda one: self._rate(arm, one))

    def _rate(self, arm: int, stored: int) -> float:
        instants = self.state.instants
        own, first = instants.importance[arm][stored], instants.first[arm]
        rate = 0.0
        for row in self.state.active[arm][instants.key[arm][stored]]:
            if first[row] <= stored:
                rate += self._gain(arm, row, own)
        return rate

    def _gain(self, arm: int, row: int, own: int) -> float:
        gain = 1.0
        for other in self.state.instants.others[arm]:
            key = self.state.instants.rows[row][other]
            if not self.count[other][key]:
                return 0.0
            frequency = self.count[other][key] / self.arrived[other]
            gain *= frequency * min(own, self.total[other][key] / self.count[other][key])
        return gain


class GainAndLoss(Policy):
    """Starts as importance times matches; grows with results by the life that is left, and falls by
    a constant at every instant without one."""

    watches = True

    def __init__(self, state: State, settings: Settings) -> None:
        super().__init__(state, settings)
        self.priority: list[dict[int, float]] = [{} for _ in state.instants.arms]
        self.loss = (BETA if settings.beta is None else settings.beta) * MILLIONTHS
        self.alpha = [
            float(lifetime if settings.alpha is None else settings.alpha * MILLIONTHS)
            for lifetime in state.instants.lifetime
        ]

    def admit(self, arm: int, new: int) -> None:
        state = self.state
        self.priority[arm][new] = float(
            state.instants.importance[arm][new] * state.matches(arm, new)
        )

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        priority, importance = self.priority[arm], self.state.instants.importance[arm]
        lowest = min(map(priority.__getitem__, stored))
        least = min(importance[one] for one in stored if priority[one] == lowest)
        tied = [one for one in stored if priority[one] == lowest and importance[one] == least]
        return (
            tied[0] if len(tied) == 1 else min(tied, key=lambda one: self.state.matches(arm, one))
        )

    def end(self, old: Sequence[Sequence[int]], matched: Sequence[set[int]]) -> None:
        state = self.state
        for arm, stayed in enumerate(old):
            priority, ts = self.priority[arm], state.instants.ts[arm]
            importance, lifetime = state.instants.importance[arm], state.instants.lifetime[arm]
            for one in stayed:
                if one in matched[arm]:
                    gain = float(importance[one] * state.matches(arm, one))
                    left = float(ts[one] + lifetime - state.now)
                    priority[one] += gain * left / self.alpha[arm]
                else:
                    priority[one] = max(0.0, priority[one] - self.loss)


def _now(state: State, arm: int, stored: int) -> tuple[int, int]:
    importance = state.instants.importance[arm][stored]
    return importance * state.matches(arm, stored), importance


POLICIES: dict[str, type[Policy]] = {
    RANDOM: Random,
    IMPORTANCE: Importance,
    IMPORTANCE_AND_MATCHES: ImportanceAndMatches,
    MATCHES_OF_NOW: MatchesOfNow,
    GAIN_AND_LOSS: GainAndLoss,
    EXPECTED_GAIN: ExpectedGain,
}

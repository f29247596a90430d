"""What decides who is kept: one class for each policy. The one with the lowest priority goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.families.load_shedding.labels import (
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    RANDOM,
)
from planner.families.load_shedding.simulation.expected_gain import ExpectedGain
from planner.families.load_shedding.simulation.policy import EvictionPolicy
from planner.families.load_shedding.simulation.random_choice import choice
from planner.families.load_shedding.simulation.settings import BETA, Settings
from planner.families.load_shedding.simulation.state import SimulationState
from planner.families.load_shedding.star_tuples import MILLIONTHS


class NoChoice(EvictionPolicy):
    """For plans without a bound, and for those whose tuples bring the time at which they leave."""

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        raise AssertionError(f"arm {arm} has a place for all {len(stored)} tuples")


class Random(EvictionPolicy):
    """One of all, new or old, by chance."""

    def __init__(self, state: SimulationState, settings: Settings) -> None:
        super().__init__(state, settings)
        self.chosen = [0 for _ in state.instants.arms]

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        place = self.state.instants.tuples.arms[arm].arm.place
        number = self.chosen[arm]
        self.chosen[arm] += 1
        return stored[choice(self.settings.seed, place, number, len(stored))]


class LeastImportant(EvictionPolicy):
    """The least important goes."""

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        return min(stored, key=self.state.instants.importance[arm].__getitem__)


class ImportanceAndMatches(EvictionPolicy):
    """Importance times the matches at arrival; of equal ones the least important goes."""

    def __init__(self, state: SimulationState, settings: Settings) -> None:
        super().__init__(state, settings)
        self.priority: list[dict[int, tuple[int, int]]] = [{} for _ in state.instants.arms]

    def admit(self, arm: int, new: int) -> None:
        self.priority[arm][new] = _now(self.state, arm, new)

    def victim(self, arm: int, stored: Sequence[int]) -> int:
        return min(stored, key=self.priority[arm].__getitem__)


class MatchesOfNow(EvictionPolicy):
    """Importance times the matches at this instant."""

    def __init__(self, state: SimulationState, settings: Settings) -> None:
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


class GainAndLoss(EvictionPolicy):
    """Starts as importance times matches; grows with results by the life that is left, and falls by
    a constant at every instant without one.

    The paper's growth is by "the number of matches in the opposite window": counted are those that
    gave results at the instant, which served the policy best of four readings.
    """

    watches = True

    def __init__(self, state: SimulationState, settings: Settings) -> None:
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

    def end(self, old: Sequence[Sequence[int]], found: Sequence[Mapping[int, int]]) -> None:
        state = self.state
        for arm, stayed in enumerate(old):
            priority, ts = self.priority[arm], state.instants.ts[arm]
            importance, lifetime = state.instants.importance[arm], state.instants.lifetime[arm]
            for one in stayed:
                if results := found[arm].get(one):
                    left = float(ts[one] + lifetime - state.now)
                    priority[one] += float(importance[one] * results) * left / self.alpha[arm]
                else:
                    priority[one] = max(0.0, priority[one] - self.loss)


def _now(state: SimulationState, arm: int, stored: int) -> tuple[int, int]:
    importance = state.instants.importance[arm][stored]
    return importance * state.matches(arm, stored), importance


POLICIES: dict[str, type[EvictionPolicy]] = {
    RANDOM: Random,
    IMPORTANCE: LeastImportant,
    IMPORTANCE_AND_MATCHES: ImportanceAndMatches,
    MATCHES_OF_NOW: MatchesOfNow,
    GAIN_AND_LOSS: GainAndLoss,
    EXPECTED_GAIN: ExpectedGain,
}

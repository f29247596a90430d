"""What a simulation asks a policy, and tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.families.load_shedding.simulation.settings import Settings
from planner.families.load_shedding.simulation.state import State


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

    def end(self, old: Sequence[Sequence[int]], found: Sequence[Mapping[int, int]]) -> None:
        """An instant ends; `old` tuples stayed in each arm, and were in so many results."""

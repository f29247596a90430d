"""The interface between a simulation and a policy: events, and the choice of who goes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from planner.families.load_shedding.simulation.settings import Settings
from planner.families.load_shedding.simulation.state import SimulationState


class EvictionPolicy(ABC):
    """Who goes when all places are taken. `watches`: whether it needs to know who was in results.

    Stored tuples are listed oldest first, so that of equal ones the oldest goes.
    """

    watches = False

    def __init__(self, state: SimulationState, settings: Settings) -> None:
        self.state = state
        self.settings = settings

    # Most policies need no other event than the choice.
    def arrive(self, arm: int, new: int) -> None:  # noqa: B027
        """A tuple has arrived (filters passed), before anything is chosen at this instant."""

    def admit(self, arm: int, new: int) -> None:  # noqa: B027
        """A tuple may be stored: it is about to be compared with others, or has found a place."""

    @abstractmethod
    def victim(self, arm: int, stored: Sequence[int]) -> int:
        """Which of some tuples goes; the last one is new."""

    def end(  # noqa: B027
        self, old: Sequence[Sequence[int]], found: Sequence[Mapping[int, int]]
    ) -> None:
        """An instant ends; `old` tuples stayed in each arm, and were in so many results."""

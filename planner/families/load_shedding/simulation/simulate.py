"""The answer of a policy on given tuples: simulated, beside the exact one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.families.load_shedding.labels import EXACT, MOST_RESULTS, OFFLINE
from planner.families.load_shedding.offline.flow import leaves_of
from planner.families.load_shedding.offline.matches import Worth
from planner.families.load_shedding.simulation.policies import POLICIES, NoChoice
from planner.families.load_shedding.simulation.run import SheddingSimulation
from planner.families.load_shedding.simulation.settings import EarlyAnswer, Settings, Simulated
from planner.families.load_shedding.simulation.state import Instants
from planner.families.load_shedding.star import Star
from planner.families.load_shedding.star_tuples import star_tuples
from planner.files.tuple_table import Table


def simulate(star: Star, tables: Mapping[str, Table], policy: str, settings: Settings) -> Simulated:
    """One policy on the tuples of a star join, under the shares of its arms."""
    return Simulation(star, tables).run(policy, settings)


class Simulation:
    """Policies and shares simulated on the same tuples, which are prepared once."""

    def __init__(self, star: Star, tables: Mapping[str, Table]) -> None:
        self.star = star
        self.tuples = star_tuples(star, tables)
        self.instants = Instants(self.tuples)
        self._exact: dict[tuple[bool, int, int], SheddingSimulation] = {}

    def _without_bound(self, settings: Settings) -> SheddingSimulation:
        """The exact answer, of which other settings than these decide nothing."""
        key = settings.prefilter, settings.since, settings.until
        if key not in self._exact:
            run = SheddingSimulation(self.instants, None, NoChoice, settings)
            self._exact[key] = run.whole()
        return self._exact[key]

    def run(
        self, policy: str, settings: Settings, shares: Sequence[int] | None = None
    ) -> Simulated:
        """A policy under other shares than those of the arms, where they are given."""
        if shares is None:
            shares = [arm.share for arm in self.star.arms]
        if policy == EXACT:
            run = self._without_bound(settings)
        elif policy in OFFLINE:
            leaves = self.leaves(policy, settings, shares)
            run = SheddingSimulation(self.instants, shares, NoChoice, settings, leaves).whole()
        else:
            run = SheddingSimulation(self.instants, shares, POLICIES[policy], settings).whole()
        return self._summary(run)

    def leaves(self, policy: str, settings: Settings, shares: Sequence[int]) -> list[list[int]]:
        """Until when an offline plan keeps the tuples of each arm."""
        if settings.leaves is None:
            worth: Worth = "results" if policy == MOST_RESULTS else "importance"
            return [own.tolist() for own in leaves_of(self.tuples, shares, worth).by_arm]
        return [settings.leaves[own.arm.source.alias][own.row].tolist() for own in self.tuples.arms]

    def _summary(self, run: SheddingSimulation) -> Simulated:
        span, exact = max(1, run.until - run.settings.since), self._without_bound(run.settings)
        aliases = [arm.source.alias for arm in self.star.arms]
        return Simulated(
            run.results,
            run.importance,
            exact.results,
            exact.importance,
            dict(zip(aliases, run.evictions, strict=True)),
            {alias: counts.held / span for alias, counts in zip(aliases, run.counts, strict=True)},
            dict(zip(aliases, run.counts, strict=True)),
            EarlyAnswer(
                run.early_results,
                run.early_importance,
                exact.early_results,
                exact.early_importance,
            ),
        )

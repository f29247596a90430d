"""The papers' own evaluations. A new figure is one Experiment, listed in EXPERIMENTS."""

from __future__ import annotations

from planner.experiments.experiment import Experiment, named
from planner.experiments.golab.costs import FIGURE_2, FIGURE_3A, FIGURE_3B
from planner.experiments.golab.rates import FIGURE_4A, FIGURE_4A_LARGER, FIGURE_4B, TABLE_8
from planner.experiments.tran.figures import ALL_SHOWCASES, DEFAULT_SETTINGS, TRAN_FIGURES
from planner.experiments.wang.chains import WANG_CHAINS
from planner.experiments.wang.savings import WANG_SAVINGS
from planner.experiments.wang.strategies import WANG_STRATEGIES

EXPERIMENTS: tuple[Experiment, ...] = (
    FIGURE_2,
    FIGURE_3A,
    FIGURE_3B,
    TABLE_8,
    FIGURE_4A,
    FIGURE_4A_LARGER,
    FIGURE_4B,
    *TRAN_FIGURES,
    ALL_SHOWCASES,
    DEFAULT_SETTINGS,
    *WANG_SAVINGS,
    *WANG_STRATEGIES,
    *WANG_CHAINS,
)


def experiment(name: str) -> Experiment:
    """The experiment with this name."""
    return named(EXPERIMENTS, name)

"""The papers' own evaluations. A new figure is one Experiment, listed in EXPERIMENTS."""

from __future__ import annotations

from planner.evaluation.experiment import Experiment, named
from planner.evaluation.golab_costs import FIGURE_2, FIGURE_3A, FIGURE_3B
from planner.evaluation.golab_rates import FIGURE_4A, FIGURE_4A_LARGER, FIGURE_4B, TABLE_8
from planner.evaluation.tran_figures import TRAN_FIGURES
from planner.evaluation.tran_together import ALL_SHOWCASES, DEFAULT_SETTINGS
from planner.evaluation.wang_chains import WANG_CHAINS
from planner.evaluation.wang_savings import WANG_SAVINGS
from planner.evaluation.wang_strategies import WANG_STRATEGIES

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

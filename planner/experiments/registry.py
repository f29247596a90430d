"""The papers' own evaluations. A paper is a folder: `figures.yaml` says, `curves.py` computes."""

from __future__ import annotations

from functools import cache

from planner.errors import PlanError
from planner.experiments.experiment import Experiment
from planner.experiments.figures_file import read_figures
from planner.experiments.golab import curves as golab
from planner.experiments.hammad import curves as hammad
from planner.experiments.towne import curves as towne
from planner.experiments.tran import curves as tran
from planner.experiments.wang import curves as wang
from planner.workload.validation import listed

_PAPERS = (golab, tran, wang, hammad, towne)


@cache
def experiments() -> tuple[Experiment, ...]:
    """All figures and tables of all papers, read once."""
    return tuple(found for paper in _PAPERS for found in read_figures(paper))


def experiment(name: str) -> Experiment:
    """The experiment with this name."""
    known = {found.name: found for found in experiments()}
    if name not in known:
        raise PlanError(f"no experiment {name!r}; there are {listed(known)}", "evaluation")
    return known[name]

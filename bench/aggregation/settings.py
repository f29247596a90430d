"""The cells of `aggregation-accuracy`: settings within the ranges of the paper's figures.

All settings of Figures 6 to 10, each once, and random ones, drawn by number: the same number is the
same cell. A random cell is a two- or three-way join, hashed or by nested loops. Every stream draws,
evenly on a logarithmic scale, a rate (100 to 900/s; three-way 100 to 600/s), a window (500 to 5,000
tuples; three-way 100 to 300), and with one chance in two groups (3 to 19,683, else none); all share
the number of keys, for a selectivity of 0.0005 to 0.5.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from bench.measure import log_uniform
from planner.experiments.registry import experiments
from planner.experiments.tran.curves import HASH, NESTED, Row, timed
from planner.workload.workload import Workload

STREAMS = {"two-way": 2, "three-way": 3}
RATES = {"two-way": (100, 900), "three-way": (100, 600)}
WINDOWS = {"two-way": (500, 5000), "three-way": (100, 300)}
GROUPS, KEYS = (3.0, 19_683.0), (2.0, 2000.0)


@dataclass(frozen=True, slots=True)
class Cell:
    """A setting whose plans are all run."""

    name: str
    workload: Workload

    @property
    def kind(self) -> str:
        """`two-way, hash`: how cells are grouped."""
        ways = {2: "two-way", 3: "three-way"}
        return f"{ways[len(self.workload.streams)]}, {self.workload.execution.join}"


def cells_of_figures() -> Iterator[Cell]:
    """The settings of the figures; one that several share comes once, under the first."""
    seen: set[str] = set()
    for shown in experiments():
        # A figure of all settings side by side repeats those of the others.
        if shown.paper != "Tran & Lee 2007" or shown.x.named:
            continue
        for point in shown.points:
            if point.workload.digest not in seen:
                seen.add(point.workload.digest)
                yield Cell(point.workload.name, point.workload)


def random_cell(number: int) -> Cell:
    """The random cell of this number."""
    draw = random.Random(number)
    setting = draw.choice(("two-way", "three-way"))
    execution = draw.choice((HASH, NESTED))
    keys = round(log_uniform(draw, *KEYS))
    rows = [
        Row(
            round(log_uniform(draw, *RATES[setting])),
            round(log_uniform(draw, *WINDOWS[setting])),
            round(log_uniform(draw, *GROUPS)) if draw.random() < 0.5 else 1,
            keys,
        )
        for _ in range(STREAMS[setting])
    ]
    name = f"random {number}"
    return Cell(name, timed(name, rows, execution))

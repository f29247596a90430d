"""The papers' points, measured; they go to the file that the page of paper figures reads."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from planner.experiments.experiment import Experiment
from planner.experiments.registry import experiments
from runtime.experiments.figure import PAPER_POINTS, MeasuredFigure, nothing_yet
from runtime.experiments.measurement import Sampler, rounds
from runtime.runs.records import versions


def figures(paper: str) -> dict[str, Any]:
    """Measure all experiments of a paper, points in turns, and keep them for the explorer."""
    found: dict[str, MeasuredFigure] = {}
    sampler = Sampler()
    for known in experiments():
        if known.paper == paper and known.points:
            found[known.name] = _measured(known, found.values(), sampler)
    write_points({**read_points(), **{name: figure.to_json() for name, figure in found.items()}})
    return {
        "same answer": all(figure.same_answer for figure in found.values()),
        "experiments": len(found),
        "measurements": sum(figure.samples for figure in found.values()),
    }


join_figures = partial(figures, "Golab & Özsu 2003")
aggregation_figures = partial(figures, "Tran & Lee 2007")
chain_figures = partial(figures, "Wang et al. 2006")
schedule_figures = partial(figures, "Hammad et al. 2003")
shedding_figures = partial(figures, "Towne et al. 2007")


def _measured(
    known: Experiment, before: Iterable[MeasuredFigure], sampler: Sampler
) -> MeasuredFigure:
    """The figure whole; points that an experiment before it shares are not measured again."""
    figure = nothing_yet(known, versions(), os.cpu_count() or 1)
    keys = {point.key for point in known.points}
    for other in before:
        if (other.quantity, other.rounds) == (known.quantity, known.rounds):
            shared = {key: found for key, found in other.points.items() if key in keys}
            if shared:
                figure = replace(
                    figure,
                    measured_at=other.measured_at,
                    points={**figure.points, **shared},
                    answers={**figure.answers, **other.answers},
                )
    for measured in rounds(known, figure, lambda _: None, sampler):
        figure = measured
    return figure


def read_points() -> dict[str, Any]:
    """The figures measured so far, by experiment, as plain values."""
    if not PAPER_POINTS.is_file():
        return {}
    found: dict[str, Any] = json.loads(gzip.decompress(PAPER_POINTS.read_bytes()))
    return found


def write_points(content: Mapping[str, Any]) -> None:
    """The same figures give the same bytes."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    PAPER_POINTS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))

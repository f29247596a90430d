"""The papers' evaluations: all their points measured, beside the printed figures and the claims."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from planner.experiments.experiment import Experiment, Finding, Place
from planner.experiments.registry import EXPERIMENTS
from runtime.experiments.figure import Figure, nothing_yet
from runtime.experiments.measurement import rounds
from runtime.runs.records import versions


def figures(paper: str) -> dict[str, Any]:
    """A paper's experiments, points in turns: values by curve, ratios, and what claims came to.

    `measured` is what the explorer shows until its user has measured on a machine of their own.
    """
    chosen = [known for known in EXPERIMENTS if known.paper == paper]
    found: dict[str, Figure] = {}
    for known in chosen:
        found[known.name] = _measured(known, found.values())
    return {
        "same answer": all(figure.same_answer for figure in found.values()),
        "told": {known.name: _told(known, found[known.name]) for known in chosen},
        "measured": {name: figure.to_json() for name, figure in found.items()},
    }


def _measured(known: Experiment, before: Iterable[Figure]) -> Figure:
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
    for measured in rounds(known, figure, lambda _: None):
        figure = measured
    return figure


def _told(known: Experiment, figure: Figure) -> dict[str, Any]:
    values = known.measured(figure.values(known))
    predicted = known.predicted()
    views = {**predicted, "measured": values}
    return {
        "unit": known.y.title,
        "values": {
            label: {_text(x): float(f"{value:.6g}") for x, value in by_place.items()}
            for label, by_place in values.items()
        },
        "times the paper": {
            curve.label: {
                _text(point.x): values[curve.label][point.x] / point.printed
                for point in curve.points
                if point.printed is not None
            }
            for curve in known.curves
            if any(point.printed is not None for point in curve.points)
        },
        "claims": [
            {
                "section": claim.section,
                "claim": claim.text,
                **{view: _finding(claim.check(seen)) for view, seen in views.items()},
            }
            for claim in known.claims
        ],
        "agreements": [
            {
                "section": agreement.section,
                "claim": agreement.text,
                **{
                    model: _finding(agreement.check(said, values))
                    for model, said in predicted.items()
                },
            }
            for agreement in known.agreements
        ],
    }


def _finding(finding: Finding) -> str:
    return f"{'holds' if finding.holds else 'differs'}: {finding.told}"


def _text(place: Place) -> str:
    return place if isinstance(place, str) else f"{place:g}"

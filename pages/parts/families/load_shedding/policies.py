"""Policies in words and colours: the same in every figure."""

from __future__ import annotations

from pages.parts.shared.figures import LINE, PALETTE
from planner.families.load_shedding.explain import REASONS
from planner.families.load_shedding.labels import EXACT, LABELS
from planner.families.load_shedding.prediction.predictions import SIMULATED

_BLUE, _ORANGE, _GREEN, _PINK, _SKY, _RED, _PURPLE, _GREY = PALETTE
_COLOURS = dict(
    zip(LABELS, (LINE, _BLUE, _SKY, _GREY, _ORANGE, _PINK, _PURPLE, _GREEN, _RED), strict=True)
)
# Policies differ in their marks, too, for those who cannot tell colours apart.
_SYMBOLS = dict(
    zip(
        LABELS,
        (
            "line-ew",
            "star",
            "star-open",
            "circle-open",
            "circle",
            "square",
            "diamond",
            "cross",
            "x",
        ),
        strict=True,
    )
)


def colour(label: str) -> str:
    """The colour of a policy."""
    return _COLOURS[label]


def symbol(label: str) -> str:
    """The mark of a policy."""
    return _SYMBOLS[label]


def words(label: str) -> str:
    """What a policy does: `keeps the most important tuples, ...`."""
    if label == EXACT:
        return "keeps everything: no bound"
    return REASONS[label].removeprefix("it ")


def how_known(model: str) -> str:
    """Where a predicted figure comes from, in two words."""
    return "simulated" if model == SIMULATED else "closed form"

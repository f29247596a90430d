"""Policies as people say them: which tuples are kept."""

from __future__ import annotations

from planner.families.load_shedding.labels import (
    EXACT,
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    MOST_RESULTS,
    OPTIMUM,
    RANDOM,
)

_NAMES = {
    EXACT: "Keep all tuples",
    OPTIMUM: "Most importance, future known",
    MOST_RESULTS: "Most results, future known",
    RANDOM: "Keep at random",
    IMPORTANCE: "Keep the most important",
    IMPORTANCE_AND_MATCHES: "Important, many partners at arrival",
    MATCHES_OF_NOW: "Important, many partners now",
    GAIN_AND_LOSS: "Important results so far, long to live",
    EXPECTED_GAIN: "Highest expected gain",
}


def title(label: str) -> str:
    """A label in words.

    >>> title("EXACT"), title("GAIN-S")
    ('Keep all tuples (EXACT)', 'Highest expected gain (GAIN-S)')
    """
    return f"{_NAMES[label]} ({label})" if label in _NAMES else label

"""What papers claim of their curves at single places; found by name as those of `checks.py`."""

from __future__ import annotations

from collections.abc import Sequence

from planner.experiments.comparison import each, percent, place_text, ratios
from planner.experiments.experiment import Finding, Place, Values


def below_at(values: Values, curve: str, other: str, places: Sequence[Place]) -> Finding:
    """At each of these places the curve is below the other."""
    share = ratios(values, curve, other)
    found = {place_text(x): share[x] for x in places}
    return Finding(max(found.values()) < 1, f"{each(found, '{1:.3g} times at {0}')}")


def times_at(values: Values, curve: str, other: str, place: Place, least: float) -> Finding:
    """At a place the curve is at least so many times the other."""
    share = ratios(values, curve, other)[place]
    return Finding(share >= least, f"{share:.3g} times {other} at {place_text(place)}")


def saves_at(values: Values, curve: str, other: str, place: Place, least: float) -> Finding:
    """At a place the curve is below the other by at least such a share."""
    saved = 1 - ratios(values, curve, other)[place]
    return Finding(saved >= least, f"{percent(saved)} at {place_text(place)}")


def share_of(
    values: Values, curve: str, place: Place, other: Place, least: float, most: float
) -> Finding:
    """Within one curve, a place is between these two shares of another place."""
    share = values[curve][place] / values[curve][other]
    return Finding(least <= share <= most, f"{percent(share)} of that")


def at_least(values: Values, curve: str, place: Place, least: float) -> Finding:
    """At a place the curve, a share, is at least so much."""
    found = values[curve][place]
    return Finding(found >= least, percent(found))

"""What papers claim of their curves at single places; found by name as those of `checks.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def cheapest_at(values: Values, curve: str, place: Place) -> Finding:
    """The curve is nowhere lower than at this place."""
    found = values[curve]
    least, others = found[place], [y for x, y in found.items() if x != place]
    share = min(others) / least
    return Finding(share >= 1, f"{least:,.5g}; the next is {share:.3g} times that")


def rank_at(values: Values, curve: str, place: Place, rank: int) -> Finding:
    """So many places of the curve are as low as this one or lower, itself included."""
    found = sorted(values[curve], key=values[curve].__getitem__)
    return Finding(found.index(place) + 1 == rank, f"number {found.index(place) + 1}")


def as_printed(
    values: Values, curve: str, printed: Mapping[Place, float], within: float
) -> Finding:
    """At these places the curve is as the paper prints it, within a share of that."""
    shares = {place_text(x): values[curve][x] / figure for x, figure in printed.items()}
    holds = all(abs(share - 1) <= within for share in shares.values())
    return Finding(holds, each(shares, "{0} {1:.4g} times as printed"))


def below_mean(values: Values, curve: str, places: Sequence[Place]) -> Finding:
    """At each of these places the curve is below its mean over all places."""
    found = values[curve]
    mean = sum(found.values()) / len(found)
    shares = {place_text(x): found[x] / mean for x in places}
    text = f"{each(shares, '{0} {1:.3g} times')} the mean, {mean:,.5g}"
    return Finding(max(shares.values()) < 1, text)

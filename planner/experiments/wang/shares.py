"""What papers claim about one curve as a share of another, as checks that tell the figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from planner.experiments.claims import SAME, as_check, place_text
from planner.experiments.experiment import Finding, Place, Values

# Shares that are nothing but noise.
_NOTHING = 0.005
# A curve and a place of it.
_At = tuple[str, Place]


@as_check
def highest(values: Values, curve: str, others: Sequence[str]) -> Finding:
    """The curve is nowhere below another."""
    (other, x), share = min(_shares(values, curve, others).items(), key=_share)
    text = f"{'at least' if share >= 1 else 'only'} {share:.3g} times {other}"
    return Finding(share >= 1 - SAME, f"{text}, at {place_text(x)}")


@as_check
def widens(values: Values, curve: str, other: str) -> Finding:
    """The curve is further above the other at the last place than at the first."""
    first, *_, last = shares = list(_shares(values, curve, [other]).values())
    text = f"{first:.3g} times {other} at first, {last:.3g} times at last"
    return Finding(len(shares) > 1 and last > first * (1 + SAME), text)


@as_check
def reaches(values: Values, curve: str, others: Sequence[str], least: float) -> Finding:
    """Somewhere the curve is so many times another."""
    (other, x), share = max(_shares(values, curve, others).items(), key=_share)
    text = f"at most {share:.3g} times {other}, at {place_text(x)}"
    return Finding(share >= least, text)


@as_check
def rises_along(values: Values, curve: str, groups: Sequence[Sequence[Place]]) -> Finding:
    """In each group of places the curve does not fall from one to the next, and rises in all."""
    found = [[values[curve][x] for x in group] for group in groups]
    text = "; ".join(", ".join(f"{value:.3g}" for value in values) for values in found)
    holds = all(
        last > first and all(b >= (1 - SAME) * a for a, b in pairwise(figures))
        for figures in found
        for first, last in [(figures[0], figures[-1])]
    )
    return Finding(holds, f"{text} times")


@as_check
def gains_on_average(values: Values, curve: str, least: float, most: float) -> Finding:
    """The mean of the curve is so much above 1."""
    found = [value - 1 for value in values[curve].values()]
    text = f"{_percent(_mean(found))}, from {_percent(min(found))} to {_percent(max(found))}"
    return Finding(least <= _mean(found) <= most, text)


@as_check
def saves_between(
    values: Values, curve: str, others: Sequence[str], least: float, most: float
) -> Finding:
    """At all places the curve is below the others by a share between these two."""
    found = [1 - share for share in _shares(values, curve, others).values()]
    text = f"{_percent(min(found))} to {_percent(max(found))}, {_percent(_mean(found))} on average"
    return Finding(least <= min(found) and max(found) <= most, text)


@as_check
def same_within(values: Values, curve: str, groups: Sequence[Sequence[Place]]) -> Finding:
    """In each group of places the curve has one height."""
    most = max(_spread(values, curve, group) for group in groups)
    return Finding(most <= 1 + SAME, f"at most {most:.3g} times apart")


@as_check
def differs_within(
    values: Values, curves: Sequence[str], groups: Sequence[Sequence[Place]]
) -> Finding:
    """In each group of places each of these curves, or their distance, is not the same."""
    first, second = curves
    spreads = []
    for group in groups:
        shares = [values[first][x] / values[second][x] for x in group]
        spreads.append(max(shares) / min(shares))
    text = f"{first} beside {second}: {min(spreads):.3g} to {max(spreads):.3g} times apart"
    return Finding(min(spreads) > 1 + SAME, text)


@as_check
def mean_between(values: Values, least: float, most: float) -> Finding:
    """The mean over all curves and places lies between these two shares."""
    found = _all(values)
    text = f"{_percent(_mean(found))} on average, {_percent(min(found))} to {_percent(max(found))}"
    return Finding(least <= _mean(found) <= most, text)


def never_negative(values: Values) -> Finding:
    """No curve is anywhere below 0; what is within 0.5% of it counts as that."""
    least, (curve, x) = min((y, (c, x)) for c, by in values.items() for x, y in by.items())
    text = f"{_percent(least)} at least, {curve} at {place_text(x)}"
    return Finding(least >= -_NOTHING, text)


@as_check
def nothing_on(values: Values, curve: str) -> Finding:
    """The curve is 0 everywhere, within 0.5%."""
    most = max(values[curve].values(), key=abs)
    return Finding(abs(most) <= _NOTHING, f"{_percent(most)} at most")


def _shares(values: Values, curve: str, others: Sequence[str]) -> dict[_At, float]:
    return {
        (other, x): value / values[other][x]
        for other in others
        for x, value in values[curve].items()
        if x in values[other]
    }


def _share(item: tuple[_At, float]) -> float:
    return item[1]


def _spread(values: Values, curve: str, places: Sequence[Place]) -> float:
    found = [values[curve][x] for x in places]
    return max(found) / min(found)


def _all(values: Values) -> list[float]:
    return [value for by_place in values.values() for value in by_place.values()]


def _mean(found: Sequence[float]) -> float:
    return sum(found) / len(found)


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"

"""What papers claim of their curves, as named checks that say the figures behind them.

A claim in `figures.yaml` names one of these functions and gives its arguments; a check takes the
values of an experiment first. A new one is a function here and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from planner.experiments.comparison import (
    SAME,
    all_ratios,
    bounds,
    each,
    ends,
    extreme,
    gain,
    mean,
    number_of,
    percent,
    place_text,
    ratios,
    spread,
)
from planner.experiments.experiment import Finding, Place, Values

_ROUNDING = 1e-9
# Shares that are nothing but noise.
_NOTHING = 0.005


# --- one curve beside others ---------------------------------------------------------------------


def lowest(values: Values, curve: str, others: Sequence[str]) -> Finding:
    """The curve is nowhere above another."""
    share, text = extreme(max, values, curve, others)
    same = share <= 1 + _ROUNDING
    return Finding(share <= 1 + SAME, "nowhere above" if same else f"at most {text}")


def highest(values: Values, curve: str, others: Sequence[str]) -> Finding:
    """The curve is nowhere below another."""
    share, text = extreme(min, values, curve, others)
    return Finding(share >= 1 - SAME, f"{'at least' if share >= 1 else 'only'} {text}")


def reaches(values: Values, curve: str, others: Sequence[str], least: float) -> Finding:
    """Somewhere the curve is so many times another."""
    share, text = extreme(max, values, curve, others)
    return Finding(share >= least, f"at most {text}")


def below(values: Values, curves: Sequence[str], other: str) -> Finding:
    """Each of these curves is nowhere above the other."""
    shares = {curve: max(ratios(values, curve, other).values()) for curve in curves}
    return Finding(max(shares.values()) <= 1, f"{each(shares, '{} at most {:.3g} times')} {other}")


def under(values: Values, pairs: Sequence[tuple[str, str]]) -> Finding:
    """At all places the first of each pair is below the second."""
    shares = {
        f"{lower} at {place_text(x)}": share
        for lower, upper in pairs
        for x, share in ratios(values, upper, lower).items()
    }
    return Finding(min(shares.values()) > 1, each(shares, "{1:.3g} times {0}"))


def alike(values: Values, first: str, second: str, until: float | None = None) -> Finding:
    """Two curves are the same, everywhere or up to a place."""
    apart = {
        x: max(share, 1 / share)
        for x, share in ratios(values, first, second).items()
        if until is None or number_of(x) <= until
    }
    x = max(apart, key=apart.__getitem__)
    text = f"at most {apart[x]:.3g} times apart, at {place_text(x)}"
    return Finding(apart[x] <= 1 + SAME, "the same" if apart[x] <= 1 + _ROUNDING else text)


def equal(values: Values, first: str, second: str) -> Finding:
    """Two curves of counts have the same number at every place."""
    differing = [
        f"{own:g} and {values[second][x]:g} at {place_text(x)}"
        for x, own in values[first].items()
        if own != values[second][x]
    ]
    return Finding(not differing, "; ".join(differing) or "the same")


def apart(values: Values, curve: str, other: str, least: float, most: float) -> Finding:
    """The curve is so many times the other, at all places."""
    low, high = bounds(ratios(values, curve, other).values())
    return Finding(least <= low and high <= most, f"{low:.3g} to {high:.3g} times")


def saves_between(
    values: Values, curve: str, others: Sequence[str], least: float, most: float
) -> Finding:
    """At all places the curve is below the others by a share between these two."""
    found = [1 - share for share in all_ratios(values, curve, others).values()]
    low, high = bounds(found)
    text = f"{percent(low)} to {percent(high)}, {percent(mean(found))} on average"
    return Finding(least <= low and high <= most, text)


def exceeds_from(values: Values, curve: str, other: str, first: float, last: float) -> Finding:
    """The curve is above the other from one place to another."""
    shares = {
        place_text(x): share
        for x, share in ratios(values, curve, other).items()
        if first <= number_of(x) <= last
    }
    found = all(share > 1 + SAME for share in shares.values())
    return Finding(found, each(shares, "{1:.3g} times at {0}"))


def faster(values: Values, curves: Sequence[str]) -> Finding:
    """Every curve is above the one before it, at all places."""
    slower, quicker = curves[0], curves[-1]
    holds = all(
        share > 1 + SAME
        for below, above in pairwise(curves)
        for share in ratios(values, above, below).values()
    )
    low, high = bounds(ratios(values, quicker, slower).values())
    return Finding(holds, f"{quicker} is {low:.3g} to {high:.3g} times {slower}")


# --- from the first place to the last ------------------------------------------------------------


def scales(values: Values, curve: str, other: str) -> Finding:
    """The other is many times as high at the last place, though not at the first."""
    share = ratios(values, other, curve)
    (x0, first), (x1, last) = ends(share)
    text = (
        f"{other} is {first:.3g} times as high at {place_text(x0)}, "
        f"{last:.3g} times at {place_text(x1)}, {max(share.values()):.3g} times at most"
    )
    return Finding(last > 2 * first, text)


def overtakes(values: Values, curve: str, other: str) -> Finding:
    """The curve is above the other at the first place and below it at the last."""
    share = ratios(values, curve, other)
    (x0, first), (x1, last) = ends(share)
    below = [x for x in share if share[x] < 1]
    text = f"{first:.3g} times {other} at {place_text(x0)}, " + (
        f"below it from {place_text(below[0])} on"
        if below
        else f"{last:.3g} times at {place_text(x1)}, nowhere below"
    )
    return Finding(first > 1 and last < 1, text)


def furthest_at_first(values: Values, curve: str, other: str) -> Finding:
    """The curve is above the other, most of all at the first place."""
    share = ratios(values, curve, other)
    (x0, first), (x1, last) = ends(share)
    text = f"{first:.3g} times {other} at {place_text(x0)}, {last:.3g} times at {place_text(x1)}"
    # Where it fails the place is named: it need be neither end.
    most, least = max(share, key=share.__getitem__), min(share, key=share.__getitem__)
    if share[most] > first:
        text += f", most of all {share[most]:.3g} times at {place_text(most)}"
    if share[least] <= 1 and least not in (x0, x1):
        text += f", only {share[least]:.3g} times at {place_text(least)}"
    return Finding(share[most] == first and share[least] > 1, text)


def widens(values: Values, curve: str, other: str) -> Finding:
    """The curve is further above the other at the last place than at the first."""
    (_, first), (_, last) = ends(ratios(values, curve, other))
    text = f"{first:.3g} times {other} at first, {last:.3g} times at last"
    return Finding(last > first * (1 + SAME), text)


def approach(values: Values, curve: str, other: str) -> Finding:
    """Far below the other at first, the curve is as high as that at last."""
    (_, first), (_, last) = ends(ratios(values, curve, other))
    text = f"{curve} is {first:.3g} times {other} at first, {last:.3g} times at last"
    return Finding(first < 1 - SAME < last <= 1 + SAME, text)


def further(values: Values, curve: str, other: str) -> Finding:
    """The curve is further below the other at the last place than at the first."""
    (x0, first), (x1, last) = ends(ratios(values, other, curve))
    return Finding(last > first, f"{first:.3g} times below at {x0}, {last:.3g} times at {x1}")


def rises(values: Values, curve: str, until: float | None = None) -> Finding:
    """The curve never falls from one place to the next, and ends above its beginning."""
    found = {x: y for x, y in values[curve].items() if until is None or number_of(x) <= until}
    (x0, first), (x1, last) = ends(found)
    steady = all(b >= (1 - SAME) * a for a, b in pairwise(found.values()))
    text = f"{last / first:.3g} times from {place_text(x0)} to {place_text(x1)}"
    return Finding(steady and last > first * (1 + SAME), text)


def climb(values: Values, curves: Sequence[str]) -> Finding:
    """Each of these curves ends above where it begins."""
    gains = {curve: gain(values[curve]) for curve in curves}
    return Finding(min(gains.values()) > 1, each(gains))


def falls(values: Values, curve: str) -> Finding:
    """The curve ends below where it begins."""
    (_, first), (_, last) = ends(values[curve])
    return Finding(last < first, f"{curve}: {first:,.4g} at first, {last:,.4g} at last")


def steeper(values: Values, curves: Sequence[str], others: Sequence[str]) -> Finding:
    """Each of these curves gains more from its first place to its last than any of the others."""
    gains = {}
    for curve in (*curves, *others):
        (_, first), (_, last) = ends(values[curve])
        gains[curve] = last - first
    holds = min(gains[curve] for curve in curves) > max(gains[other] for other in others)
    return Finding(holds, each(gains, "{} gains {:,.4g}"))


def steady(values: Values, curve: str, most: float) -> Finding:
    """The curve's highest figure is at most so many times its lowest."""
    found = spread(values[curve].values())
    return Finding(found <= most, f"{curve} differs {found:.3g} times")


def straight(values: Values, curves: Sequence[str]) -> Finding:
    """Each of these curves rises, and lies on the line between its ends."""
    gains, off = {curve: gain(values[curve]) for curve in curves}, 0.0
    for curve in curves:
        (x0, first), *inner, (x1, last) = ((number_of(x), y) for x, y in values[curve].items())
        line = [first + (last - first) * (x - x0) / (x1 - x0) for x, _ in inner]
        off = max([off, *(abs(y / on - 1) for (_, y), on in zip(inner, line, strict=True))])
    holds = min(gains.values()) > 1 and off <= SAME
    return Finding(holds, f"{each(gains)}, at most {100 * off:.1f}% off a straight line")


def level_off(values: Values, curves: Sequence[str], first: float) -> Finding:
    """From a place on each of these curves stays as it is."""
    shares = {
        curve: spread(y for x, y in values[curve].items() if number_of(x) >= first)
        for curve in curves
    }
    text = f"{each(shares, '{} differs {:.3g} times')} from {first:g} on"
    return Finding(max(shares.values()) <= 1 + SAME, text)


# --- places of a curve beside one another --------------------------------------------------------


def ratio_of(values: Values, curve: str, pairs: Sequence[tuple[str, str]]) -> Finding:
    """Within one curve, the second place of each pair is above the first."""
    shares = {(a, b): values[curve][b] / values[curve][a] for a, b in pairs}
    text = "; ".join(f"{b} {share:.3g} times {a}" for (a, b), share in shares.items())
    return Finding(min(shares.values()) > 1 + SAME, text)


def dearest_at(values: Values, place: str) -> Finding:
    """Every curve is at least twice as high there as anywhere else."""
    shares = {
        curve: by_place[place] / max(y for x, y in by_place.items() if x != place)
        for curve, by_place in values.items()
    }
    return Finding(min(shares.values()) >= 2, f"{each(shares)} the next one")


def peaks(values: Values, printed: Mapping[str, float]) -> Finding:
    """The place of each curve's highest figure moves outwards, from one curve to the next."""
    best = {c: max(values[c], key=values[c].__getitem__) for c in printed}
    text = "; ".join(
        f"{c} best at {place_text(x)}, within 5% of it {_near(values[c], x)} (paper {printed[c]:g})"
        for c, x in best.items()
    )
    found = [number_of(x) for x in best.values()]
    if len(found) == 1:
        return Finding(found == list(printed.values()), text)
    return Finding(all(a < b for a, b in pairwise(found)), text)


def _near(values: Mapping[Place, float], best: Place) -> str:
    """The places where a curve is all but as high as at its best."""
    near = [x for x, value in values.items() if value >= (1 - SAME) * values[best]]
    return (
        f"from {place_text(near[0])} to {place_text(near[-1])}" if len(near) > 1 else "nowhere else"
    )


Groups = Sequence[Sequence[Place]]


def rises_along(values: Values, curve: str, groups: Groups) -> Finding:
    """In each group of places the curve does not fall from one to the next, and rises in all."""
    found = [[values[curve][x] for x in group] for group in groups]
    text = "; ".join(", ".join(f"{value:.3g}" for value in figures) for figures in found)
    holds = all(
        figures[-1] > figures[0] and all(b >= (1 - SAME) * a for a, b in pairwise(figures))
        for figures in found
    )
    return Finding(holds, f"{text} times")


def same_within(values: Values, curve: str, groups: Groups) -> Finding:
    """In each group of places the curve has one height."""
    most = max(spread(values[curve][x] for x in group) for group in groups)
    return Finding(most <= 1 + SAME, f"at most {most:.3g} times apart")


def differs_within(values: Values, curve: str, other: str, groups: Groups) -> Finding:
    """In each group of places the distance of two curves is not the same."""
    share = ratios(values, curve, other)
    low, high = bounds([spread(share[x] for x in group) for group in groups])
    text = f"{curve} beside {other}: {low:.3g} to {high:.3g} times apart"
    return Finding(low > 1 + SAME, text)


# --- shares and gains ----------------------------------------------------------------------------


def gains_on_average(values: Values, curve: str, least: float, most: float) -> Finding:
    """The mean of the curve is so much above 1."""
    found = [value - 1 for value in values[curve].values()]
    low, high = bounds(found)
    text = f"{percent(mean(found))}, from {percent(low)} to {percent(high)}"
    return Finding(least <= mean(found) <= most, text)


def mean_between(values: Values, least: float, most: float) -> Finding:
    """The mean over all curves and places lies between these two shares."""
    found = [value for by_place in values.values() for value in by_place.values()]
    low, high = bounds(found)
    text = f"{percent(mean(found))} on average, {percent(low)} to {percent(high)}"
    return Finding(least <= mean(found) <= most, text)


def never_negative(values: Values) -> Finding:
    """No curve is anywhere below 0; what is within 0.5% of it counts as that."""
    least, (curve, x) = min((y, (c, x)) for c, by in values.items() for x, y in by.items())
    text = f"{percent(least)} at least, {curve} at {place_text(x)}"
    return Finding(least >= -_NOTHING, text)


def nothing_on(values: Values, curve: str) -> Finding:
    """The curve is 0 everywhere, within 0.5%."""
    most = max(values[curve].values(), key=abs)
    return Finding(abs(most) <= _NOTHING, f"{percent(most)} at most")

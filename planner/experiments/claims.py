"""What papers claim of their curves, as checks that tell the figures behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Concatenate, ParamSpec

from planner.experiments.experiment import Finding, Place, Values

Check = Callable[[Values], Finding]
Params = ParamSpec("Params")
# Figures closer than this are the same: runs differ by as much.
SAME = 0.05
_ROUNDING = 1e-9


def as_check(
    judge: Callable[Concatenate[Values, Params], Finding],
) -> Callable[Params, Check]:
    """A judgement of figures becomes a claim's check once its other arguments are given."""

    def given(*args: Params.args, **kwargs: Params.kwargs) -> Check:
        return lambda values: judge(values, *args, **kwargs)

    return given


def ratios(values: Values, curve: str, other: str) -> dict[Place, float]:
    """How many times the other each figure of the curve is, where both have one."""
    return {x: y / values[other][x] for x, y in values[curve].items() if x in values[other]}


@as_check
def lowest(values: Values, curve: str, others: Sequence[str]) -> Finding:
    """The curve is nowhere above another."""
    shares = {
        (other, x): value / values[other][x]
        for other in others
        for x, value in values[curve].items()
        if x in values[other]
    }
    (other, x), share = max(shares.items(), key=lambda item: item[1])
    text = f"at most {share:.3g} times {other}, at {place_text(x)}"
    return Finding(share <= 1 + SAME, "nowhere above" if share <= 1 + _ROUNDING else text)


@as_check
def scales(values: Values, curve: str, other: str) -> Finding:
    """The other is many times as high at the last place, though not at the first."""
    share = ratios(values, other, curve)
    first, *_, last = share
    text = (
        f"{other} is {share[first]:.3g} times as high at {place_text(first)}, "
        f"{share[last]:.3g} times at {place_text(last)}, "
        f"{max(share.values()):.3g} times at most"
    )
    return Finding(share[last] > 2 * share[first], text)


@as_check
def alike(values: Values, first: str, second: str, until: float | None = None) -> Finding:
    """Two curves are the same, everywhere or up to a place."""
    apart = {
        x: max(value / values[second][x], values[second][x] / value)
        for x, value in values[first].items()
        if until is None or (isinstance(x, float | int) and x <= until)
    }
    x = max(apart, key=apart.__getitem__)
    text = f"at most {apart[x]:.3g} times apart, at {place_text(x)}"
    same = apart[x] <= 1 + _ROUNDING
    return Finding(apart[x] <= 1 + SAME, "the same" if same else text)


@as_check
def rises(values: Values, curve: str, until: float | None = None) -> Finding:
    """The curve never falls from one place to the next, and ends above its beginning."""
    places = [x for x in values[curve] if until is None or number_of(x) <= until]
    found = [values[curve][x] for x in places]
    falls = [b / a for a, b in pairwise(found) if b < a]
    ends = f"from {place_text(places[0])} to {place_text(places[-1])}"
    text = f"{found[-1] / found[0]:.3g} times {ends}"
    steady = all(share >= 1 - SAME for share in falls)
    return Finding(steady and found[-1] > found[0] * (1 + SAME), text)


@as_check
def overtakes(values: Values, curve: str, other: str) -> Finding:
    """The curve is above the other at the first place and below it at the last."""
    share = ratios(values, curve, other)
    places = list(share)
    below = [x for x in places if share[x] < 1]
    text = f"{share[places[0]]:.3g} times {other} at {place_text(places[0])}, " + (
        f"below it from {place_text(below[0])} on"
        if below
        else f"{share[places[-1]]:.3g} times at {place_text(places[-1])}, nowhere below"
    )
    return Finding(share[places[0]] > 1 and share[places[-1]] < 1, text)


@as_check
def furthest_at_first(values: Values, curve: str, other: str) -> Finding:
    """The curve is above the other, most of all at the first place."""
    share = ratios(values, curve, other)
    first, *_, last = share
    text = (
        f"{share[first]:.3g} times {other} at {place_text(first)}, "
        f"{share[last]:.3g} times at {place_text(last)}"
    )
    return Finding(share[first] == max(share.values()) and min(share.values()) > 1, text)


@as_check
def faster(values: Values, curves: Sequence[str]) -> Finding:
    """Every curve is above the one before it, at all places."""
    slower, quicker = curves[0], curves[-1]
    holds = all(
        values[above][x] > (1 + SAME) * values[below][x]
        for below, above in pairwise(curves)
        for x in values[below]
        if x in values[above]
    )
    shares = [values[quicker][x] / values[slower][x] for x in values[slower]]
    text = f"{quicker} is {min(shares):.3g} to {max(shares):.3g} times {slower}"
    return Finding(holds, text)


@as_check
def apart(values: Values, curve: str, other: str, least: float, most: float) -> Finding:
    """The curve is so many times the other, at all places."""
    shares = list(ratios(values, curve, other).values())
    text = f"{min(shares):.3g} to {max(shares):.3g} times"
    return Finding(least <= min(shares) and max(shares) <= most, text)


@as_check
def ratio_of(values: Values, curve: str, pairs: Sequence[tuple[str, str]]) -> Finding:
    """Within one curve, the second place of each pair is above the first."""
    shares = {pair: values[curve][pair[1]] / values[curve][pair[0]] for pair in pairs}
    text = "; ".join(f"{b} {share:.3g} times {a}" for (a, b), share in shares.items())
    return Finding(all(share > 1 + SAME for share in shares.values()), text)


@as_check
def exceeds_from(values: Values, curve: str, other: str, first: float, last: float) -> Finding:
    """The curve is above the other from one place to another."""
    shares = {
        x: value / values[other][x]
        for x, value in values[curve].items()
        if first <= number_of(x) <= last
    }
    text = ", ".join(f"{share:.3g} times at {place_text(x)}" for x, share in shares.items())
    return Finding(all(share > 1 + SAME for share in shares.values()), text)


@as_check
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


def number_of(place: Place) -> float:
    """A place on a scale."""
    if isinstance(place, str):
        raise TypeError(f"{place!r} is a name, not a place on a scale")
    return place


def place_text(place: Place) -> str:
    """A place as findings name it."""
    return place if isinstance(place, str) else f"{place:g}"


AgreementCheck = Callable[[Values, Values], Finding]
# "Almost all the time."
_MOSTLY = 0.95
# The ratio of measured to predicted differs by less over all points: curves of one shape.
_ONE_SHAPE = 1.25


def ranked_alike(predicted: Values, measured: Values) -> Finding:
    """Curves stand in the same order at almost every place; those within 5% in either."""
    pairs, apart = 0, []
    for first, second in combinations(predicted, 2):
        for x in predicted[first]:
            if x not in predicted[second]:
                continue
            pairs += 1
            order = _order(predicted[first][x], predicted[second][x])
            found = _order(measured[first][x], measured[second][x])
            if order * found < 0:
                apart.append(f"{first} and {second} at {place_text(x)}")
    text = f"{pairs - len(apart)} of {pairs} pairs of plans in the same order"
    if apart:
        text += f"; not {apart[0]}" + (f" and {len(apart) - 1} more" if len(apart) > 1 else "")
    return Finding(len(apart) <= (1 - _MOSTLY) * pairs, text)


def shaped_alike(predicted: Values, measured: Values) -> Finding:
    """Up to one factor for all, what was measured is what was predicted."""
    ratios = {
        (curve, x): measured[curve][x] / value
        for curve, by_place in predicted.items()
        for x, value in by_place.items()
        if x in measured[curve]
    }
    (low, least), (high, most) = (
        chosen(ratios.items(), key=lambda item: item[1]) for chosen in (min, max)
    )
    text = (
        f"measured {least:.3g} times the predicted at least ({low[0]} at {place_text(low[1])}), "
        f"{most:.3g} times at most ({high[0]} at {place_text(high[1])})"
    )
    return Finding(most / least <= _ONE_SHAPE, text)


def _order(first: float, second: float) -> int:
    """Which of the two is larger; 0 where they are the same but for noise."""
    if max(first, second) <= (1 + SAME) * min(first, second):
        return 0
    return 1 if first > second else -1

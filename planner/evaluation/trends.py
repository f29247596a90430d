"""How curves run, as checks that tell the figures behind them."""

from __future__ import annotations

from collections.abc import Sequence

from planner.evaluation.checks import SAME, Check, number_of, place_text
from planner.evaluation.experiment import Finding, Values


def level_off(curves: Sequence[str], first: float) -> Check:
    """From a place on each of these curves stays as it is."""

    def check(values: Values) -> Finding:
        shares = {}
        for curve in curves:
            figures = [value for x, value in values[curve].items() if number_of(x) >= first]
            shares[curve] = max(figures) / min(figures)
        told = ", ".join(f"{curve} differs {share:.3g} times" for curve, share in shares.items())
        return Finding(max(shares.values()) <= 1 + SAME, f"{told} from {first:g} on")

    return check


def straight(curves: Sequence[str]) -> Check:
    """Each of these curves rises, and lies on the line between its ends."""

    def check(values: Values) -> Finding:
        furthest, gains = {}, {}
        for curve in curves:
            places = {number_of(x): value for x, value in values[curve].items()}
            (x0, first), *inner, (x1, last) = places.items()
            gains[curve] = last / first
            line = [first + (last - first) * (x - x0) / (x1 - x0) for x, _ in inner]
            furthest[curve] = max(abs(y / on - 1) for (_, y), on in zip(inner, line, strict=True))
        told = ", ".join(f"{curve} {gain:.3g} times" for curve, gain in gains.items())
        off = max(furthest.values())
        holds = min(gains.values()) > 1 and off <= SAME
        return Finding(holds, f"{told}, at most {100 * off:.1f}% off a straight line")

    return check


def approach(curve: str, other: str) -> Check:
    """Far below the other at first, the curve is as high as that at last."""

    def check(values: Values) -> Finding:
        shares = [value / values[other][x] for x, value in values[curve].items()]
        told = f"{curve} is {shares[0]:.3g} times {other} at first, {shares[-1]:.3g} times at last"
        return Finding(shares[0] < 1 - SAME < shares[-1] <= 1 + SAME, told)

    return check


def below(curves: Sequence[str], other: str) -> Check:
    """Each of these curves is nowhere above the other."""

    def check(values: Values) -> Finding:
        shares = {
            curve: max(value / values[other][x] for x, value in values[curve].items())
            for curve in curves
        }
        told = ", ".join(f"{curve} at most {share:.3g} times" for curve, share in shares.items())
        return Finding(max(shares.values()) <= 1, f"{told} {other}")

    return check


def under(pairs: Sequence[tuple[str, str]]) -> Check:
    """At all places the first of each pair is below the second."""

    def check(values: Values) -> Finding:
        shares = {
            (lower, x): values[upper][x] / value
            for lower, upper in pairs
            for x, value in values[lower].items()
        }
        told = ", ".join(
            f"{share:.3g} times {curve} at {place_text(x)}" for (curve, x), share in shares.items()
        )
        return Finding(min(shares.values()) > 1, told)

    return check


def further(curve: str, other: str, first: str, last: str) -> Check:
    """The curve is further below the other at the last place than at the first."""

    def check(values: Values) -> Finding:
        share = {x: values[other][x] / values[curve][x] for x in (first, last)}
        told = f"{share[first]:.3g} times below at {first}, {share[last]:.3g} times at {last}"
        return Finding(share[last] > share[first], told)

    return check


def dearest_at(place: str) -> Check:
    """Every curve is at least twice as high there as anywhere else."""

    def check(values: Values) -> Finding:
        shares = {
            curve: by_place[place] / max(y for x, y in by_place.items() if x != place)
            for curve, by_place in values.items()
        }
        told = ", ".join(f"{curve} {share:.3g} times" for curve, share in shares.items())
        return Finding(min(shares.values()) >= 2, f"{told} the next one")

    return check


def steeper(curves: Sequence[str], others: Sequence[str]) -> Check:
    """Each of these curves gains more from its first place to its last than any of the others."""

    def check(values: Values) -> Finding:
        gains = {}
        for curve in (*curves, *others):
            first, *_, last = values[curve].values()
            gains[curve] = last - first
        told = ", ".join(f"{curve} gains {gain:,.4g}" for curve, gain in gains.items())
        least = min(gains[curve] for curve in curves)
        return Finding(least > max(gains[other] for other in others), told)

    return check


def falls(curve: str) -> Check:
    """The curve ends below where it begins."""

    def check(values: Values) -> Finding:
        first, *_, last = values[curve].values()
        return Finding(last < first, f"{curve}: {first:,.4g} at first, {last:,.4g} at last")

    return check


def climb(curves: Sequence[str]) -> Check:
    """Each of these curves ends above where it begins."""

    def check(values: Values) -> Finding:
        ends = {}
        for curve in curves:
            first, *_, last = values[curve].values()
            ends[curve] = last / first
        told = ", ".join(f"{curve} {share:.3g} times" for curve, share in ends.items())
        return Finding(all(share > 1 for share in ends.values()), told)

    return check

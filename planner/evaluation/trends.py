"""How curves run, as checks that tell the figures behind them."""

from __future__ import annotations

from collections.abc import Sequence

from planner.evaluation.checks import SAME, Check
from planner.evaluation.experiment import Finding, Values


def levels_off(curve: str, first: float) -> Check:
    """From a place on the curve stays as it is."""

    def check(values: Values) -> Finding:
        figures = [value for x, value in values[curve].items() if isinstance(x, str) or x >= first]
        share = max(figures) / min(figures)
        return Finding(share <= 1 + SAME, f"{curve} differs {share:.3g} times from {first:g} on")

    return check


def approaches(curve: str, other: str) -> Check:
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

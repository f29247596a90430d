"""What the early-aggregation paper says in Section 7.2 about each kind of figure."""

from __future__ import annotations

from collections.abc import Sequence

from planner.experiments.claims import (
    SAME,
    as_check,
    number_of,
    place_text,
    ranked_alike,
    ratios,
    shaped_alike,
)
from planner.experiments.experiment import Agreement, Claim, Finding, Values
from planner.experiments.tran.curves import STREAMS, Setting


@as_check
def level_off(values: Values, curves: Sequence[str], first: float) -> Finding:
    """From a place on each of these curves stays as it is."""
    shares = {}
    for curve in curves:
        figures = [value for x, value in values[curve].items() if number_of(x) >= first]
        shares[curve] = max(figures) / min(figures)
    text = ", ".join(f"{curve} differs {share:.3g} times" for curve, share in shares.items())
    return Finding(max(shares.values()) <= 1 + SAME, f"{text} from {first:g} on")


@as_check
def straight(values: Values, curves: Sequence[str]) -> Finding:
    """Each of these curves rises, and lies on the line between its ends."""
    furthest, gains = {}, {}
    for curve in curves:
        places = {number_of(x): value for x, value in values[curve].items()}
        (x0, first), *inner, (x1, last) = places.items()
        gains[curve] = last / first
        line = [first + (last - first) * (x - x0) / (x1 - x0) for x, _ in inner]
        furthest[curve] = max(abs(y / on - 1) for (_, y), on in zip(inner, line, strict=True))
    text = ", ".join(f"{curve} {gain:.3g} times" for curve, gain in gains.items())
    off = max(furthest.values())
    holds = min(gains.values()) > 1 and off <= SAME
    return Finding(holds, f"{text}, at most {100 * off:.1f}% off a straight line")


@as_check
def approach(values: Values, curve: str, other: str) -> Finding:
    """Far below the other at first, the curve is as high as that at last."""
    shares = list(ratios(values, curve, other).values())
    text = f"{curve} is {shares[0]:.3g} times {other} at first, {shares[-1]:.3g} times at last"
    return Finding(shares[0] < 1 - SAME < shares[-1] <= 1 + SAME, text)


@as_check
def below(values: Values, curves: Sequence[str], other: str) -> Finding:
    """Each of these curves is nowhere above the other."""
    shares = {
        curve: max(value / values[other][x] for x, value in values[curve].items())
        for curve in curves
    }
    text = ", ".join(f"{curve} at most {share:.3g} times" for curve, share in shares.items())
    return Finding(max(shares.values()) <= 1, f"{text} {other}")


@as_check
def under(values: Values, pairs: Sequence[tuple[str, str]]) -> Finding:
    """At all places the first of each pair is below the second."""
    shares = {
        (lower, x): values[upper][x] / value
        for lower, upper in pairs
        for x, value in values[lower].items()
    }
    text = ", ".join(
        f"{share:.3g} times {curve} at {place_text(x)}" for (curve, x), share in shares.items()
    )
    return Finding(min(shares.values()) > 1, text)


@as_check
def further(values: Values, curve: str, other: str, first: str, last: str) -> Finding:
    """The curve is further below the other at the last place than at the first."""
    share = {x: values[other][x] / values[curve][x] for x in (first, last)}
    text = f"{share[first]:.3g} times below at {first}, {share[last]:.3g} times at {last}"
    return Finding(share[last] > share[first], text)


@as_check
def dearest_at(values: Values, place: str) -> Finding:
    """Every curve is at least twice as high there as anywhere else."""
    shares = {
        curve: by_place[place] / max(y for x, y in by_place.items() if x != place)
        for curve, by_place in values.items()
    }
    text = ", ".join(f"{curve} {share:.3g} times" for curve, share in shares.items())
    return Finding(min(shares.values()) >= 2, f"{text} the next one")


@as_check
def steeper(values: Values, curves: Sequence[str], others: Sequence[str]) -> Finding:
    """Each of these curves gains more from its first place to its last than any of the others."""
    gains = {}
    for curve in (*curves, *others):
        first, *_, last = values[curve].values()
        gains[curve] = last - first
    text = ", ".join(f"{curve} gains {gain:,.4g}" for curve, gain in gains.items())
    least = min(gains[curve] for curve in curves)
    return Finding(least > max(gains[other] for other in others), text)


@as_check
def falls(values: Values, curve: str) -> Finding:
    """The curve ends below where it begins."""
    first, *_, last = values[curve].values()
    return Finding(last < first, f"{curve}: {first:,.4g} at first, {last:,.4g} at last")


@as_check
def climb(values: Values, curves: Sequence[str]) -> Finding:
    """Each of these curves ends above where it begins."""
    ends = {}
    for curve in curves:
        first, *_, last = values[curve].values()
        ends[curve] = last / first
    text = ", ".join(f"{curve} {share:.3g} times" for curve, share in ends.items())
    return Finding(all(share > 1 for share in ends.values()), text)


NOT_FULL = (
    "Printed sizes are upper bounds: a window of as many tuples as its set has cells fills 1 - 1/e "
    "of them, and goes on to fill the others."
)
ONE_UPDATE = (
    "The paper's equations charge an update of a group for the length of its bucket; groups are "
    "found by one access here."
)
_SET_IS_KEPT = (
    "A set is kept beside its window: where it is hardly smaller than that, its updates are work "
    "that nothing makes up for."
)
_HARDLY_MORE = (
    "A tuple of S1 that probes a set of few entries costs next to nothing: what such plans gain "
    "from first to last is less than the spread of what was measured."
)
AGREEMENTS = (
    Agreement(
        "7.2.1",
        "Cost model and prototype rank the plans alike almost all the time.",
        ranked_alike,
        ONE_UPDATE,
    ),
    Agreement(
        "7.2.1",
        "The curves of cost model and prototype have very similar shapes.",
        shaped_alike,
        f"{NOT_FULL} {ONE_UPDATE}",
    ),
)


def plans(setting: Setting) -> tuple[str, ...]:
    """LAP and all EAPs, by their digits read from the right."""
    count = STREAMS[setting]
    digits = (f"{mask:0{count}b}"[::-1] for mask in range(1, 2**count))
    return ("LAP", *(f"EAP-{found}" for found in digits))


def _pairs(setting: Setting) -> list[tuple[str, str]]:
    """Every plan with a set on S1, and the plan with the other sets alone."""
    early = [plan for plan in plans(setting) if plan.startswith("EAP-1")]
    without = [plan.replace("EAP-1", "EAP-0") for plan in early]
    return [(a, b if "1" in b else "LAP") for a, b in zip(early, without, strict=True)]


def _names(found: list[str]) -> str:
    return f"{', '.join(found[:-1])} and {found[-1]}"


def window_claims(setting: Setting) -> tuple[Claim, ...]:
    """Varying the window of S1: a set on it stops growing."""
    early, late = (list(found) for found in zip(*_pairs(setting), strict=True))
    full = 2000 if setting == "two-way" else 200
    return (
        Claim("7.2.2", f"{_names(late)} increase linearly.", straight(late)),
        Claim(
            "7.2.2",
            f"{_names(early)} stay constant beyond {full:,} tuples.",
            level_off(early, full),
            NOT_FULL,
        ),
        Claim(
            "7.2.2",
            "EAPs are always better than LAP.",
            below(plans(setting)[1:], "LAP"),
            _SET_IS_KEPT,
        ),
    )


def group_claims(setting: Setting) -> tuple[Claim, ...]:
    """Varying the groups of S1: a set of as many entries as tuples gains nothing."""
    early = [a for a, _ in _pairs(setting)]
    return (
        Claim("7.2.2", f"With more groups {_names(early)} increase.", climb(early)),
        *(
            Claim("7.2.2", f"With more groups {a} approaches {b}.", approach(a, b), _SET_IS_KEPT)
            for a, b in _pairs(setting)
        ),
    )


def rate_claims(setting: Setting) -> tuple[Claim, ...]:
    """Varying the rate of S1: its tuples probe the other sources' windows, or their sets."""
    (first, late), (early, last) = _pairs(setting)[0], _pairs(setting)[-1]
    return (
        Claim("7.2.2", "All plans increase linearly.", straight(plans(setting)), _HARDLY_MORE),
        Claim(
            "7.2.2",
            f"{late} and {first} increase faster than {last} and {early}.",
            steeper((late, first), (last, early)),
        ),
    )


def selectivity_claims(setting: Setting, hashed: bool) -> tuple[Claim, ...]:
    """Varying how many keys there are: more matches, but smaller sets."""
    early = plans(setting)[-1]
    if hashed:
        return (Claim("7.2.2", "With a hash join all plans increase.", climb(plans(setting))),)
    return (
        Claim("7.2.2", "With nested loops LAP increases.", climb(("LAP",))),
        Claim("7.2.2", f"With nested loops {early} decreases.", falls(early), ONE_UPDATE),
    )
